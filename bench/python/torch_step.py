"""A training step of the PyTorch modules through the kernels beside the same in plain PyTorch, checked first and timed in one run.

    torch_step.py [--batch 32] [--tokens 400] [--rounds 5]

One thread each; processor seconds, the best of several rounds in which both take turns. Aims: whole models 3x, stacks of width 128 and
256 1.5x. Exit code 1 if the two forms disagree.
"""

import argparse
import sys
import time

import torch

from schemamem import torch as smt

CASES = {
    "schemamem, whole": (lambda **o: smt.SchemaMemModel(7, 3, **o), 7),
    "gdn, whole": (lambda **o: smt.GatedDeltaNetModel(7, 3, **o), 7),
    "mamba3, whole": (lambda **o: smt.Mamba3Model(7, 3, **o), 7),
    "schemamem, stack of 128": (lambda **o: smt.SchemaMem(128, slots=64, heads=4, head_dim=32, hidden=128, **o), 128),
    "gdn, stack of 128": (lambda **o: smt.GatedDeltaNet(128, heads=4, head_dim=32, hidden=128, **o), 128),
    "mamba3, stack of 128": (lambda **o: smt.Mamba3(128, heads=4, head_dim=32, state=64, **o), 128),
    "schemamem, stack of 256": (lambda **o: smt.SchemaMem(256, slots=64, heads=4, head_dim=64, hidden=256, **o), 256),
    "gdn, stack of 256": (lambda **o: smt.GatedDeltaNet(256, heads=4, head_dim=64, hidden=256, **o), 256),
    "mamba3, stack of 256": (lambda **o: smt.Mamba3(256, heads=4, head_dim=64, state=64, **o), 256),
}


def step(module, x):
    module.zero_grad()
    y = module(x)
    y = y[0] if isinstance(y, tuple) else y
    y.square().mean().backward()
    return y.detach()


def timed(module, x):
    start = time.process_time()
    step(module, x)
    return time.process_time() - start


def compare(name, options):
    make, width = CASES[name]
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(options.batch, options.tokens, width, generator=generator)
    forms = [make(backend=backend, threads=1, seed=1) for backend in ("kernels", "torch")]
    outputs = [step(form, x) for form in forms]
    pairs = [outputs, *zip(*([p.grad for p in form.parameters()] for form in forms))]
    error = max(((a - b).abs().max() / (b.abs().max() + 1e-6)).item() for a, b in pairs)
    times = [min(times) for times in zip(*([timed(form, x) for form in forms] for _ in range(options.rounds)))]
    print(f"{name:<26} {1e3 * times[0]:8.1f} ms by the kernels, {1e3 * times[1]:8.1f} ms in plain PyTorch: "
          f"{times[1] / times[0]:5.2f}x   largest difference {error:.1e}", flush=True)
    return error < 1e-2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    options = parser.parse_args()
    torch.set_num_threads(1)
    sys.exit(0 if all([compare(name, options) for name in options.cases]) else 1)


if __name__ == "__main__":
    main()
