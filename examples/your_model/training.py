"""Trains a PyTorch module on the address-value task with the training episodes of `schemamem.episodes`."""

import time

import numpy as np
import torch

import schemamem as sm

SCENARIOS = ("retention", "interference", "overwrite")
DELAYS = (0, 8, 32, 96, 192, 384)  # as far as our own models are trained


def loss_of(module, episodes):
    """Cross-entropy of the bits of every answer that is asked, and the share of final answers that are right."""
    logits = module(torch.from_numpy(episodes.x))
    labels = torch.from_numpy(episodes.y)
    bits = (labels[..., None] >> torch.arange(logits.shape[-1])) & 1
    each = torch.nn.functional.binary_cross_entropy_with_logits(logits, bits.float(), reduction="none").mean(-1)
    weights = torch.from_numpy(episodes.weights)
    right = ((logits >= 0) == bits.bool()).all(-1)[torch.from_numpy(episodes.final)]
    return (each * weights).sum() / weights.sum(), right.float().mean().item()


def train(module, setting="A3V3", *, seed=42, seconds=300.0, batch=64, rate=2e-3, delays=DELAYS, needed=0.99, log=print):
    """Delays grow as soon as the answers of 20 batches are right; the rate falls with the time that is left. What was
    trained depends on the speed of the machine, which the number of steps in the log tells."""
    optimizer = torch.optim.AdamW(module.parameters(), lr=rate, weight_decay=0.01)
    start, step, level, recent = time.monotonic(), 0, 0, []
    random = np.random.default_rng(seed)
    while (passed := (time.monotonic() - start) / seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 100) * max(0.02, min(1.0, 2 - 2 * passed))
        # Mostly the present delay, sometimes a shorter one.
        at = level if random.random() < 0.6 else int(random.integers(level + 1))
        scenario = SCENARIOS[random.integers(len(SCENARIOS))]
        episodes = sm.episodes(setting, scenario, delays[at], batch, split="train", seed=seed, first=step * batch)
        loss, right = loss_of(module, episodes)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()
        step += 1
        if at == level:
            recent = recent[-19:] + [right]
        if step % 200 == 0:
            log(f"step {step:6}  {100 * passed:3.0f} % of the time  delay {delays[level]:4}  loss {loss.item():.4f}  "
                f"right {100 * np.mean(recent or [0]):.1f} %")
        if len(recent) == 20 and np.mean(recent) >= needed and level + 1 < len(delays):
            level, recent = level + 1, []
    return {"steps": step, "longest_delay": delays[level]}
