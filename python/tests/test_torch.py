"""The PyTorch modules: golden vectors through both forms, gradients, states, checkpoints."""

import copy
import doctest
import io
import json
import pathlib

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import schemamem as sm  # noqa: E402
from schemamem import torch as smt  # noqa: E402

torch.set_num_threads(1)  # small tensors: threads only wait for each other
GOLDEN = pathlib.Path(__file__).parents[2] / "tests/data/golden"
STACKS = {"schemamem": (smt.SchemaMem, dict(d_model=8, slots=6, layers=2, heads=2, hidden=6, commit_every=4)),
          "mamba3": (smt.Mamba3, dict(d_model=16, layers=2, heads=2, head_dim=16, state=16, groups=1)),
          "gdn": (smt.GatedDeltaNet, dict(d_model=16, layers=2, heads=2, head_dim=16, hidden=16))}
WHOLE = {"schemamem": smt.SchemaMemModel, "mamba3": smt.Mamba3Model, "gdn": smt.GatedDeltaNetModel}
BACKENDS = ("kernels", "torch")
names = pytest.mark.parametrize("name", STACKS)
backends = pytest.mark.parametrize("backend", BACKENDS)


def stack(name, backend=None, dtype=torch.float64, **changed):
    kind, sizes = STACKS[name]
    module = kind(**{**sizes, "threads": 1, **changed}, backend=backend, dtype=dtype, seed=3)
    with torch.no_grad():  # off the defaults, so that no gradient is zero by accident
        generator = torch.Generator().manual_seed(5)
        for parameter in module.parameters():
            parameter += 0.2 * torch.randn(parameter.shape, generator=generator, dtype=dtype)
    return module


def rows(name, batch=2, tokens=7, dtype=torch.float64):
    generator = torch.Generator().manual_seed(7)
    return torch.randn(batch, tokens, STACKS[name][1]["d_model"], generator=generator, dtype=dtype)


def golden_files():
    safetensors = pytest.importorskip("safetensors")
    for path in sorted(GOLDEN.glob("*/*.safetensors")):
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata()
            if metadata.get("level", "model") == "model" and metadata.get("mode", "recurrent") == "recurrent":
                yield path.parent.name, metadata, {key: file.get_tensor(key) for key in file.keys()}


def error(found, expected):
    return ((found - expected).abs().max() / (expected.abs().max() + 1e-3)).item()


@backends
def test_golden_vectors_of_whole_models(backend):
    seen = set()
    for name, metadata, tensors in golden_files():
        sizes = {"commit_every": int(metadata["commit_every"])} if "commit_every" in metadata else {}
        if name == "schemamem" and "chunk_ends" in metadata:
            lengths = np.diff([0, *json.loads(metadata["chunk_ends"])])
            sizes.setdefault("commit_every", int(max(7, lengths.max())) if "chunk7" not in str(metadata) else 7)
        x = tensors["x"]
        options = {key: metadata[key] for key in ("writer", "commit") if key in metadata}
        if options:  # of small sizes
            width, dim = tensors["param.layers.0.attn.w_k"].shape
            sizes |= dict(options, layers=int(metadata["layers"]), slots=int(metadata["slots"]), width=width, heads=width // dim,
                          head_dim=dim, hidden=tensors["param.layers.0.mlp.w_gate"].shape[1])
        module = WHOLE[name](x.shape[2], tensors["logits"].shape[2], backend=backend, dtype=torch.float64, **sizes)
        module.load_state_dict({key[6:]: value for key, value in tensors.items() if key.startswith("param.")})
        marks = None
        if "chunk_ends" in metadata:
            marks = torch.zeros(x.shape[:2], dtype=torch.uint8)
            marks[:, json.loads(metadata["chunk_ends"])[:-1]] = 1
        if backend == "torch" and options.get("writer") == "live":
            with pytest.raises(sm.UsageError, match="writer=live has no plain form"):
                module(x, marks)
            continue
        logits = module(x, marks)
        assert error(logits, tensors["logits"]) < 1e-9, (name, metadata)
        logits.backward(tensors["dlogits"])
        for key, parameter in module.named_parameters():
            assert error(parameter.grad, tensors["grad." + key]) < 1e-9, (name, key)
        seen.add(name)
    assert seen == set(STACKS)


@names
@backends
def test_gradcheck_of_rows_states_and_weights(name, backend):
    module = stack(name, backend, layers=1)
    x = rows(name, 1, 6)
    state = module(x.flip(1))[1].detach()

    def run(x, state, *weights):
        return module(x, state)

    check = dict(eps=1e-6, atol=1e-5, rtol=1e-4, nondet_tol=0)
    assert torch.autograd.gradcheck(lambda x: module(x, state), (x.requires_grad_(),), **check)
    # All numbers at once, along random directions: there are thousands.
    assert torch.autograd.gradcheck(run, (x, state.requires_grad_(), *module.parameters()), fast_mode=True, **check)


WHOLE_SIZES = {"schemamem": dict(width=8, slots=6, layers=2, heads=2, head_dim=4, hidden=6, commit_every=4),
               "mamba3": dict(width=16, layers=2, heads=2, head_dim=16, state=16, groups=1),
               "gdn": dict(width=16, layers=2, heads=2, head_dim=16, hidden=16)}


@names
@backends
def test_gradcheck_of_whole_models(name, backend):
    module = WHOLE[name](5, 3, backend=backend, dtype=torch.float64, seed=3, **WHOLE_SIZES[name])
    x = torch.randn(1, 6, 5, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
    check = dict(eps=1e-6, atol=1e-5, rtol=1e-4, nondet_tol=0)
    assert torch.autograd.gradcheck(module, (x.requires_grad_(),), **check)
    assert torch.autograd.gradcheck(lambda x, *weights: module(x), (x, *module.parameters()), fast_mode=True, **check)


@names
def test_both_forms_agree_with_marks_and_states(name):
    x, marks = rows(name, 3, 23), torch.zeros(3, 23, dtype=torch.uint8)
    marks[1, 9] = marks[2, 4] = marks[2, 5] = 1
    found = []
    for backend in BACKENDS:
        module = stack(name, backend)
        first = x.clone().requires_grad_()
        _, state = module(x.flip(1))
        y, final = module(first, state, marks)
        (y.sin().sum() + final.cos().sum()).backward()
        found.append([y, final, first.grad, *(p.grad for p in module.parameters())])
    for ours, plain in zip(*found):
        assert error(ours, plain) < 1e-9


@names
def test_the_bits_do_not_depend_on_the_threads(name):
    found = []
    for threads in (1, 3):
        module = stack(name, "kernels", threads=threads)
        module(rows(name, 11))[0].square().sum().backward()
        found.append(torch.cat([parameter.grad.reshape(-1) for parameter in module.parameters()]))
    assert torch.equal(*found)


@names
@backends
def test_a_sequence_in_pieces_is_the_whole_sequence(name, backend):
    module = stack(name, backend)
    x = rows(name, 2, 16)
    whole, end = module(x)
    y1, state = module(x[:, :8])  # a multiple of SchemaMem's chunk: a call ends one
    y2, state = module(x[:, 8:], state)
    assert error(torch.cat([y1, y2], 1), whole) < 1e-12 and error(state, end) < 1e-12
    assert {key.split(".")[2] for key in module.split_state(state)} >= {
        "schemamem": {"phase"}, "mamba3": {"ssm"}, "gdn": {"recurrent"}}[name]


@names
def test_states_are_plain_tensors(name):
    module = stack(name, dtype=torch.float32)
    _, state = module(rows(name, dtype=torch.float32))
    file = io.BytesIO()
    torch.save(state.detach(), file)
    file.seek(0)
    assert torch.equal(torch.load(file), state)
    assert state.shape == (2, module.state_size)


@names
def test_modules_are_copied_pickled_and_converted(name):
    module = stack(name, dtype=torch.float32)
    x = rows(name, dtype=torch.float32)
    y = module(x)[0]
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    for other in (copy.deepcopy(module), torch.load(file, weights_only=False)):
        assert torch.equal(other(x)[0], y)
    assert error(module.double()(x.double())[0].float(), y) < 1e-4


@names
@backends
def test_published_checkpoints_give_the_outputs_of_their_streams(name, backend):
    model = sm.load(f"a3v3-{name}-steady-s42")
    module = WHOLE[name].from_pretrained(f"a3v3-{name}-steady-s42", backend=backend)
    x = sm.episodes("A3V3", "overwrite", delay=96, n=2).x
    with torch.no_grad():
        logits = module(torch.from_numpy(x))
    expected = np.stack([model.stream().push(rows) for rows in x])
    assert np.abs(logits.numpy() - expected).max() < 2e-3 * np.abs(expected).max()
    again = module.to_model(model.notes)
    assert again == model and again.notes["setting"] == "A3V3"


def test_symbols_are_looked_up():
    x = torch.tensor([[1, 4, 2, 0, 3]])
    found = []
    for backend in BACKENDS:
        module = smt.GatedDeltaNetModel(5, 6, symbols=True, layers=1, backend=backend, seed=2, dtype=torch.float64)
        logits = module(x)
        logits.square().sum().backward()
        found.append((logits, module.get_parameter("in_proj.weight").grad))
    assert found[0][0].shape == (1, 5, 6)
    assert error(*[one[0] for one in found]) < 1e-9 and error(*[one[1] for one in found]) < 1e-9
    with pytest.raises(sm.UsageError, match="from 0 to 4"):
        module(x + 1)


@names
def test_a_second_backward_is_right_and_a_second_derivative_is_refused(name):
    module = stack(name, "kernels")
    x = rows(name).requires_grad_()
    y, _ = module(x)
    (once,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    (twice,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    assert torch.equal(once, twice)
    with pytest.raises(sm.UsageError, match='second time; choose backend="torch"'):
        torch.autograd.grad(y.sum(), x, create_graph=True)
    plain = stack(name, "torch", layers=1)
    (gradient,) = torch.autograd.grad(plain(x)[0].square().sum(), x, create_graph=True)
    gradient.square().sum().backward()
    assert x.grad is not None


@names
def test_nothing_is_silently_converted(name):
    module = stack(name, dtype=torch.float32)
    x = rows(name, dtype=torch.float32)
    with pytest.raises(sm.UsageError, match="convert"):
        module(x.double())
    with torch.autocast("cpu", torch.bfloat16):
        assert module(x)[0].dtype == torch.float32 and torch.equal(module(x)[0], stack(name, dtype=torch.float32)(x)[0])
    with pytest.raises(sm.UsageError, match="float32 or float64"):
        stack(name, dtype=torch.float32).to(torch.bfloat16)(x.bfloat16())
    for call, message in [(lambda: module(x[0]), r"\[batch, time"), (lambda: module(x, x[:, 0]), "expected a state"),
                          (lambda: module(x, marks=torch.zeros(2, 3)), "expected marks"),
                          (lambda: stack(name, "cuda"), "backend is")]:
        with pytest.raises(sm.UsageError, match=message):
            call()


@names
def test_compiling_does_not_break_it(name):
    module = stack(name, dtype=torch.float32)
    x = rows(name, dtype=torch.float32)
    compiled = torch.compile(module, backend="eager")
    assert torch.equal(compiled(x)[0], module(x)[0])


@names
def test_the_same_seed_gives_the_same_weights(name):
    kind, sizes = STACKS[name]
    one, same, other = kind(**sizes, seed=1), kind(**sizes, seed=1), kind(**sizes, seed=2)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters()))
    assert any(not torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters()))


def test_the_examples_are_right():
    result = doctest.testmod(smt)
    assert result.failed == 0 and result.attempted >= 5
