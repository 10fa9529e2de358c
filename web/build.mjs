// Builds the pages, each into one file with its script and style inside and a policy that allows those and nothing else:
// node build.mjs [report|explorer [OUTPUT]]. The bytes are a function of the sources, the locked packages and, for the explorer, the
// committed module.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const kPages = {
  report: { folder: "src", charts: true, output: "../src/report/assets/report.html", allows: "img-src data:; " },
  // The module is compiled, in a worker that is made from a text of the page; pictures and states are saved from memory.
  explorer: { folder: "explorer", output: "../src/cli/assets/explorer.html", module: "../wasm/schemamem.wasm.gz", allows: "img-src data: blob:; worker-src blob:; ",
    runs: " 'wasm-unsafe-eval'" },
};

/// `import text from "./worker.js" with { type: "inline" }`: the file, bundled, as a text.
const inlined = {
  name: "inlined",
  setup(builder) {
    builder.onLoad({ filter: /\.js$/ }, async ({ path, with: how }) =>
      (how.type === "inline" ? { contents: `export default ${JSON.stringify(await bundle(path))}`, loader: "js" } : undefined));
  },
};

async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    absWorkingDir: here("."),
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome123", "firefox120", "safari17.5"],
    charset: "utf8",
    legalComments: "none",
    plugins: [inlined],
  });
  return result.outputFiles[0].text.trim();
}

const notice = readFileSync(here("node_modules/uplot/LICENSE"), "utf8").trim();
const version = JSON.parse(readFileSync(here("node_modules/uplot/package.json"), "utf8")).version;
const source = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

async function write_page(name, output) {
  const { folder, charts, module, allows, runs = "" } = kPages[name];
  const style = await bundle(here(`${folder}/style.css`));
  const script = (charts ? `/*! uPlot ${version}\n${notice}\n*/\n` : "") + await bundle(here(`${folder}/main.js`));
  if (/<\/?(script|style|!--)/i.test(script) || /<\//.test(style)) {
    throw new Error(`${name}: the bundle contains a tag that would end its own element`);
  }
  const policy = `default-src 'none'; script-src ${source(script)}${runs}; style-src ${source(style)}; ${allows}base-uri 'none'; form-action 'none'`;
  const parts = { policy, style, script, module: module && readFileSync(here(module)).toString("base64") };
  const page = readFileSync(here(`${folder}/page.html`), "utf8").replace(/\{\{(policy|style|script|module)\}\}/g, (_, part) => parts[part]);
  writeFileSync(output ?? here(kPages[name].output), page);
}

const [wanted, output] = process.argv.slice(2);
for (const name of wanted ? [wanted] : Object.keys(kPages)) await write_page(name, output);
