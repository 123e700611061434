"""Shards → batches, on whichever device. A batch depends on the seed and the step alone, so a resumed run sees what an uninterrupted one would."""
from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor

from .evidence import backdrop_evidence
from .net import MEAN, SCALE

KINDS = ("views", "bare", "photos")
PRIORS = 4  # fine, coarse, close, backdrop evidence


@dataclass
class Batch:
    """x [N, 7, S, S] as the network takes it; alpha, known [N, 1, S, S] in 0..1; weight [N] of each sample in the loss."""

    x: Tensor
    alpha: Tensor
    known: Tensor
    weight: Tensor


class Shards:
    """All views of a folder, memory-mapped. The file's name tells composites with looks (`views-`), composites without (`bare-`) and
    pseudo-labelled photos (`photos-`) apart. A batch takes its shares of `bare` and `photos` as the configuration says."""

    def __init__(self, folder: Path, names: list[str] | None = None) -> None:
        self.names = names or sorted(p.name for p in folder.glob("*.npy"))
        self.maps = [np.load(folder / name, mmap_mode="r") for name in self.names]
        self.index: dict[str, list[tuple[int, int]]] = {kind: [] for kind in KINDS}
        for m, (name, each) in enumerate(zip(self.names, self.maps)):
            self.index[name.split("-")[0]] += [(m, i) for i in range(len(each))]
        if not self.index["views"]:
            raise ValueError(f"no views in {folder}")

    def __len__(self) -> int:
        return sum(map(len, self.index.values()))

    def take(self, rng: np.random.Generator, count: int, shares: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """uint8 [n, S, S, 8], and the kind of each."""
        kinds = [kind for kind in KINDS if self.index[kind]]
        odds = np.array([shares[kind] for kind in kinds])
        drawn = rng.choice(kinds, count, p=odds / odds.sum())
        where = [self.index[kind][int(rng.integers(len(self.index[kind])))] for kind in drawn]
        return np.stack([self.maps[m][i] for m, i in where]), drawn


def with_priors(rgb: Tensor, looks: Tensor | None) -> Tensor:
    """rgb [N, 3, S, S] in 0..255, looks [N, 3, S, S] in 0..1 (None: a first pass, which has none) → [N, 7, S, S]. Absent looks are 0."""
    evidence = backdrop_evidence(rgb, looks)
    channels = torch.zeros_like(rgb) if looks is None else looks * 2 - 1
    return torch.cat([(rgb - MEAN) / SCALE, channels, evidence], 1)


def draw(shards: Shards, seed: int, step: int, config: dict, device: torch.device) -> Batch:
    """The batch of a step: random views, cropped, flipped, re-lit, priors sometimes withheld."""
    t = config["train"]
    rng = np.random.default_rng([seed, step])
    raw, kinds = shards.take(rng, t["batch"], t["shares"])
    views = np.stack([_cropped(view, rng, t["side"]) for view in raw])
    views = torch.from_numpy(views).to(device).permute(0, 3, 1, 2).float()
    rgb, alpha, looks, known = views[:, :3], views[:, 3:4] / 255, views[:, 4:7] / 255, views[:, 7:8]
    rgb = _relit(rgb, rng)
    n = len(raw)
    whole_drop = (rng.random(n) < t["all_priors_dropped"]) | (kinds == "bare")
    x = with_priors(rgb, looks)
    if whole_drop.any():
        at = torch.from_numpy(np.flatnonzero(whole_drop)).to(device)
        x[at] = with_priors(rgb[at], None)
    for i in np.flatnonzero(~whole_drop & (rng.random(n) < t["one_prior_dropped"])):
        x[i, 3 + int(rng.integers(PRIORS))] = 0
    weight = torch.from_numpy(np.where(kinds == "photos", t["pseudo_weight"], 1.0).astype(np.float32)).to(device)
    return Batch(x.contiguous(memory_format=torch.channels_last), alpha, (known > 250).float(), weight)


def batches_from(shards: Shards, seed: int, step: int, config: dict, device: torch.device, loaders: int) -> Iterator[Batch]:
    """The batches of `step` and all after it, drawn ahead by `loaders` threads (0: when asked for)."""
    if loaders == 0:
        while True:
            yield draw(shards, seed, step, config, device)
            step += 1
    with ThreadPoolExecutor(loaders) as pool:
        ahead = deque(pool.submit(draw, shards, seed, step + i, config, device) for i in range(2 * loaders))
        step += 2 * loaders
        try:
            while True:
                yield ahead.popleft().result()
                ahead.append(pool.submit(draw, shards, seed, step, config, device))
                step += 1
        finally:
            for each in ahead:
                each.cancel()


def _cropped(view: np.ndarray, rng: np.random.Generator, side: int) -> np.ndarray:
    """A window of 0.8–1 of the view each way, independently (so aspect varies), at `side`; mirrored half the time."""
    height, width, _ = view.shape
    if rng.random() < 0.6:
        h, w = (int(round(length * rng.uniform(0.8, 1))) for length in (height, width))
        y, x = int(rng.integers(height - h + 1)), int(rng.integers(width - w + 1))
        view = view[y : y + h, x : x + w]
    if rng.random() < 0.5:
        view = view[:, ::-1]
    # At most four channels at a time, says OpenCV of averaging over areas.
    return np.dstack([cv2.resize(np.ascontiguousarray(planes), (side, side), interpolation=cv2.INTER_AREA) for planes in (view[..., :4], view[..., 4:])])


def _relit(rgb: Tensor, rng: np.random.Generator) -> Tensor:
    """Mild gain and gamma per sample, rounding kept out: the composites were lit and coded already."""
    n = len(rgb)
    gain = torch.from_numpy(rng.uniform(0.9, 1.08, (n, 1, 1, 1)).astype(np.float32)).to(rgb.device)
    tint = torch.from_numpy(rng.normal(1, 0.015, (n, 3, 1, 1)).astype(np.float32)).to(rgb.device)
    lit = (rgb * gain * tint).clamp(0, 255)
    keep = torch.from_numpy((rng.random((n, 1, 1, 1)) < 0.5).astype(np.float32)).to(rgb.device)
    return rgb * keep + lit * (1 - keep)
