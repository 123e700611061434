"""The looks and the network's vote → one matte: the vote says what is product, the looks that agree with it there draw the edge.

The same as the pipeline's `fusePasses`, with the learned vote in the place of the largest look.
"""
from __future__ import annotations

import cv2
import numpy as np

from .looks import Box, Looks, looks_in, part

GRID = 1024
# Trust in the edges of fine, coarse and close look, and of the vote itself, which speaks where no look agrees with it.
TRUST = (1.0, 0.2, 1.0)
VOTE_TRUST = 0.02
# Found flat on the kept-out set: neighbourhoods of 4 to 16 samples, tolerances of 0.12 to 0.3.
NEIGHBOURHOOD = 8.0
TOLERANCE = 0.2
LOOK_LEVELS, FUSED_LEVELS = (8, 247), (30, 225)


def levels(matte: np.ndarray, low: float, high: float) -> np.ndarray:
    """0..255 floats with `low` → 0 and `high` → 255."""
    return np.clip((matte - low) * (255 / (high - low)), 0, 255)


def grid_of(box: Box) -> tuple[int, int]:
    """At most GRID samples along the longer side, not finer than the photo."""
    factor = min(1.0, GRID / max(box[2], box[3]))
    return max(1, round(box[2] * factor)), max(1, round(box[3] * factor))


def fuse(looks: Looks, vote: np.ndarray, box: Box, width: int, height: int) -> np.ndarray:
    """`vote` float [h, w] in 0..1 over `box` → uint8 matte [height, width] of the photo; background outside the box."""
    w, h = grid_of(box)
    planes = [levels(p.astype(np.float32), *LOOK_LEVELS) for p in looks_in(looks, (width, height), box, w, h)]
    wanted = cv2.resize(vote.astype(np.float32) * 255, (w, h), interpolation=cv2.INTER_LINEAR)
    sigma = max(1.0, NEIGHBOURHOOD * max(w, h) / GRID)
    around = lambda plane: cv2.GaussianBlur(plane, (0, 0), sigma)
    aim = around(wanted)
    # Where the vote is undecided, as along every edge, it may not judge the looks: all of them are heard.
    sure = around(np.abs(2 * wanted - 255) / 255) ** 2
    total, says = VOTE_TRUST * sure * wanted, VOTE_TRUST * sure
    for plane, trust in zip(planes, TRUST):
        say = trust * np.exp(-((sure * (around(plane) - aim) / (TOLERANCE * 255)) ** 2)) + 1e-6
        total, says = total + say * plane, says + say
    inside = levels(total / says, *FUSED_LEVELS)
    out = np.zeros((height, width), np.uint8)
    x, y, bw, bh = (int(v) for v in box)
    sized = cv2.resize(inside, (bw, bh), interpolation=cv2.INTER_LINEAR)
    out[y : y + bh, x : x + bw] = np.clip(sized + 0.5, 0, 255).astype(np.uint8)
    return out


def rules_fuse(looks: Looks, width: int, height: int) -> np.ndarray:
    """The pipeline's own vote, the largest look, by the same code: what the learned vote is measured against beside the pipeline itself."""
    box = (0.0, 0.0, float(width), float(height))
    planes = np.stack(looks_in(looks, (width, height), box, *grid_of(box)))
    return fuse(looks, planes.max(0).astype(np.float32) / 255, box, width, height)


def single(looks: Looks, width: int, height: int) -> np.ndarray:
    """One pass of the network at full size and nothing else."""
    return part(looks.fine, (0.0, 0.0, float(looks.fine.shape[1]), float(looks.fine.shape[0])), width, height)


def vote_confidence(vote: np.ndarray) -> float:
    """The intersection over union that the vote expects of its own decision."""
    decided = vote > 0.5
    either = np.where(decided, 1.0, vote).sum()
    return float(np.where(decided, vote, 0).sum() / either) if either > 0 else 0.0
