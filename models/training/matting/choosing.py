"""Makes the choosing set: pairs with exact truth, a fixed number of each class, in parts.

    python -m matting.choosing --train-dir DIR --raw RAW --out OUT [--parts learn choose confirm] [--times 3]

OUT/<part>-<class>/NNN.jpg and .mask.png, OUT/tags.json. Learned constants are fitted to `learn` (licence `clean` alone), rules and sizes
chosen on `choose`, and what was chosen is confirmed on `confirm`, which shares no cut-out's repository and no background with the others.
A pair depends on its part, class and number alone: a larger set (`--times`) begins with the same pairs.
"""
from __future__ import annotations

import argparse
import copy
import json
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np

from .compose import Sources, compose
from .material import CLUTTER, read_background, read_config, read_manifest, read_sprite
from .products import FAMILIES

HALVES = ("choose", "confirm")
# Part → half of the material, share of CLASSES' numbers.
PARTS = {"learn": ("choose", 1.5), "choose": ("choose", 1.0), "confirm": ("confirm", 1.0)}
SEED = 20_261_121
PART_SEEDS = {"choose": 0, "confirm": 1, "learn": 2}
OPEN = ["bag", "mug", "cord", "chain", "frame", "headphones", "ring", "furniture"]
SOLID = [f for f in FAMILIES if f not in ("glass", "cord", "chain")]
PLAIN = {"plain": 1.0, "sweep": 0.0, "white_on_white": 0.0}
SCENE = {"plain": 0.0, "sweep": 0.0, "white_on_white": 0.0, "reflection": 0.0}
# Class → pairs a half, rendered products or cut-outs, what differs from config.toml, families.
CLASSES: dict[str, tuple[int, bool, dict, list[str]]] = {
    "white": (30, False, PLAIN | {"plain_pure_white": 1.0, "reflection": 0.04}, []),
    "off-white": (26, False, PLAIN | {"plain_pure_white": 0.0, "plain_tinted": 0.0}, []),
    "coloured": (18, False, PLAIN | {"plain_pure_white": 0.0, "plain_tinted": 1.0}, []),
    "sweep": (20, False, {"plain": 0.0, "sweep": 1.0, "white_on_white": 0.0}, []),
    "scene": (20, False, SCENE | {"clutter": 0.0}, []),
    "clutter": (18, False, SCENE | {"clutter": 1.0}, []),
    "white-on-white": (24, True, PLAIN | {"white_on_white": 1.0, "white_on_white_levels": [3, 8]}, SOLID),
    "openings": (22, True, {"plain": 0.7, "sweep": 0.3, "white_on_white": 0.0, "plain_pure_white": 0.5}, OPEN),
    "glass": (8, True, {"plain": 0.6, "sweep": 0.2, "white_on_white": 0.0}, ["glass"]),
    "rendered-scene": (14, True, SCENE | {"clutter": 0.4}, list(FAMILIES)),
}
SCENE_SHARES = {"longer_side": [640, 1000], "scale": [0.3, 0.95], "several": 0.06, "partly_outside": 0.06, "prop": 0.12}
JPEG = [50, 95]


def half_of(name: str) -> str:
    return HALVES[crc32(name.encode()) % 2]


def licence_of(row: dict[str, str]) -> str:
    return row["file"].split("/")[0]


def material(raw: Path, manifest: Path, half: str) -> tuple[dict[str, list], Sources]:
    """Cut-outs by repository, and everything else. Soft shadows baked into a file's alpha would count as product: left out."""
    rows = [r for r in read_manifest(manifest) if (raw / r["file"]).exists()]
    cutouts: dict[str, list] = {}
    for row in rows:
        if row["kind"] != "cutout" or half_of(row["repo"]) != half or max(int(row["width"]), int(row["height"])) < 240:
            continue
        if "partial alpha" in row["note"] or (licence_of(row) == "unclear" and row["alpha"] != "file alpha"):
            continue
        cutouts.setdefault(row["repo"], []).append(row)
    backgrounds = [r for i, r in enumerate(r for r in rows if r["kind"] == "background") if HALVES[i % 2] == half]
    clutter = [r for i, r in enumerate(r for r in rows if r["kind"] == "photo" and r["category"].startswith(CLUTTER)) if HALVES[i % 2] == half]
    load = lambda r: (lambda: read_background(raw / r["file"]))
    return cutouts, Sources(cutouts=[], families=list(FAMILIES), backgrounds=[load(r) for r in backgrounds], clutter=[load(r) for r in clutter])


def chosen_cutouts(rng: np.random.Generator, cutouts: dict[str, list], raw: Path, wanted: str) -> tuple[list, list[str]]:
    """Four cut-outs of one licence, a repository drawn by the root of its size, so that no shop makes the set."""
    repositories = sorted(repo for repo, rows in cutouts.items() if licence_of(rows[0]) == wanted)
    weights = np.sqrt([len(cutouts[repo]) for repo in repositories])
    rows = []
    for _ in range(4):
        of = cutouts[repositories[int(rng.choice(len(repositories), p=weights / weights.sum()))]]
        rows.append(of[int(rng.integers(len(of)))])
    return [(lambda r=r: (read_sprite(raw / r["file"]), r["category"])) for r in rows], sorted({r["repo"] for r in rows})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train-dir", type=Path, required=True)
    parser.add_argument("--raw", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--times", type=float, default=1.0, help="pairs for each one of the fixed numbers")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    tags: dict[str, dict] = {}
    for part, (half, scale) in PARTS.items():
        if part not in args.parts:
            continue
        cutouts, rest = material(args.raw, args.train_dir / "MANIFEST.tsv", half)
        for name, (count, rendered, differs, families) in CLASSES.items():
            config = copy.deepcopy(read_config())
            config["scene"] |= SCENE_SHARES | differs
            config["camera"]["jpeg"] = JPEG
            folder = args.out / f"{part}-{name}"
            folder.mkdir(parents=True, exist_ok=True)
            for i in range(round(count * scale * args.times)):
                seed = [SEED, PART_SEEDS[part], crc32(name.encode()), i]
                # Cut-outs take turns: clean ones may be learned from, the others only measured on.
                licence = "clean" if rendered or part == "learn" or i % 2 == 0 else "unclear"
                scene, repositories, attempt = None, [], 0
                while scene is None or not 0.02 < (scene.alpha > 127).mean() < 0.85:
                    rng = np.random.default_rng([*seed, attempt])
                    loaders, repositories = ([], []) if rendered else chosen_cutouts(rng, cutouts, args.raw, licence)
                    rest.cutouts, rest.families = loaders, families or list(FAMILIES)
                    scene, attempt = compose(rng, rest, config, rendered=rendered), attempt + 1
                cv2.imwrite(str(folder / f"{i:03d}.jpg"), scene.photo[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 97])
                cv2.imwrite(str(folder / f"{i:03d}.mask.png"), scene.alpha)
                tags[f"{part}-{name}/{i:03d}"] = {**scene.tags, "class": name, "part": part, "licence": licence, "repositories": repositories}
            print(part, name, flush=True)
    (args.out / "tags.json").write_text(json.dumps(tags, indent=1))


if __name__ == "__main__":
    main()
