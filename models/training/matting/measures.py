"""How near a matte comes to the truth; the same measures as the project's matte bench, and openings and confidence besides."""
from __future__ import annotations

from dataclasses import asdict, dataclass

import cv2
import numpy as np

BAND_SHARE, BAND_PX_MIN = 1 / 200, 3
OPENING_SHARE_MIN = 0.0003


@dataclass
class Score:
    """`iou` of what is more product than background; `mae` 0..1 over the frame and `boundary_mae` within the band around the true
    outline; `opening` the share of true openings' pixels that are open, or None where there is none."""

    iou: float
    mae: float
    boundary_mae: float
    opening: float | None


def band(truth: np.ndarray) -> np.ndarray:
    """bool [H, W]: within 1/200 of the longer side (3 px at least) of a pixel whose right or lower neighbour is on the other side."""
    inside = truth > 127
    edge = np.zeros(truth.shape, np.uint8)
    edge[:, :-1] |= inside[:, :-1] != inside[:, 1:]
    edge[:-1] |= inside[:-1] != inside[1:]
    # Halves round up, as Math.round does.
    reach = max(BAND_PX_MIN, int(np.floor(max(truth.shape) * BAND_SHARE + 0.5)))
    return cv2.dilate(edge, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)) > 0


def openings(truth: np.ndarray) -> np.ndarray:
    """bool [H, W]: background enclosed by product, specks left out."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats((truth <= 127).astype(np.uint8), connectivity=4)
    H, W = truth.shape
    enclosed = np.zeros(count, bool)
    for i in range(1, count):
        x, y, w, h, area = stats[i]
        enclosed[i] = x > 0 and y > 0 and x + w < W and y + h < H and area >= OPENING_SHARE_MIN * H * W
    return enclosed[labels]


def score(matte: np.ndarray, truth: np.ndarray) -> Score:
    """Both uint8 [H, W] of the same size."""
    apart = np.abs(matte.astype(np.int16) - truth.astype(np.int16)) / 255
    found, wanted = matte > 127, truth > 127
    either = np.count_nonzero(found | wanted)
    around, open_ = band(truth), openings(truth)
    return Score(
        iou=np.count_nonzero(found & wanted) / either if either else 1.0,
        mae=float(apart.mean()),
        boundary_mae=float(apart[around].mean()) if around.any() else 0.0,
        opening=float((matte[open_] <= 127).mean()) if open_.any() else None,
    )


def summary(scores: list[Score]) -> dict[str, float | int]:
    ious = sorted(s.iou for s in scores)
    open_ = [s.opening for s in scores if s.opening is not None]
    return {
        "n": len(scores), "iou": float(np.mean(ious)), "median": ious[len(ious) // 2], "min": ious[0],
        "below_0.9": sum(i < 0.9 for i in ious), "below_0.95": sum(i < 0.95 for i in ious),
        "mae": float(np.mean([s.mae for s in scores])), "boundary_mae": float(np.mean([s.boundary_mae for s in scores])),
        "opening": float(np.mean(open_)) if open_ else float("nan"),
    }


def reliability(confidence: list[float], ious: list[float], right: float = 0.95) -> list[dict[str, float | int]]:
    """How often a result of some confidence is right (IoU ≥ `right`)."""
    edges = [0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0001]
    rows = []
    for low, high in zip(edges, edges[1:]):
        hits = [i >= right for c, i in zip(confidence, ious) if low <= c < high]
        rows.append({"from": low, "n": len(hits), "right": sum(hits)})
    return rows


def as_row(each: Score) -> dict[str, float | None]:
    return asdict(each)
