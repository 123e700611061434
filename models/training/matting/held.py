"""Kept-out photos with truth, and the looks at them: DIR/<subset>/NAME.jpg, NAME.mask.png, NAME.looks.npz.

    python -m matting.held DIR --isnet FILE        takes the looks that are missing
"""
from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from .batches import with_priors
from .looks import Box, Looks, box_of, grown, load_isnet, looks_in, part, resized, take_looks
from .material import read_rgba

MARGIN = 0.12


@dataclass
class Pair:
    subset: str
    name: str
    photo_path: Path
    truth_path: Path
    looks_path: Path

    def photo(self) -> np.ndarray:
        return read_rgba(self.photo_path)[..., :3]

    def truth(self) -> np.ndarray:
        """uint8 [H, W]."""
        return read_rgba(self.truth_path)[..., 0]

    def looks(self) -> Looks:
        with np.load(self.looks_path) as file:
            close = file["close"]
            return Looks(file["fine"], file["coarse"], close if close.size else None, tuple(file["region"].tolist()), float(file["agreement"]))


def pairs_in(folder: Path, looks_folder: Path | None = None) -> list[Pair]:
    """`looks_folder`: where the looks lie if not beside the photos."""
    out = []
    # By name first: whatever part of the looks exists is spread over the subsets.
    for mask in sorted(folder.glob("*/*.mask.png"), key=lambda path: (path.name, path.parent.name)):
        name = mask.name.removesuffix(".mask.png")
        looks = (looks_folder or folder) / mask.parent.name / f"{name}.looks.npz"
        out.append(Pair(mask.parent.name, name, mask.parent / f"{name}.jpg", mask, looks))
    return out


def region_of(looks: Looks, width: int, height: int) -> Box:
    """What the network is shown: what any look sees and a margin; the whole frame where none sees anything."""
    seen = box_of(np.maximum(looks.fine, resized(looks.coarse, *looks.fine.shape[::-1])), 64)
    if seen is None:
        return (0.0, 0.0, float(width), float(height))
    fx, fy = width / looks.fine.shape[1], height / looks.fine.shape[0]
    return grown((seen[0] * fx, seen[1] * fy, seen[2] * fx, seen[3] * fy), MARGIN, width, height)


def network_input(photo: np.ndarray, looks: Looks | None, box: Box, side: int) -> torch.Tensor:
    """[1, 7, side, side]. Without looks: as a first pass."""
    height, width = photo.shape[:2]
    rgb = torch.from_numpy(part(photo, box, side, side)).permute(2, 0, 1)[None].float()
    if looks is None:
        return with_priors(rgb, None)
    planes = np.stack(looks_in(looks, (width, height), box, side, side)).astype(np.float32) / 255
    return with_priors(rgb, torch.from_numpy(planes)[None])


class HeldViews:
    """Every pair of a kept-out set once as the network sees it at work, and once without looks; figures at the network's size."""

    def __init__(self, folder: Path, side: int, most: int = 160) -> None:
        pairs = [p for p in pairs_in(folder) if p.looks_path.exists()]
        pairs = pairs[:: max(1, len(pairs) // most)]
        self.subsets = [p.subset for p in pairs]
        x, bare, truth, first = [], [], [], []
        for pair in pairs:
            photo, looks, alpha = pair.photo(), pair.looks(), pair.truth()
            box = region_of(looks, alpha.shape[1], alpha.shape[0])
            x.append(network_input(photo, looks, box, side))
            bare.append(network_input(photo, None, box, side))
            truth.append(torch.from_numpy(part(alpha, box, side, side))[None, None].float() / 255)
        self.x, self.bare, self.truth = torch.cat(x), torch.cat(bare), torch.cat(truth)

    def figures(self, net: torch.nn.Module, device: torch.device) -> dict[str, float]:
        out = {}
        for label, x in (("fused", self.x), ("alone", self.bare)):
            with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
                matte = torch.cat([torch.sigmoid(net(part.to(device).contiguous(memory_format=torch.channels_last)).float()).cpu() for part in x.split(8)])
            out |= self._score(label, matte)
        return out

    def looks_figures(self) -> dict[str, float]:
        """The same figures of what the network is to beat: the finest look, and the mean of the two largest votes."""
        votes = (self.x[:, 3:6] + 1) / 2
        two = votes.sort(1).values[:, 1:].mean(1, keepdim=True)
        return self._score("close", votes[:, 2:3]) | self._score("two", two)

    def _score(self, label: str, matte: torch.Tensor) -> dict[str, float]:
        found, wanted = matte > 0.5, self.truth > 0.5
        iou = (found & wanted).sum((1, 2, 3)) / (found | wanted).sum((1, 2, 3)).clamp(min=1)
        out = {}
        for subset in sorted(set(self.subsets)):
            at = torch.tensor([s == subset for s in self.subsets])
            out[f"{label}_{subset}"] = iou[at].mean().item()
            out[f"{label}_{subset}_poor"] = int((iou[at] < 0.9).sum())
        out[f"{label}_mae"] = (matte - self.truth).abs().mean().item()
        return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--isnet", type=Path, required=True)
    parser.add_argument("--looks", type=Path, help="folder for the looks, if not beside the photos")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    infer = load_isnet(args.isnet, args.threads)
    for pair in pairs_in(args.folder, args.looks):
        if pair.looks_path.exists():
            continue
        looks = take_looks(pair.photo(), infer)
        pair.looks_path.parent.mkdir(parents=True, exist_ok=True)
        partial = pair.looks_path.with_suffix(".part.npz")
        np.savez_compressed(partial, fine=looks.fine, coarse=looks.coarse, close=looks.close if looks.close is not None else np.zeros(0, np.uint8),
                            region=np.array(looks.region), agreement=looks.agreement)
        partial.rename(pair.looks_path)


if __name__ == "__main__":
    main()
