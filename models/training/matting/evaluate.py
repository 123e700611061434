"""Measures a network on pairs with truth, beside what it is to replace.

    python -m matting.evaluate DIR --model FILE.onnx --out OUT [--looks DIR] [--pipeline MATTES]

DIR as `matting.held` describes. Candidates: `isnet` (one pass), `largest` (the looks, the largest voting), `fused` (the looks, the
network voting), `alone` (the network without looks, twice: whole frame, then the product), `pipeline` (mattes of `npm run bench --
matte DIR --out MATTES`). Mattes go to OUT/<candidate>/<subset>/NAME.png, figures to OUT/figures.md, the worst 24 to a sheet.
"""
from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from .fusion import fuse, rules_fuse, single, vote_confidence
from .held import MARGIN, Pair, network_input, pairs_in, region_of
from .looks import Box, box_of, grown, part
from .material import read_rgba
from .measures import Score, as_row, reliability, score, summary
from .sheet import contact_sheet

FOUND = 64


class Voter:
    """The exported network: photo, looks or none, box → vote float [side, side] in 0..1 over the box."""

    def __init__(self, model: Path) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.side = int(self.session.get_inputs()[0].shape[2])

    def vote(self, photo: np.ndarray, looks, box: Box) -> np.ndarray:
        return self.session.run(["output"], {"input": network_input(photo, looks, box, self.side).numpy()})[0][0, 0]


def alone(voter: Voter, photo: np.ndarray) -> tuple[np.ndarray, float]:
    """As a first pass over the frame and a second over what that found: no other model."""
    H, W = photo.shape[:2]
    frame = (0.0, 0.0, float(W), float(H))
    vote, box = voter.vote(photo, None, frame), frame
    seen = box_of((vote * 255).astype(np.uint8), FOUND)
    if seen is not None:
        fx, fy = W / voter.side, H / voter.side
        box = grown((seen[0] * fx, seen[1] * fy, seen[2] * fx, seen[3] * fy), MARGIN, W, H)
        vote = voter.vote(photo, None, box)
    out = np.zeros((H, W), np.uint8)
    x, y, w, h = (int(v) for v in box)
    out[y : y + h, x : x + w] = np.clip(cv2.resize(vote.astype(np.float32), (w, h)) * 255 + 0.5, 0, 255)
    return out, vote_confidence(vote)


def mattes_of(pair: Pair, voter: Voter | None, pipeline: Path | None) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    photo, looks = pair.photo(), pair.looks()
    H, W = photo.shape[:2]
    mattes = {"isnet": single(looks, W, H), "largest": rules_fuse(looks, W, H)}
    confidence: dict[str, float] = {}
    if voter:
        box = region_of(looks, W, H)
        vote = voter.vote(photo, looks, box)
        mattes["fused"], confidence["fused"] = fuse(looks, vote, box, W, H), vote_confidence(vote)
        mattes["alone"], confidence["alone"] = alone(voter, photo)
    if pipeline and (pipeline / pair.subset / f"{pair.name}.png").exists():
        mattes["pipeline"] = read_rgba(pipeline / pair.subset / f"{pair.name}.png")[..., 0]
    return mattes, confidence


def table(rows: list[dict], candidates: list[str], groups: dict[str, list[str]]) -> str:
    """Markdown: one line a group and candidate."""
    lines = ["| group | candidate | n | IoU mean | median | < 0.9 | < 0.95 | MAE | boundary MAE | openings open |", "|---|---|---|---|---|---|---|---|---|---|"]
    for group, names in groups.items():
        inside = set(names)
        for candidate in candidates:
            scores = [Score(**r["scores"][candidate]) for r in rows if r["name"] in inside and candidate in r["scores"]]
            if scores:
                s = summary(scores)
                lines.append(f"| {group} | {candidate} | {s['n']} | {s['iou']:.4f} | {s['median']:.4f} | {s['below_0.9']} | {s['below_0.95']} | {s['mae']:.4f} | {s['boundary_mae']:.4f} | {s['opening']:.3f} |")
    return "\n".join(lines)


def groups_of(rows: list[dict], tags: dict[str, dict]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for row in rows:
        tag = tags.get(row["name"], {})
        labels = ["all", row["name"].split("/")[0]]
        labels += ["white on white"] if tag.get("white_on_white") else []
        labels += [f"backdrop: {tag['backdrop']}"] if "backdrop" in tag else []
        labels += ["with a prop"] if tag.get("prop") else []
        labels += ["families never trained"] if tag.get("family") in ("headphones", "ring") else []
        for label in labels:
            groups.setdefault(label, []).append(row["name"])
    return groups


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--looks", type=Path)
    parser.add_argument("--pipeline", type=Path)
    parser.add_argument("--sheet-of", default="fused")
    args = parser.parse_args()
    voter = Voter(args.model) if args.model else None
    tags_file = args.folder / "tags.json"
    tags = json.loads(tags_file.read_text()) if tags_file.exists() else {}
    rows = []
    for pair in pairs_in(args.folder, args.looks):
        mattes, confidence = mattes_of(pair, voter, args.pipeline)
        truth, name = pair.truth(), f"{pair.subset}/{pair.name}"
        for candidate, matte in mattes.items():
            file = args.out / candidate / f"{name}.png"
            file.parent.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(file), matte)
        rows.append({"name": name, "confidence": confidence, "scores": {c: as_row(score(m, truth)) for c, m in mattes.items()}})
    (args.out / "figures.json").write_text(json.dumps(rows, indent=1))
    candidates = list(dict.fromkeys(c for r in rows for c in r["scores"]))
    text = table(rows, candidates, groups_of(rows, tags))
    for candidate in ("fused", "alone"):
        known = [r for r in rows if candidate in r["confidence"]]
        if known:
            text += f"\n\nConfidence of `{candidate}`: " + "; ".join(
                f"≥ {r['from']}: {r['right']} of {r['n']} right" for r in reliability([k["confidence"][candidate] for k in known], [k["scores"][candidate]["iou"] for k in known]))
    (args.out / "figures.md").write_text(text + "\n")
    print(text)
    worst = sorted((r for r in rows if args.sheet_of in r["scores"]), key=lambda r: r["scores"][args.sheet_of]["iou"])[:24]
    columns = [c for c in ("isnet", "pipeline", args.sheet_of, "alone") if c in candidates]
    contact_sheet([sheet_row(args.folder, args.out, r, list(dict.fromkeys(columns))) for r in worst], args.out / "worst.png")


def sheet_row(folder: Path, out: Path, row: dict, columns: list[str]) -> list[tuple[str, np.ndarray]]:
    """Photo, truth, then a matte per candidate with its IoU."""
    cells = [(row["name"], read_rgba(folder / f"{row['name']}.jpg")[..., :3]), ("truth", read_rgba(folder / f"{row['name']}.mask.png")[..., :3])]
    for c in columns:
        file = out / c / f"{row['name']}.png"
        if c in row["scores"]:
            cells.append((f"{c} {row['scores'][c]['iou']:.3f}", read_rgba(file)[..., :3]))
    return cells


if __name__ == "__main__":
    main()
