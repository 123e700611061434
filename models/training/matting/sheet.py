"""Contact sheets, to look at."""
from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

CELL = 150


def contact_sheet(rows: list[list[tuple[str, np.ndarray]]], path: Path, per_line: int = 2) -> None:
    """Each row: (label, RGB) cells; `per_line` rows side by side."""
    widest = max(map(len, rows), default=0)
    strips = []
    for row in rows:
        strip = np.full((CELL + 16, widest * (CELL + 4), 3), 96, np.uint8)
        for i, (label, picture) in enumerate(row):
            factor = CELL / max(picture.shape[:2])
            small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
            strip[16 : 16 + small.shape[0], i * (CELL + 4) : i * (CELL + 4) + small.shape[1]] = small
            cv2.putText(strip, label[-24:], (i * (CELL + 4) + 2, 12), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (255, 255, 255), 1, cv2.LINE_AA)
        strips.append(strip)
    while len(strips) % per_line:
        strips.append(np.zeros_like(strips[0]))
    lines = [np.hstack(strips[i : i + per_line]) for i in range(0, len(strips), per_line)]
    if lines:
        cv2.imwrite(str(path), np.vstack(lines)[..., ::-1])


def main() -> None:
    """`python -m matting.sheet SHARD.npy OUT.png`: the views of a shard: photo, alpha, the three looks, what may be learned."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("shard", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    views = np.load(args.shard, mmap_mode="r")
    names = ("alpha", "fine", "coarse", "close", "known")
    rows = [[("photo", np.ascontiguousarray(v[..., :3])), *((n, np.repeat(v[..., 3 + i : 4 + i], 3, 2)) for i, n in enumerate(names))] for v in views]
    contact_sheet(rows, args.out)


if __name__ == "__main__":
    main()
