#!/usr/bin/env python3
"""Trains a model of models.py on a setting of the address-value task, and puts it on the bench:

    run.py gru --seconds 300 --out results/guests

Trained weights are left in the folder as weights.pt; with --weights they are read instead of trained."""

import argparse
import json
import pathlib

import torch
from models import MODELS
from training import train

import schemamem as sm


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--setting", default="A3V3")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--episodes", type=int, default=512)
    parser.add_argument("--delays", type=lambda text: [int(part) for part in text.split(",")], default=[])
    parser.add_argument("--owner", default="examples/your_model")
    parser.add_argument("--weights", type=pathlib.Path, help="a file of torch.save instead of training")
    parser.add_argument("--out", default="guests")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    sample = sm.episodes(options.setting, "immediate", n=1)
    module = MODELS[options.model](sample.x.shape[2], int(options.setting.split("V")[1]))
    if options.weights:
        trained = torch.load(options.weights)
        module.load_state_dict(trained["weights"])
    else:
        trained = train(module, options.setting, seed=options.seed, seconds=options.seconds)
        trained["seconds"] = options.seconds
    note = (f"{type(module).__name__}, PyTorch, {trained['steps']:,} steps of 64 episodes, delays up to "
            f"{trained['longest_delay']}, one core, {trained['seconds']:.0f} s")
    guest = sm.bench(module, options.setting, name=options.model, owner=options.owner, note=note, seed=options.seed,
                     delays=options.delays, episodes=options.episodes, batch=16)
    folder = pathlib.Path(guest.save(options.out))
    if not options.weights:
        torch.save({**trained, "weights": module.state_dict()}, folder / "weights.pt")
    for row in guest:
        if (row["scenario"], row["group"]) in sm.COLUMNS.values():
            print(f"{row['scenario']:13} {row['delay']:5}  {row['group']:9} {row['exact']:6.2f} %")
    print(json.dumps({"folder": str(folder), "note": note}))


if __name__ == "__main__":
    main()
