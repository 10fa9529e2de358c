// From the bytes in the page to models that run.
import { Engine } from "./engine/engine.js";
import { read_model, reading } from "./reading.js";

const text_of = (id) => document.getElementById(id)?.textContent.trim() ?? "";

function bytes_of(base64, what) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error(`${what} in this page is damaged: it is no base64. Make the page again with schemamem explore.`);
  }
}

async function unpacked(bytes) {
  try {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  } catch {
    throw new Error("The module in this page is damaged: it cannot be unpacked. Make the page again with schemamem explore.");
  }
}

export function read_payload() {
  let payload;
  try {
    payload = JSON.parse(text_of("payload"));
  } catch {
    throw new Error("The models in this page are damaged: they are no JSON. Make the page again with schemamem explore.");
  }
  if (payload?.format !== "schemamem explorer 1" || !Array.isArray(payload.models) || !payload.models.length) {
    throw new Error("This page has no models in it. schemamem explore -o explorer.html makes one that has.");
  }
  return payload;
}

export async function boot(payload) {
  const engine = await Engine.open(await unpacked(bytes_of(text_of("module"), "The module")));
  const models = [];
  for (const { name, bytes } of payload.models) {
    const model = await engine.load(bytes_of(bytes, `The model ${name}`));
    models.push(read_model(model, String(name)));
  }
  return { engine: reading(engine), models };
}
