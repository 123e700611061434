"""Trains the network from shards; stops after `--minutes`, goes on from where it stopped.

    python -m matting.train --shards DIR --run DIR --held DIR --minutes 60
"""
from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from .batches import PRIORS, Batch, Shards, batches_from
from .held import HeldViews
from .loss import matting_loss
from .material import read_config
from .net import MattingNet, imagenet_state, load_imagenet


def pick_device(name: str | None) -> torch.device:
    return torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))


def new_network(pretrained: bool = True) -> MattingNet:
    net = MattingNet(priors=PRIORS)
    if pretrained:
        load_imagenet(net.encoder, imagenet_state())
    return net.to(memory_format=torch.channels_last)


def new_optimiser(net: MattingNet, config: dict) -> torch.optim.AdamW:
    t = config["train"]
    encoder = [p for name, p in net.named_parameters() if name.startswith("encoder") and p.requires_grad]
    rest = [p for name, p in net.named_parameters() if not name.startswith("encoder")]
    groups = [{"params": encoder, "lr": t["encoder_learning_rate"]}, {"params": rest, "lr": t["learning_rate"]}]
    for group in groups:
        group["base"] = group["lr"]
    return torch.optim.AdamW(groups, weight_decay=1e-4, betas=(0.9, 0.99))


class Run:
    """Network, its slow average, optimiser and step count: what a checkpoint holds."""

    def __init__(self, config: dict, device: torch.device, seed: int, steps_planned: int, pretrained: bool = True) -> None:
        torch.manual_seed(seed)
        self.config, self.device, self.seed, self.step = config, device, seed, 0
        self.steps_planned = steps_planned
        self.net = new_network(pretrained).to(device)
        self.average = {k: v.detach().clone() for k, v in self.net.state_dict().items()}
        self.optimiser = new_optimiser(self.net, config)
        self.minutes = 0.0

    def save(self, path: Path, shard_names: list[str]) -> None:
        state = {"net": self.net.state_dict(), "average": self.average, "optimiser": self.optimiser.state_dict(), "step": self.step, "seed": self.seed,
                 "minutes": self.minutes, "steps_planned": self.steps_planned, "config": self.config, "shards": shard_names}
        partial = path.with_suffix(".part")
        torch.save(state, partial)
        os.replace(partial, path)

    def load(self, path: Path) -> list[str]:
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.net.load_state_dict(state["net"])
        self.average = {k: v.to(self.device) for k, v in state["average"].items()}
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.seed, self.minutes = state["step"], state["seed"], state["minutes"]
        return state["shards"]

    def progress(self) -> float:
        return min(1.0, self.step / max(1, self.steps_planned))

    def learn(self, batch: Batch) -> dict[str, float]:
        t = self.config["train"]
        warm = min(1.0, (self.step + 1) / t["warm_up_steps"])
        rate = warm * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * self.progress())))
        for group in self.optimiser.param_groups:
            group["lr"] = group["base"] * rate
        low, high = t["band_weight"]
        with torch.autocast(self.device.type, torch.bfloat16):
            logits = self.net.at_own_size(batch.x)
        size = logits.shape[2:]
        alpha, known = (plane if plane.shape[2:] == size else F.interpolate(plane, size, mode="area") for plane in (batch.alpha, batch.known))
        loss, parts = matting_loss(logits, alpha, (known == 1).float(), batch.weight, low + (high - low) * self.progress())
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.net.parameters(), 2.0)
        if torch.isfinite(norm):
            self.optimiser.step()
        self.step += 1
        keep = min(t["ema"], (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for name, value in self.net.state_dict().items():
                self.average[name].lerp_(value, 1 - keep)
        return {"loss": loss.item(), **parts}

    def averaged(self) -> MattingNet:
        net = MattingNet(priors=PRIORS).to(self.device, memory_format=torch.channels_last)
        net.load_state_dict(self.average)
        return net.eval()


class Log:
    """A table of figures: one tab-separated row a report, also printed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def row(self, figures: dict[str, float | int | str]) -> None:
        head = "\t".join(figures)
        before = self.path.read_text().splitlines() if self.path.exists() else []
        heads = [line for line in before if line.startswith("step")]
        cells = [f"{v:.4f}" if isinstance(v, float) else str(v) for v in figures.values()]
        with open(self.path, "a") as file:
            # Other columns than before (a kept-out set was given, or no more): a new head.
            file.write(("" if heads[-1:] == [head] else head + "\n") + "\t".join(cells) + "\n")
        print("  ".join(f"{k} {c}" for k, c in zip(figures, cells)), flush=True)


def train(run: Run, shards: Shards, held: HeldViews | None, folder: Path, minutes: float, steps_max: int, loaders: int = 0) -> None:
    checkpoint, log = folder / "checkpoint.pt", Log(folder / "figures.tsv")
    began = saved = time.monotonic()
    sums: dict[str, float] = {}
    count, before = 0, run.minutes
    coming = batches_from(shards, run.seed, run.step, run.config, run.device, loaders)
    while True:
        now = time.monotonic()
        over = now - began > minutes * 60 or run.step >= steps_max
        if over or now - saved > run.config["train"]["checkpoint_minutes"] * 60:
            run.minutes = before + (now - began) / 60
            run.save(checkpoint, shards.names)
            figures = {"step": run.step, "minutes": run.minutes, "views": run.step * run.config["train"]["batch"], **{k: v / max(1, count) for k, v in sums.items()}}
            if held:
                figures |= held.figures(run.averaged(), run.device)
            log.row(figures)
            sums, count, saved = {}, 0, time.monotonic()
            if over:
                coming.close()
                return
        for name, value in run.learn(next(coming)).items():
            sums[name] = sums.get(name, 0.0) + value
        count += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True, help="folder of the checkpoint and the figures")
    parser.add_argument("--held", type=Path, help="kept-out set with its looks, measured at every checkpoint")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--steps", type=int, default=10**9, help="stop after so many steps in all")
    parser.add_argument("--steps-planned", type=int, default=4000, help="length of the learning-rate curve")
    parser.add_argument("--new-shards", action="store_true", help="on resuming, also read shards made since")
    parser.add_argument("--device")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--side", type=int, help="px, a multiple of 32: start small, finish larger")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--loaders", type=int, default=0, help="threads that draw batches ahead; for a GPU")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    config = read_config()
    if args.batch:
        config["train"]["batch"] = args.batch
    if args.side:
        config["train"]["side"] = args.side
    args.run.mkdir(parents=True, exist_ok=True)
    run = Run(config, pick_device(args.device), args.seed, args.steps_planned)
    names = None
    if (args.run / "checkpoint.pt").exists():
        names = run.load(args.run / "checkpoint.pt")
        names = None if args.new_shards else names
    shards = Shards(args.shards, names)
    held = HeldViews(args.held, config["train"]["side"]) if args.held else None
    print(f"{len(shards)} views in {len(shards.names)} shards; {run.device}; from step {run.step}", flush=True)
    train(run, shards, held, args.run, args.minutes, args.steps, args.loaders)


if __name__ == "__main__":
    main()
