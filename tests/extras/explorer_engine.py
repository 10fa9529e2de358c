"""The explorer's engine in headless Chromium without its page: a file that holds the engine's sources and the module, and
lets Python call it."""

import base64
import contextlib
import json
import pathlib
import re

import browser

browser.needed()

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = (ROOT / "wasm/schemamem.wasm.gz").read_bytes()
# As tight as the page's own; a hash would name this file's script, which is another one.
POLICY = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; img-src data:"


def models(setting="A3V3"):
    """The published models of one setting and seed, by architecture: name -> file."""
    runs = sorted((ROOT / "results/steady").glob(f"*-{setting}-steady-s42-*/model.safetensors"))
    return {file.parent.name.split("-")[0]: file for file in runs}


def source(name):
    return (ROOT / "web/explorer/engine" / name).read_text()


def script():
    """The engine without a bundler: each file once, imports and exports taken out."""
    plain = lambda text: re.sub(r"^import .*\n", "", text, flags=re.M).replace("export class", "class")
    worker = plain(source("module.js")) + plain(source("worker.js"))
    return f"const worker_text = {json.dumps(worker)};\n{plain(source('engine.js'))}\n".replace("</", "<\\/")


PAGE = """<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="%s"><link rel="icon" href="data:,">
<script>%s
const bytes_of = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const text_of = (bytes) => { let all = ""; for (const one of bytes) all += String.fromCharCode(one); return btoa(all); };
const unpacked = async (bytes) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
const floats_of = (text) => new Float32Array(bytes_of(text).buffer);
let engine = null;
const told = async (work) => { try { return { value: await work() }; } catch (error) { return { failure: error.message }; } };
</script>"""


class Browser:
    """A page with the engine. `call` runs JavaScript in which `engine` is open; a failure is an EngineError."""

    def __init__(self, chromium, folder, module=MODULE):
        self.file = pathlib.Path(folder) / "engine.html"
        self.file.write_text(PAGE % (POLICY, script()))
        self.complaints, self.requests = [], []
        self.context = chromium.new_context()
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(self.file.as_uri())
        self.open(module)

    def open(self, module):
        self.call("engine?.close(); engine = await Engine.open(await unpacked(bytes_of(given)))", base64.b64encode(module).decode())

    def call(self, work, given=None):
        answer = self.page.evaluate(f"(given) => told(async () => {{ {work} }})", given)
        if "failure" in answer:
            raise EngineError(answer["failure"])
        return answer.get("value")

    def load(self, file):
        return self.call("return await engine.load(bytes_of(given))", base64.b64encode(pathlib.Path(file).read_bytes()).decode())

    def foreign_requests(self):
        return [url for url in self.requests if not url.startswith(("file:", "blob:", "data:"))]


class EngineError(Exception):
    pass


@contextlib.contextmanager
def chromium():
    with browser.sync_playwright() as playwright:
        opened = browser.launch(playwright)
        try:
            yield opened
        finally:
            opened.close()
