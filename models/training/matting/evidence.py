"""What a plain backdrop tells: how far each pixel is from a smooth colour field fitted to what the looks call background."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

GRID = 64
# Residuals (levels of 255) at which a sample loses half its say, from the first fit to the last.
SCALES = (40.0, 20.0, 10.0, 6.0)
# A distance of so many levels makes the evidence tanh(1): white on near-white differs by 3 to 10.
DISTANCE = 10.0
RING = 0.03


def _basis(height: int, width: int, like: Tensor) -> Tensor:
    """Quadratic terms at sample centres, [H·W, 6], coordinates in −1..1."""
    y = ((torch.arange(height, device=like.device) + 0.5) / height * 2 - 1)[:, None].expand(height, width)
    x = ((torch.arange(width, device=like.device) + 0.5) / width * 2 - 1)[None].expand(height, width)
    return torch.stack([torch.ones_like(x), x, y, x * x, x * y, y * y], -1).reshape(-1, 6).float()


def backdrop_evidence(rgb: Tensor, looks: Tensor | None) -> Tensor:
    """rgb [N, 3, H, W] in 0..255; looks [N, K, H, W] in 0..1, or None → [N, 1, H, W] in −1..1.

    −1 is the backdrop, 1 surely something else, 0 where no smooth backdrop explains the border. With looks, every pixel that all of
    them call background has a say; the border always has one.
    """
    n, _, height, width = rgb.shape
    small = F.interpolate(rgb, (GRID, GRID), mode="area")
    say = torch.zeros(n, 1, GRID, GRID, device=rgb.device)
    edge = max(1, round(RING * GRID))
    say[:, :, :edge], say[:, :, -edge:], say[:, :, :, :edge], say[:, :, :, -edge:] = 1, 1, 1, 1
    ring = say.clone()
    if looks is not None:
        most = F.interpolate(looks.amax(1, keepdim=True), (GRID, GRID), mode="area")
        background = (most < 0.05).float()
        say = 0.3 * say + background
    say, ring = say.reshape(n, -1), ring.reshape(n, -1)
    basis = _basis(GRID, GRID, rgb)
    pixels = small.reshape(n, 3, -1).transpose(1, 2)
    weight = say
    ridge = 1e-3 * torch.eye(6, device=rgb.device)
    for scale in SCALES:
        weighted = basis[None] * weight[..., None]
        normal = basis.T[None] @ weighted + ridge
        field = torch.linalg.solve(normal, weighted.transpose(1, 2) @ pixels)
        off = (basis[None] @ field - pixels).abs().amax(2)
        weight = say / (1 + (off / scale) ** 2) ** 2
    trusted = torch.where(say > 0.5, say, ring * 0.3)
    plain = ((off < SCALES[-1]).float() * trusted).sum(1) / trusted.sum(1).clamp(min=1e-6)
    plain = ((plain - 0.5) / 0.4).clamp(0, 1)
    smooth = (_basis(height, width, rgb) @ field).transpose(1, 2).reshape(n, 3, height, width)
    apart = F.avg_pool2d(rgb - smooth, 3, 1, 1, count_include_pad=False).abs().amax(1, keepdim=True)
    return (2 * torch.tanh(apart / DISTANCE) - 1) * plain[:, None, None, None]
