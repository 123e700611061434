"""The loss: what is product (BCE, soft IoU) and how its edge runs (L1, Laplacian pyramid, gradient over the band)."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def band_of(alpha: Tensor, reach: int) -> Tensor:
    """1 within `reach` px of where alpha is neither 0 nor 1 or changes sides, [N, 1, H, W]."""
    size = 2 * reach + 1
    highest = F.max_pool2d(alpha, size, 1, reach)
    lowest = -F.max_pool2d(-alpha, size, 1, reach)
    return (highest - lowest > 0.2).float()


def _mean(values: Tensor, where: Tensor) -> Tensor:
    """Per sample, over the pixels of `where`."""
    return (values * where).sum((1, 2, 3)) / where.sum((1, 2, 3)).clamp(min=1)


def laplacian(difference: Tensor, known: Tensor, levels: int = 3) -> Tensor:
    """Mean absolute Laplacian-pyramid coefficients of a difference, coarser levels weighing more (Niklaus and Liu 2018, eq. 3)."""
    total = difference.new_zeros(len(difference))
    for level in range(levels):
        coarser = F.avg_pool2d(difference, 2)
        detail = difference - F.interpolate(coarser, scale_factor=2, mode="nearest")
        total = total + 2**level * _mean(detail.abs(), known)
        difference, known = coarser, F.avg_pool2d(known, 2)
    return total


def matting_loss(logits: Tensor, alpha: Tensor, known: Tensor, weight: Tensor, band_weight: float) -> tuple[Tensor, dict[str, float]]:
    """Logits, alpha, known [N, 1, H, W], weight [N]. Only `known` pixels count."""
    logits = logits.float()
    matte = torch.sigmoid(logits)
    bce = _mean(F.binary_cross_entropy_with_logits(logits, alpha, reduction="none"), known)
    both = (torch.minimum(matte, alpha) * known).sum((1, 2, 3))
    either = (torch.maximum(matte, alpha) * known).sum((1, 2, 3))
    iou = 1 - (both + 1) / (either + 1)
    band = band_of(alpha, 4) * known
    l1 = _mean((matte - alpha).abs(), band)
    pyramid = laplacian(matte - alpha, known)
    dx, dy = (lambda m: m[..., :, 1:] - m[..., :, :-1]), (lambda m: m[..., 1:, :] - m[..., :-1, :])
    slope = _mean((dx(matte) - dx(alpha)).abs(), band[..., :, 1:]) + _mean((dy(matte) - dy(alpha)).abs(), band[..., 1:, :])
    each = bce + iou + band_weight * (0.5 * l1 + 0.5 * pyramid + 0.5 * slope)
    parts = {"bce": bce.mean().item(), "iou": iou.mean().item(), "band": l1.mean().item()}
    return (each * weight).sum() / weight.sum(), parts
