"""The looks that today's pipeline takes with ISNet (shared/imaging/stages/matte.ts), made here for training and measuring."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import cv2
import numpy as np

FINE, COARSE, CROP_AREA, MULTIPLE = 1024, 512, 768 * 768, 64
AGREEMENT_MIN, SMALL_SHARE, CROP_THRESHOLD, CROP_MARGIN = 0.9, 0.6, 64, 0.12

Box = tuple[float, float, float, float]  # x, y, width, height in pixels of the photo
Infer = Callable[[np.ndarray], np.ndarray]  # uint8 RGB [H, W, 3] → uint8 matte [H, W]


@dataclass
class Looks:
    """`fine` and `coarse` cover the frame, stretched; `close` covers `region` of it, if a third look was taken."""

    fine: np.ndarray
    coarse: np.ndarray
    close: np.ndarray | None
    region: Box
    agreement: float


def load_isnet(path: Path, threads: int = 1) -> Infer:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads, options.enable_mem_pattern = threads, False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def infer(rgb: np.ndarray) -> np.ndarray:
        x = ((rgb.astype(np.float32) - 128) / 256).transpose(2, 0, 1)[None]
        return np.clip(session.run(["output"], {"input": x})[0][0, 0] * 255 + 0.5, 0, 255).astype(np.uint8)

    return infer


def resized(picture: np.ndarray, width: int, height: int) -> np.ndarray:
    shrinks = width * height < picture.shape[0] * picture.shape[1]
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)


def part(picture: np.ndarray, box: Box, width: int, height: int) -> np.ndarray:
    """`box` of a picture, stretched; beyond the picture its border is repeated."""
    x, y, w, h = box
    fx, fy = width / w, height / h
    if min(fx, fy) < 0.7:
        x0, y0 = int(max(0, np.floor(x))), int(max(0, np.floor(y)))
        x1, y1 = int(min(picture.shape[1], np.ceil(x + w))), int(min(picture.shape[0], np.ceil(y + h)))
        whole = (x0, y0, x1 - x0, y1 - y0)
        if abs(whole[2] - w) + abs(whole[3] - h) < 4:
            return resized(np.ascontiguousarray(picture[y0:y1, x0:x1]), width, height)
    # Sample centres: u of the result lies at x + (u + 0.5) / fx − 0.5 of the picture.
    matrix = np.array([[1 / fx, 0, x + 0.5 / fx - 0.5], [0, 1 / fy, y + 0.5 / fy - 0.5]])
    return cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)


def box_of(matte: np.ndarray, threshold: int) -> tuple[int, int, int, int] | None:
    ys, xs = np.where(matte >= threshold)
    if len(ys) == 0:
        return None
    return int(xs.min()), int(ys.min()), int(xs.max() - xs.min() + 1), int(ys.max() - ys.min() + 1)


def grown(box: Box, margin: float, width: int, height: int) -> Box:
    """With `margin` of its longer side all round, whole pixels, within the photo."""
    x, y, w, h = box
    m = margin * max(w, h)
    x0, y0 = max(0, np.floor(x - m)), max(0, np.floor(y - m))
    x1, y1 = min(width, np.ceil(x + w + m)), min(height, np.ceil(y + h + m))
    return float(x0), float(y0), float(x1 - x0), float(y1 - y0)


def agreement(a: np.ndarray, b: np.ndarray) -> float:
    in_a, in_b = a > 127, b > 127
    either = np.count_nonzero(in_a | in_b)
    return 1.0 if either == 0 else np.count_nonzero(in_a & in_b) / either


def take_looks(photo: np.ndarray, infer: Infer, scale: float = 1.0) -> Looks:
    """`scale` < 1 takes smaller looks than the pipeline does: for training only, at half the cost or less."""
    H, W = photo.shape[:2]
    sized = lambda side: round(side * scale / MULTIPLE) * MULTIPLE
    whole = resized(photo, sized(FINE), sized(FINE))
    fine = infer(whole)
    half = np.ascontiguousarray(resized(whole, sized(COARSE), sized(COARSE))[:, ::-1])
    coarse = np.ascontiguousarray(infer(half)[:, ::-1])
    on_fine = resized(coarse, *fine.shape[::-1])
    agreed = agreement(fine, on_fine)
    frame = (0.0, 0.0, float(W), float(H))
    seen = box_of(np.maximum(fine, on_fine), CROP_THRESHOLD)
    if seen is None:
        return Looks(fine, coarse, None, frame, agreed)
    small = max(seen[2], seen[3]) / fine.shape[0] < SMALL_SHARE
    if agreed >= AGREEMENT_MIN and not small:
        return Looks(fine, coarse, None, frame, agreed)
    fx, fy = W / fine.shape[1], H / fine.shape[0]
    region = grown((seen[0] * fx, seen[1] * fy, seen[2] * fx, seen[3] * fy), CROP_MARGIN, W, H)
    ratio = min(2, max(0.5, region[2] / region[3]))
    sides = [max(MULTIPLE, round(np.sqrt(CROP_AREA * r) * scale / MULTIPLE) * MULTIPLE) for r in (ratio, 1 / ratio)]
    return Looks(fine, coarse, infer(part(photo, region, *sides)), region, agreed)


def looks_in(looks: Looks, size: tuple[int, int], box: Box, width: int, height: int) -> list[np.ndarray]:
    """Fine, coarse and close on one grid over `box` of a photo of `size` (width, height). Where there is no third look, the fine one stands for it."""
    W, H = size
    out = []
    for matte in (looks.fine, looks.coarse):
        fx, fy = matte.shape[1] / W, matte.shape[0] / H
        out.append(part(matte, (box[0] * fx, box[1] * fy, box[2] * fx, box[3] * fy), width, height))
    close = out[0].copy()
    if looks.close is not None:
        rx, ry, rw, rh = looks.region
        fx, fy = looks.close.shape[1] / rw, looks.close.shape[0] / rh
        seen = part(looks.close, ((box[0] - rx) * fx, (box[1] - ry) * fy, box[2] * fx, box[3] * fy), width, height)
        xs = box[0] + (np.arange(width) + 0.5) / width * box[2]
        ys = box[1] + (np.arange(height) + 0.5) / height * box[3]
        inside = ((ys >= ry) & (ys < ry + rh))[:, None] & ((xs >= rx) & (xs < rx + rw))[None]
        close[inside] = seen[inside]
    return [*out, close]
