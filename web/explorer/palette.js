// The colours of the style sheet for canvases, looked up once: asking the browser in every frame is most of a frame's time.
import { colour, on_theme } from "../src/theme.js";

const known = new Map();
on_theme(() => known.clear());

export function tone(name) {
  if (!known.has(name)) known.set(name, colour(name));
  return known.get(name);
}
