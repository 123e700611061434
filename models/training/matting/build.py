"""Makes the data set: shards of views for training, and kept-out photos with their truth for measuring.

    python -m matting.build views  --train-dir DIR --raw RAW --isnet FILE --out OUT --count 1000    (without --isnet: bare views)
    python -m matting.build photos --train-dir DIR --raw RAW --isnet FILE --out OUT --count 300
    python -m matting.build held   --train-dir DIR --raw RAW --out OUT --count 100

A shard is one `.npy` of uint8 [n, side, side, 8]: RGB, alpha, fine, coarse, close look, known (255 where alpha may be learned).
Shard k depends on the seed and k alone; one that exists is not made again, so the command can be stopped and repeated.
"""
from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cv2
import numpy as np

from .compose import Scene, compose
from .looks import Box, Infer, Looks, box_of, grown, load_isnet, looks_in, part, resized, take_looks
from .material import read_config, read_manifest, read_rgba, sources

PER_SHARD = 16
CHANNELS = 8
# Photos whose licence is clean but which show rooms, animals or shelves rather than products teach the looks' own mistakes.
PHOTO_CATEGORIES = ("clothing:", "outdoor gear", "home/tools", "waste:", "object:lamp", "object:headphone", "object:camera", "object:cellphone",
                    "object:ewer", "object:cup", "object:umbrella", "object:watch", "object:scissors", "object:chair", "object:windsor_chair",
                    "object:electric_guitar", "object:laptop", "object:stapler", "object:chandelier", "object:menorah")
AGREEMENT_FOR_LABELS = 0.85


def view_of(photo: np.ndarray, alpha: np.ndarray, known: np.ndarray, looks: Looks, box: Box, side: int) -> np.ndarray:
    H, W = alpha.shape
    planes = [part(photo, box, side, side), part(alpha, box, side, side)]
    planes += looks_in(looks, (W, H), box, side, side)
    planes.append(part(known, box, side, side))
    return np.dstack(planes)


def boxes_for(rng: np.random.Generator, config: dict, seen: tuple[int, int, int, int] | None, width: int, height: int) -> list[Box]:
    """Two parts of the frame to learn from: usually the product and a margin, as the pipeline's own third look."""
    frame = (0.0, 0.0, float(width), float(height))
    if seen is None:
        return [frame, frame]
    near = lambda: grown(tuple(map(float, seen)), rng.uniform(*config["views"]["margin"]), width, height)
    return [near(), frame if rng.random() < 2 * config["views"]["whole"] else near()]


def look_scale(rng: np.random.Generator, config: dict) -> float:
    v = config["views"]
    return v["small_look_scale"] if rng.random() < v["small_looks"] else 1.0


def views_of(scene: Scene, infer: Infer, rng: np.random.Generator, config: dict) -> list[np.ndarray]:
    looks = take_looks(scene.photo, infer, look_scale(rng, config))
    H, W = scene.alpha.shape
    found = np.maximum(resized(looks.fine, W, H), resized(looks.coarse, W, H))
    # Where the looks see something else, their box leads, as it will at work; where they see nothing, the truth's.
    seen = box_of(found, 64) or box_of(scene.alpha, 64)
    known = np.full((H, W), 255, np.uint8)
    return [view_of(scene.photo, scene.alpha, known, looks, box, config["views"]["side"]) for box in boxes_for(rng, config, seen, W, H)]


_state: dict = {}


def _start(raw: Path, manifest: Path, isnet: Path | None, unclear: bool) -> None:
    cv2.setNumThreads(1)
    config = read_config()
    _state.update(config=config, sources=sources(raw, manifest, config, held=False, unclear=unclear), infer=load_isnet(isnet) if isnet else None)


def write_whole(path: Path, array: np.ndarray) -> None:
    """A file is there whole or not at all."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    with open(partial, "wb") as file:
        np.save(file, array)
    partial.rename(path)


def bare_views_of(scene: Scene, rng: np.random.Generator, config: dict) -> list[np.ndarray]:
    """One view without looks (their planes are 0): a tenth of the cost, for learning to see without them."""
    H, W = scene.alpha.shape
    side = config["views"]["side"]
    box = boxes_for(rng, config, box_of(scene.alpha, 64), W, H)[int(rng.integers(2))]
    planes = [part(scene.photo, box, side, side), part(scene.alpha, box, side, side), np.zeros((side, side, 3), np.uint8), np.full((side, side), 255, np.uint8)]
    return [np.dstack(planes)]


def _views_shard(job: tuple[int, int, Path]) -> str:
    seed, index, path = job
    began, rng = time.time(), np.random.default_rng([seed, index])
    views = []
    for _ in range(PER_SHARD):
        scene = compose(rng, _state["sources"], _state["config"])
        config, infer = _state["config"], _state["infer"]
        views += views_of(scene, infer, rng, config) if infer else bare_views_of(scene, rng, config)
    write_whole(path, np.stack(views))
    return f"{path.name} {len(views)} views {time.time() - began:.0f} s"


def _photos_shard(job: tuple[int, int, Path, list[Path]]) -> str:
    seed, index, path, files = job
    rng, config = np.random.default_rng([seed, index, 1]), _state["config"]
    views = []
    for file in files:
        photo = read_rgba(file)[..., :3]
        H, W = photo.shape[:2]
        looks = take_looks(photo, _state["infer"], look_scale(rng, config))
        seen = box_of(looks.fine, 64)
        if looks.agreement < AGREEMENT_FOR_LABELS or seen is None:
            continue
        stack = np.stack([m.astype(np.float32) for m in looks_in(looks, (W, H), (0.0, 0.0, float(W), float(H)), W, H)])
        sure = (stack > 242).all(0) | (stack < 13).all(0)
        # One look's edge against another's: leave a seam between the sure regions to the composites.
        known = cv2.erode(sure.astype(np.uint8) * 255, np.ones((3, 3)))
        box = boxes_for(rng, config, box_of(np.clip(stack.mean(0), 0, 255).astype(np.uint8), 64), W, H)[0]
        views.append(view_of(photo, stack.mean(0).astype(np.uint8), known, looks, box, config["views"]["side"]))
    write_whole(path, np.stack(views) if views else np.zeros((0, config["views"]["side"], config["views"]["side"], CHANNELS), np.uint8))
    return f"{path.name} {len(views)} of {len(files)} photos agreed"


def held_set(raw: Path, manifest: Path, out: Path, count: int, seed: int) -> None:
    """OUT/objects and OUT/scenes: NAME.jpg, NAME.mask.png, and tags.json, as in the evaluation pairs. Objects: kept-out cut-outs, each
    in several scenes. Scenes: rendered products with other seeds, a sixth of them of families never trained on."""
    config = read_config()
    kept = sources(raw, manifest, config, held=True)
    tags = {}
    for subset, rendered in (("objects", False), ("scenes", True)):
        folder = out / subset
        folder.mkdir(parents=True, exist_ok=True)
        for i in range(count):
            rng = np.random.default_rng([seed, i, int(rendered)])
            scene = compose(rng, kept, config, rendered=rendered)
            while not (scene.alpha > 127).mean() > 0.003 or (not rendered and scene.tags["rendered"]):
                scene = compose(rng, kept, config, rendered=rendered)
            name = f"{i:03d}"
            cv2.imwrite(str(folder / f"{name}.jpg"), scene.photo[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 97])
            cv2.imwrite(str(folder / f"{name}.mask.png"), scene.alpha)
            tags[f"{subset}/{name}"] = scene.tags
    (out / "tags.json").write_text(json.dumps(tags, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["views", "photos", "held"])
    parser.add_argument("--train-dir", type=Path, required=True, help="folder with MANIFEST.tsv")
    parser.add_argument("--raw", type=Path, required=True, help="folder the tars were unpacked into")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--isnet", type=Path)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--unclear", action="store_true", help="also unlicensed cut-outs; never for weights that ship")
    args = parser.parse_args()
    manifest = args.train_dir / "MANIFEST.tsv"
    args.out.mkdir(parents=True, exist_ok=True)
    if args.what == "held":
        held_set(args.raw, manifest, args.out, args.count, args.seed + 1_000_000)
        return
    if args.what == "views":
        jobs = [(args.seed if args.isnet else args.seed + 1, i, args.out / f"{'views' if args.isnet else 'bare'}-{i:04d}.npy") for i in range(-(-args.count // PER_SHARD))]
        work = _views_shard
    else:
        rows = [r for r in read_manifest(manifest) if r["kind"] == "photo" and r["file"].startswith("clean/") and r["category"].startswith(PHOTO_CATEGORIES)]
        files = [args.raw / r["file"] for r in rows if (args.raw / r["file"]).exists()]
        order = np.random.default_rng(args.seed).permutation(len(files))[: args.count]
        chosen = [files[i] for i in order]
        jobs = [(args.seed, k, args.out / f"photos-{k:04d}.npy", chosen[i : i + PER_SHARD]) for k, i in enumerate(range(0, len(chosen), PER_SHARD))]
        work = _photos_shard
    jobs = [job for job in jobs if not job[2].exists()]
    with ProcessPoolExecutor(args.workers, initializer=_start, initargs=(args.raw, manifest, args.isnet, args.unclear)) as pool:
        for line in pool.map(work, jobs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
