"""The training step of each model beside the same step in PyTorch, checked first and timed in one run.

    peers.py [--program build/schemamem] [--models schemamem gdn mamba3] [--check] [--json]

Every PyTorch form must give the gradients of a golden file in double to 1e-9, as `schemamem verify` must; a form that is
timed in float, compiled ones included, must agree with those in double to 1e-3. Times are the best of several rounds, in
which all competitors take turns. Two workers do half the batch each and are not charged for adding up their gradients.
Exit code 1 if a check fails.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import time

import torch
from safetensors import safe_open

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent.parent / "tests/data/golden"
FILES = {"schemamem": GOLDEN / "schemamem/recurrent_overwrite.safetensors",
         "gdn": GOLDEN / "gdn/model_t134.safetensors",
         "mamba3": GOLDEN / "mamba3/model_t134.safetensors"}
EXACT, ROUNDED = 1e-9, 1e-3
LONGEST_CHUNK = 96


class Golden:
    def __init__(self, model):
        self.path = FILES[model]
        with safe_open(self.path, framework="pt") as file:
            self.metadata = file.metadata()
            self.tensors = {name: file.get_tensor(name) for name in file.keys()}
        self.bits = int(self.metadata["address_bits"]), int(self.metadata["value_bits"])

    def parameters(self, dtype):
        return {name[len("param."):]: value.to(dtype).clone().requires_grad_()
                for name, value in self.tensors.items() if name.startswith("param.")}


def error(found, expected):
    return ((found - expected).abs().max() / (expected.abs().max() + 1e-3)).item()


def gradients(function, parameters, x, d_logits, chunk_ends):
    for value in parameters.values():
        value.grad = None
    result = function(parameters, x, chunk_ends)
    result.backward(d_logits)
    return result


def check(model):
    """The largest error of logits and gradients against the golden file, in double."""
    golden = Golden(model)
    parameters = golden.parameters(torch.float64)
    ends = json.loads(golden.metadata.get("chunk_ends", f'[{golden.metadata["tokens"]}]'))
    function = importlib.import_module(model + "_torch").logits
    logits = gradients(function, parameters, golden.tensors["x"], golden.tensors["dlogits"], ends)
    errors = {name: error(value.grad, golden.tensors["grad." + name]) for name, value in parameters.items()}
    errors["logits"] = error(logits.detach(), golden.tensors["logits"])
    name = max(errors, key=errors.get)
    return {"file": golden.path.name, "tensor": name, "error": errors[name], "passed": errors[name] <= EXACT}


class Step:
    """One training step of `batch` random episodes, all with the same chunks."""

    def __init__(self, model, batch, tokens, compiled):
        golden = Golden(model)
        generator = torch.Generator().manual_seed(1)
        address, value = golden.bits
        self.x = torch.randint(2, (batch, tokens, address + value + 1), generator=generator).float()
        self.x[:, :, -1] = 0  # one segment: commits come from the length alone
        self.d_logits = torch.randn(batch, tokens, value, generator=generator)
        self.chunk_ends = [*range(LONGEST_CHUNK, tokens, LONGEST_CHUNK), tokens]
        self.eager = importlib.import_module(model + "_torch").logits
        self.function = torch.compile(self.eager) if compiled else self.eager
        self.golden = golden
        self.parameters = golden.parameters(torch.float32)

    def __call__(self):
        gradients(self.function, self.parameters, self.x, self.d_logits, self.chunk_ends)

    def error(self):
        """Of the timed form in float against the checked one in double, on two episodes; the whole batch when
        compiled, as compilation is for one shape."""
        exact = self.golden.parameters(torch.float64)
        some = slice(None) if self.function is not self.eager else slice(2)
        gradients(self.function, self.parameters, self.x[some], self.d_logits[some], self.chunk_ends)
        gradients(self.eager, exact, self.x[some].double(), self.d_logits[some].double(), self.chunk_ends)
        return max(error(self.parameters[name].grad.double(), value.grad) for name, value in exact.items())


def work(pipe, model, batch, tokens, threads, compiled):
    """A worker process: prepares a step, tells its error, then runs one step for every message."""
    torch.set_num_threads(threads)
    try:
        step = Step(model, batch, tokens, compiled)
        found = step.error()
        for _ in range(2):
            step()
        pipe.send({"error": found})
    except Exception as problem:  # PyTorch cannot compile everything; what it says is the result
        pipe.send({"problem": f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}"})
        return
    while pipe.recv():
        step()
        pipe.send(True)


class Peer:
    def __init__(self, name, model, batches, tokens, threads, compiled, seconds):
        self.name, self.times, self.problem = name, [], None
        context = multiprocessing.get_context("spawn")
        self.pipes, self.processes = [], []
        for batch in batches:
            ours, theirs = context.Pipe()
            self.pipes.append(ours)
            self.processes.append(context.Process(target=work, daemon=True,
                                                  args=(theirs, model, batch, tokens, threads, compiled)))
            self.processes[-1].start()
            theirs.close()
        deadline = time.monotonic() + seconds
        for pipe in self.pipes:
            self.listen(pipe, deadline)

    def listen(self, pipe, deadline):
        try:
            ready = pipe.recv() if pipe.poll(max(0, deadline - time.monotonic())) else {"problem": "took too long"}
        except EOFError:
            ready = {"problem": "ended early"}
        if "problem" in ready:
            self.problem = ready["problem"]
        elif not ready["error"] <= ROUNDED:
            self.problem = f"gradients are off by {ready['error']:.1e}"

    def round(self):
        start = time.perf_counter()
        for pipe in self.pipes:
            pipe.send(True)
        for pipe in self.pipes:
            pipe.recv()
        self.times.append(1e3 * (time.perf_counter() - start))

    def close(self):
        for process in self.processes:
            process.terminate()
            process.join()


def run_engine(program, model, setting, options):
    command = [program, "bench", "step", "--model", model, "--setting", setting, "--batch", str(options.batch),
               "--tokens", str(options.tokens), "--threads", str(options.threads), "--repeats", "1", "--json"]  # one step a round, like every peer
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def time_model(model, options):
    def peer(name, batches, threads, compiled):
        made = Peer(name, model, batches, options.tokens, threads, compiled,
                    options.compile_seconds if compiled else 600)
        if made.problem:
            made.close()
        return made

    halves = [options.batch - options.batch // 2, options.batch // 2]
    alone = max(1, options.threads // 2)
    peers = [peer("eager, one process", [options.batch], options.threads, False),
             peer("eager, two workers", halves, alone, False)]
    if options.compile_seconds > 0:
        peers += [peer("torch.compile, one process", [options.batch], options.threads, True),
                  peer("torch.compile, two workers", halves, alone, True)]
    address, value = Golden(model).bits
    engine = []
    for _ in range(options.rounds):
        for competitor in peers:
            if not competitor.problem:
                competitor.round()
        if options.program:
            engine.append(run_engine(options.program, model, f"A{address}V{value}", options))
    result = {"model": model, "batch": options.batch, "tokens": options.tokens, "threads": options.threads, "peers": []}
    best = min((e["milliseconds"] for e in engine), default=None)
    if best is not None:
        result["engine_milliseconds"] = best
        result["engine_gflops"] = max(e["gflops"] for e in engine)
    for competitor in peers:
        entry = {"name": competitor.name}
        if competitor.problem:
            entry["problem"] = competitor.problem
        else:
            entry["milliseconds"] = min(competitor.times)
            if best is not None:
                entry["ratio"] = entry["milliseconds"] / best
        result["peers"].append(entry)
        competitor.close()
    return result


def table(result):
    lines = [f'{result["model"]}: {result["batch"]} episodes of {result["tokens"]} tokens, {result["threads"]} threads']
    if "engine_milliseconds" in result:
        lines.append(f'  {"schemamem":28} {result["engine_milliseconds"]:9.1f} ms   '
                     f'{result["engine_gflops"]:.0f} GFLOP/s')
    for peer in result["peers"]:
        if "problem" in peer:
            lines.append(f'  {peer["name"]:28} {"-":>9}      {peer["problem"]}')
        else:
            ratio = f'{peer["ratio"]:.2f}x' if "ratio" in peer else ""
            lines.append(f'  {peer["name"]:28} {peer["milliseconds"]:9.1f} ms   {ratio}')
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=None, help="the schemamem program; without it only PyTorch is run")
    parser.add_argument("--models", nargs="+", default=list(FILES), choices=list(FILES))
    parser.add_argument("--check", action="store_true", help="compare gradients and time nothing")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=10, help="times each competitor is run")
    parser.add_argument("--compile-seconds", type=float, default=300,
                        help="time that torch.compile may take for a model; 0 leaves it out")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    checks = {model: check(model) for model in options.models}
    passed = all(found["passed"] for found in checks.values())
    report = {"torch": torch.__version__, "checks": checks}
    if not options.json:
        for model, found in checks.items():
            print(f'{"ok    " if found["passed"] else "FAILED"} {model}: {found["file"]} in PyTorch {torch.__version__}, '
                  f'largest error {found["error"]:.1e} ({found["tensor"]})', flush=True)
    if options.program:
        verified = subprocess.run([options.program, "verify", "--scalar", "double", *(FILES[m] for m in options.models)],
                                  stdout=subprocess.PIPE, text=True)
        report["engine_verified"] = verified.returncode == 0
        passed = passed and verified.returncode == 0
        if not options.json:
            print(verified.stdout, end="", flush=True)
    if passed and not options.check:
        report["steps"] = []
        for model in options.models:
            report["steps"].append(time_model(model, options))
            if not options.json:
                print(table(report["steps"][-1]), flush=True)
    if options.json:
        print(json.dumps(report, indent=2))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
