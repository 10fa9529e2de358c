#!/usr/bin/env python3
"""Trains the model of model.py on associative recall by plain PyTorch, and asks it episodes that it has not seen:

    train.py schemamem --setting V64L32P4 --steps 4000

An episode is a few pairs of a key and its value, then symbols at random with every key among them once more, where its value is the
answer. The pairs and the questions are two calls: whatever is answered has gone through the state. One core; the times are
processor seconds."""

import argparse
import json
import re
import time

import torch
from model import STACKS, Recall
from torch.nn import functional

import schemamem as sm


def sizes_of(setting):
    """V64L32P4: 64 symbols, 32 of them in an episode, up to 4 pairs."""
    return [int(number) for number in re.fullmatch(r"V(\d+)L(\d+)P(\d+)", setting).groups()]


def episodes_of(setting, pairs, n, **which):
    """Symbols [n, T] and answers [n, T], -1 where nothing is asked."""
    made = sm.episodes(setting, f"pairs-{pairs}", delay=sizes_of(setting)[1], n=n, task="mqar", **which)
    return torch.from_numpy(made.x[..., 0]).long(), torch.from_numpy(made.y).long()


def answers_of(module, symbols, answers, pairs, whole=False):
    """Logits [asked, vocabulary] of all questions, and what is right. As one call (`whole`) the layers see pairs and questions
    together."""
    asked = answers >= 0
    if whole:
        return module(symbols, asked=asked)[0], answers[asked]
    at = 2 * pairs
    _, state = module(symbols[:, :at])
    return module(symbols[:, at:], state, asked[:, at:])[0], answers[asked]


def right_of(module, setting, pairs, n=512, **which):
    """The share of right answers on evaluation episodes, which training never draws."""
    with torch.no_grad():
        logits, right = answers_of(module, *episodes_of(setting, pairs, n, **which), pairs)
    return (logits.argmax(-1) == right).float().mean().item()


def levels_of(setting):
    """Pairs double from level to level."""
    most, levels = sizes_of(setting)[2], [2]
    while levels[-1] < most:
        levels.append(min(2 * levels[-1], most))
    return levels


class Optimizers(list):
    """Muon for the matrices of the layers, AdamW for the rest: their rates rise and fall together."""

    def __init__(self, module, rate):
        matrices = [p for p in module.stack.parameters() if p.dim() == 2]
        theirs = set(map(id, matrices))
        rest = [p for p in module.parameters() if id(p) not in theirs]
        super().__init__([torch.optim.Muon(matrices, lr=rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"),
                          torch.optim.AdamW(rest, lr=rate, weight_decay=0.0)])

    def step(self, rate):
        for optimizer in self:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            optimizer.zero_grad()


def train(module, setting, *, steps, seed=42, batch=64, rate=2e-3, whole_every=2, needed=0.97, check=250, log=print):
    """The rate rises over 100 steps and falls to zero over the last third. Every `whole_every`-th batch is one call (0: none), without
    which SchemaMem finds the values but not their keys. Pairs double when a check, on episodes of a seed of its own, is passed."""
    optimizers, levels, level = Optimizers(module, rate), levels_of(setting), 0
    start = time.process_time()
    for step in range(1, steps + 1):
        pairs = levels[level] if step % 4 else levels[step // 4 % (level + 1)]  # mostly the present level
        symbols, answers = episodes_of(setting, pairs, batch, split="train", seed=seed, first=step * batch)
        loss = functional.cross_entropy(*answers_of(module, symbols, answers, pairs, whole_every > 0 and step % whole_every == 0))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizers.step(rate * min(1.0, step / 100, 3 * (1 - (step - 1) / steps)))
        if step % check == 0:
            right = right_of(module, setting, levels[level], n=256, seed=1)
            log(f"step {step:6}  {levels[level]:3} pairs  loss {loss.item():.4f}  right {100 * right:6.2f} %  "
                f"{time.process_time() - start:6.0f} s")
            if right >= needed and level + 1 < len(levels):
                level += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=STACKS)
    parser.add_argument("--setting", default="V64L32P4", help="V<vocabulary>L<tokens>P<pairs>")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--whole-every", type=int, default=2, help="every so many batches are one call; 0: none")
    parser.add_argument("--out", help="a file for the weights, by torch.save")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    module = Recall(options.model, sizes_of(options.setting)[0], seed=options.seed, threads=1)
    start = time.process_time()
    train(module, options.setting, steps=options.steps, seed=options.seed, batch=options.batch, whole_every=options.whole_every)
    seconds = time.process_time() - start
    right = right_of(module, options.setting, sizes_of(options.setting)[2])
    found = {"model": options.model, "setting": options.setting, "steps": options.steps, "seed": options.seed,
             "parameters": sum(p.numel() for p in module.parameters()), "seconds": round(seconds), "right": round(100 * right, 2)}
    if options.out:
        torch.save({**found, "weights": module.state_dict()}, options.out)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
