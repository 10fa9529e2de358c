// What can be taken along: pictures, numbers, the state itself, and a link.
import { h } from "../src/dom.js";
import { tone } from "./palette.js";
import { print_step } from "./script.js";

export function download(bytes, name, type) {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/// The pictures of all layers below each other, with a title, as a PNG.
export async function picture_bytes(canvases, title) {
  const ratio = devicePixelRatio || 1, pad = Math.round(16 * ratio), head = Math.round(30 * ratio);
  const sheet = document.createElement("canvas");
  sheet.width = Math.max(...canvases.map((one) => one.width)) + 2 * pad;
  sheet.height = canvases.reduce((sum, one) => sum + one.height + head, 2 * pad + head);
  const context = sheet.getContext("2d");
  context.fillStyle = tone("--surface");
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.fillStyle = tone("--ink");
  context.font = `600 ${Math.round(14 * ratio)}px system-ui, sans-serif`;
  context.fillText(title, pad, pad + head / 2);
  let y = pad + head;
  canvases.forEach((canvas, i) => {
    context.font = `${Math.round(12 * ratio)}px system-ui, sans-serif`;
    context.fillText(`layer ${i + 1}`, pad, y + head * 0.6);
    context.drawImage(canvas, pad, y + head * 0.8);
    y += canvas.height + head;
  });
  return new Promise((done) => { sheet.toBlob(done, "image/png"); });
}

const cell = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
const table = (rows) => `${rows.map((row) => row.map(cell).join(",")).join("\n")}\n`;

/// One row a point of the curves.
export function curves_csv(lanes) {
  const layers = Math.max(1, ...lanes.map(({ lane }) => lane.marks[0]?.drift.length ?? 0));
  const numbers = Array.from({ length: layers }, (_, i) => i);
  return table([["model", "row", "delay", "right", "wrong_addresses", ...numbers.map((i) => `drift_layer_${i + 1}`), ...numbers.map((i) => `depth_layer_${i + 1}`)],
    ...lanes.flatMap(({ name, lane }) => lane.marks.map((one) => [name, one.rows, one.delay, one.values.length - one.wrong.length, one.wrong.join(" "),
      ...numbers.map((i) => one.drift[i] ?? ""), ...numbers.map((i) => one.depth[i] ?? "")]))]);
}

export const answers_csv = (answers) => table([["address", "believed", "true", "written", "confidence", ...answers[0].sure.map((_, bit) => `sure_bit_${bit}`)],
  ...answers.map((one) => [one.address, one.answer, one.value, Number(one.written), one.confidence, ...one.sure])]);

export const file_name = (session, ending) => `${session.model.name}-row-${session.rows}.${ending}`;
export const script_text = (steps) => steps.map(print_step).join("; ");
