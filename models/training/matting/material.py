"""Where pictures come from: the manifest, its licences, and the split by repository."""
from __future__ import annotations

import csv
import tomllib
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from .compose import Sources, training_families
from .products import FAMILIES
from .shapes import Sprite, continued

# Photos so full that nothing in them is the one product: market stalls, laid tables.
CLUTTER = ("grocery:Fruit", "grocery:Vegetables", "food")
CONFIG = Path(__file__).resolve().parent.parent / "config.toml"


def read_config(path: Path = CONFIG) -> dict:
    with open(path, "rb") as file:
        return tomllib.load(file)


def read_manifest(manifest: Path) -> list[dict[str, str]]:
    with open(manifest, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_rgba(path: Path) -> np.ndarray:
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None:
        raise ValueError(f"{path} cannot be read")
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    order = cv2.COLOR_BGRA2RGBA if picture.shape[2] == 4 else cv2.COLOR_BGR2RGB
    return cv2.cvtColor(picture, order)


@lru_cache(maxsize=512)
def read_sprite(path: Path) -> Sprite:
    rgba = read_rgba(path).astype(np.float32) / 255
    return Sprite(continued(rgba[..., :3], rgba[..., 3]), np.ascontiguousarray(rgba[..., 3]))


@lru_cache(maxsize=1024)
def read_background(path: Path) -> np.ndarray:
    picture = read_rgba(path)[..., :3]
    longest = max(picture.shape[:2])
    return picture if longest <= 1000 else cv2.resize(picture, None, fx=1000 / longest, fy=1000 / longest, interpolation=cv2.INTER_AREA)


def sources(raw: Path, manifest: Path, config: dict, held: bool, unclear: bool = False) -> Sources:
    """Material under `raw` (the unpacked tars). `held`: only what is kept out of training. `unclear`: also what has no stated
    licence, for measuring what more data would bring; weights trained so must not ship."""
    kept_out = set(config["split"]["held_repositories"])
    roots = ("clean/", "unclear/") if unclear else ("clean/",)
    rows = [r for r in read_manifest(manifest) if r["file"].startswith(roots) and (raw / r["file"]).exists()]
    cutouts = [r for r in rows if r["kind"] == "cutout" and (r["repo"] in kept_out) == held]
    backgrounds = [r for i, r in enumerate(r for r in rows if r["kind"] == "background") if (i % 8 == 0) == held]
    photos = [r for r in rows if r["kind"] == "photo" and r["category"].startswith(CLUTTER) and (r["repo"] in kept_out) == held]
    return Sources(
        clutter=[(lambda r=r: read_background(raw / r["file"])) for r in photos],
        cutouts=[(lambda r=r: (read_sprite(raw / r["file"]), r["category"])) for r in cutouts],
        backgrounds=[(lambda r=r: read_background(raw / r["file"])) for r in backgrounds],
        families=list(FAMILIES) if held else training_families(),
    )
