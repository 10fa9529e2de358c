// Builds the page into one file, with its script and style inside and a policy that allows those two and nothing else:
// node build.mjs [OUTPUT]. The bytes are a function of the sources and the locked packages.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const output = process.argv[2] ?? here("../src/report/assets/report.html");

async function bundle(entry) {
  const result = await build({
    entryPoints: [here(entry)],
    absWorkingDir: here("."),
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome123", "firefox120", "safari17.5"],
    charset: "utf8",
    legalComments: "none",
  });
  return result.outputFiles[0].text.trim();
}

const notice = readFileSync(here("node_modules/uplot/LICENSE"), "utf8").trim();
const version = JSON.parse(readFileSync(here("node_modules/uplot/package.json"), "utf8")).version;
const style = await bundle("src/style.css");
const script = `/*! uPlot ${version}\n${notice}\n*/\n${await bundle("src/main.js")}`;
if (/<\/?(script|style|!--)/i.test(script) || /<\//.test(style)) {
  throw new Error("the bundle contains a tag that would end its own element");
}

const source = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; script-src ${source(script)}; style-src ${source(style)}; img-src data:; ` +
  "base-uri 'none'; form-action 'none'";
const parts = { policy, style, script };
const page = readFileSync(here("src/page.html"), "utf8").replace(/\{\{(policy|style|script)\}\}/g, (_, name) => parts[name]);
writeFileSync(output, page);
