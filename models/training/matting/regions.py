"""Fits the weights that decide regions (shared/imaging/region-weights.ts) to what `node regions.ts` measured.

    python -m matting.regions --learn LEARN.jsonl --choose CHOOSE.jsonl --confirm CONFIRM.jsonl --tags SET/tags.json

Logistic regression with a ridge around "what most passes say", by Newton's method. A region's weight is the root of its share of the
product, so that neither specks nor one great body rule. Only pairs whose licence is `clean` are fitted to. The ridge is chosen by
four-fold cross-validation on `choose`; `confirm` is only reported.
"""
from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

PASSES = 3  # the first features are the three passes' own decisions
VOTES = 2.0  # logits a vote, before anything is learned
RIDGES = (1.0, 10.0, 50.0)
WEIGHT = 0.1


def read(path: Path) -> list[dict]:
    photos = []
    for line in path.read_text().splitlines():
        photo = json.loads(line)
        photos.append(photo | {"x": np.array(photo["x"], np.float64), "area": np.array(photo["area"], float), "share": np.array(photo["share"], float)})
    return [p for p in photos if len(p["x"])]


def fit(photos: list[dict], ridge: float, steps: int = 12) -> tuple[np.ndarray, float]:
    x = np.concatenate([p["x"] for p in photos])
    wanted = np.concatenate([p["share"] for p in photos])
    weight = np.concatenate([np.sqrt(np.minimum(1, p["area"] / max(p["product"], 50))) for p in photos])
    weight *= WEIGHT * len(weight) / weight.sum()
    mean, deviation = x.mean(0), x.std(0) + 0.05
    normal = np.c_[np.ones(len(x)), (x - mean) / deviation]
    prior = VOTES * (x[:, :PASSES].sum(1) - PASSES / 2)
    held = np.eye(normal.shape[1]) * ridge
    held[0, 0] = 0
    b = np.zeros(normal.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(normal @ b + prior, -30, 30)))
        slope = normal.T @ (weight * (p - wanted)) + held @ b
        b -= np.linalg.solve((normal * (weight * np.maximum(p * (1 - p), 1e-4))[:, None]).T @ normal + held, slope)
    linear = b[1:] / deviation
    bias = float(b[0] - linear @ mean - VOTES * PASSES / 2)
    linear[:PASSES] += VOTES
    return linear, bias


def iou(photo: dict, is_product: np.ndarray) -> float:
    found, area = photo["area"] * is_product, photo["area"]
    return float((found * photo["share"]).sum() / max(photo["product"] + (found * (1 - photo["share"])).sum(), 1e-6)) if len(area) else 0.0


def report(label: str, photos: list[dict], decide) -> float:
    values = np.array([iou(p, decide(p)) for p in photos])
    print(f"{label:16s} n {len(values):3d}  IoU {values.mean():.4f}  < 0.9: {(values < 0.9).sum()}  < 0.95: {(values < 0.95).sum()}", flush=True)
    return float(values.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learn", type=Path, nargs="+", required=True)
    parser.add_argument("--choose", type=Path, required=True)
    parser.add_argument("--confirm", type=Path, required=True)
    parser.add_argument("--tags", type=Path, required=True)
    args = parser.parse_args()
    clean = {name for name, tags in json.loads(args.tags.read_text()).items() if tags["licence"] == "clean"}
    learn = [p for path in args.learn for p in read(path)]
    choose, confirm = read(args.choose), read(args.confirm)
    fold = np.random.default_rng(1).integers(0, 4, len(choose))
    figures = {}
    for ridge in RIDGES:
        logits = {}
        for k in range(4):
            linear, bias = fit(learn + [p for p, f in zip(choose, fold) if f != k and p["id"] in clean], ridge)
            logits |= {p["id"]: p["x"] @ linear + bias for p, f in zip(choose, fold) if f == k}
        figures[ridge] = report(f"ridge {ridge:g}", choose, lambda p: logits[p["id"]] > 0)
    linear, bias = fit(learn + [p for p in choose if p["id"] in clean], max(figures, key=figures.get))
    report("largest pass", confirm, lambda p: p["x"][:, :PASSES].max(1) > 0.5)
    report("most passes", confirm, lambda p: p["x"][:, :PASSES].sum(1) > PASSES / 2)
    report("fitted", confirm, lambda p: p["x"] @ linear + bias > 0)
    print(json.dumps({"bias": round(bias, 4), "weights": linear.round(4).tolist()}))


if __name__ == "__main__":
    main()
