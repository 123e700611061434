"""Procedural products with exact alpha: what the licensed cut-outs lack (straps, handles, glass, cartons, cords, frames).

A product is a stack of layers, back to front, each a coverage mask drawn at four times the size and averaged (alpha exact to
1/16 per axis pair) and a colour that is defined everywhere, so that compositing never meets a fringe. Shading is 2.5-D: the mask
is inflated to a height field, its normals lit from one direction.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

import cv2
import numpy as np

Rng = np.random.Generator
SUPER = 4


@dataclass
class Sprite:
    """Straight (un-mixed) colour [H, W, 3] float32 in 0..1 and alpha [H, W] float32 in 0..1."""

    rgb: np.ndarray
    alpha: np.ndarray


@dataclass
class Material:
    """`colour` in 0..1; `relief` is how strongly shading modulates it; `gloss` the strength of highlights."""

    colour: np.ndarray
    relief: float
    gloss: float
    texture: str
    metal: bool = False


@dataclass
class Canvas:
    """A square drawing board; coordinates in 0..1."""

    side: int
    rng: Rng
    light: np.ndarray
    rgb: np.ndarray = field(init=False)
    alpha: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.rgb = np.zeros((self.side, self.side, 3), np.float32)
        self.alpha = np.zeros((self.side, self.side), np.float32)

    def mask(self, draw: Callable[[np.ndarray, float], None]) -> np.ndarray:
        """`draw` fills a uint8 board with 255 where the layer is; gets the board and its side in pixels."""
        big = np.zeros((self.side * SUPER, self.side * SUPER), np.uint8)
        draw(big, float(self.side * SUPER))
        return cv2.resize(big, (self.side, self.side), interpolation=cv2.INTER_AREA).astype(np.float32) / 255

    def paint(self, cover: np.ndarray, colour: np.ndarray, opacity: float | np.ndarray = 1.0) -> None:
        """Lays a layer over what is there."""
        a = (cover * opacity).astype(np.float32)
        out = a + self.alpha * (1 - a)
        share = (a / np.maximum(out, 1e-6))[..., None]
        self.rgb = np.where(out[..., None] > 1e-6, colour * share + self.rgb * (1 - share), self.rgb).astype(np.float32)
        self.alpha = out

    def body(self, cover: np.ndarray, material: Material, roundness: float = 0.5, opacity: float | np.ndarray = 1.0) -> None:
        self.paint(cover, shade(cover, material, self.light, roundness, self.rng), opacity)

    def sprite(self) -> Sprite:
        return trimmed(Sprite(np.clip(self.rgb, 0, 1), self.alpha))


def trimmed(sprite: Sprite) -> Sprite:
    """Without empty rows and columns; colour continued beyond the outline so that resizing cannot darken it."""
    ys, xs = np.where(sprite.alpha > 1 / 510)
    if len(ys) == 0:
        raise ValueError("an empty sprite")
    y0, y1, x0, x1 = ys.min(), ys.max() + 1, xs.min(), xs.max() + 1
    alpha = sprite.alpha[y0:y1, x0:x1]
    return Sprite(continued(sprite.rgb[y0:y1, x0:x1], alpha), np.ascontiguousarray(alpha))


def continued(rgb: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Colour of the nearest surely covered pixel wherever alpha is low."""
    sure = (alpha > 0.05).astype(np.uint8)
    if sure.all() or not sure.any():
        return rgb
    _, labels = cv2.distanceTransformWithLabels(1 - sure, cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL)
    seats = np.zeros((labels.max() + 1, 3), np.float32)
    seats[labels[sure > 0]] = rgb[sure > 0]
    return np.where(sure[..., None] > 0, rgb, seats[labels]).astype(np.float32)


def noise(rng: Rng, side: int, cells: int) -> np.ndarray:
    """Smooth noise [side, side], mean 0, about unit amplitude."""
    grid = rng.standard_normal((cells + 3, cells + 3)).astype(np.float32)
    return cv2.resize(grid, (side, side), interpolation=cv2.INTER_CUBIC)


def texture(kind: str, side: int, rng: Rng) -> np.ndarray:
    """Multiplier around 1, [side, side]."""
    yy, xx = np.mgrid[0:side, 0:side].astype(np.float32) / side
    if kind == "weave":
        f = rng.uniform(60, 160)
        return 1 + 0.04 * np.sin(xx * f * 6.28) * np.sin(yy * f * 6.28) + 0.03 * noise(rng, side, 60)
    if kind == "grain":
        return 1 + 0.10 * np.sin((yy * rng.uniform(4, 14) + 0.25 * noise(rng, side, 5)) * 12) + 0.04 * noise(rng, side, 90)
    if kind == "folds":
        angle = rng.uniform(-0.5, 0.5)
        along = xx * np.cos(angle) + yy * np.sin(angle)
        return 1 + 0.10 * np.sin((along * rng.uniform(3, 9) + 0.35 * noise(rng, side, 4)) * 6.28)
    if kind == "stripes":
        angle = rng.uniform(0, 3.14)
        return 1 - rng.uniform(0.15, 0.5) * ((np.cos(angle) * xx + np.sin(angle) * yy) * rng.uniform(5, 30) % 1 > 0.5)
    if kind == "speckle":
        return 1 + 0.06 * rng.standard_normal((side, side)).astype(np.float32)
    return np.ones((side, side), np.float32)


def shade(cover: np.ndarray, material: Material, light: np.ndarray, roundness: float, rng: Rng) -> np.ndarray:
    """Lit colour [H, W, 3] of a layer. `roundness` is the share of the half-width over which the surface curves away."""
    inside = cv2.distanceTransform((cover > 0.5).astype(np.uint8), cv2.DIST_L2, 3)
    reach = max(3.0, float(inside.max()) * max(roundness, 0.02))
    r = np.clip(inside / reach, 0, 1)
    height = cv2.GaussianBlur(np.sqrt(1 - (1 - r) ** 2) * reach, (0, 0), max(0.8, reach * 0.08))
    gx = cv2.Sobel(height, cv2.CV_32F, 1, 0, scale=0.125)
    gy = cv2.Sobel(height, cv2.CV_32F, 0, 1, scale=0.125)
    norm = np.sqrt(gx * gx + gy * gy + 1)
    nx, ny, nz = -gx / norm, -gy / norm, 1 / norm
    lit = nx * light[0] + ny * light[1] + nz * light[2]
    side = cover.shape[0]
    tone = 1 + material.relief * (lit - light[2])
    if material.metal:
        tone = tone + 0.35 * np.sin((nx + 0.6 * ny) * rng.uniform(4, 9) + rng.uniform(0, 6))
    tone = tone * texture(material.texture, side, rng)
    half = light + np.array([0, 0, 1], np.float32)
    half /= np.linalg.norm(half)
    spot = np.clip(nx * half[0] + ny * half[1] + nz * half[2], 0, 1) ** rng.uniform(20, 120)
    colour = material.colour[None, None] * tone[..., None] + material.gloss * spot[..., None]
    return np.clip(colour, 0, 1).astype(np.float32)


def pick_material(rng: Rng, pale_share: float) -> Material:
    texture_kind = str(rng.choice(["none", "none", "weave", "grain", "folds", "stripes", "speckle"]))
    if rng.random() < pale_share:
        grey = rng.uniform(0.86, 0.995)
        colour = np.clip(grey + rng.normal(0, 0.012, 3), 0, 1)
        kind = texture_kind if texture_kind in ("none", "weave", "folds", "speckle") else "none"
        return Material(colour.astype(np.float32), rng.uniform(0.03, 0.35), rng.uniform(0, 0.1), kind)
    if rng.random() < 0.15:
        colour = np.array([0.75, 0.75, 0.77]) if rng.random() < 0.6 else np.array([0.83, 0.66, 0.33])
        return Material((colour * rng.uniform(0.7, 1.1)).clip(0, 1).astype(np.float32), 0.6, rng.uniform(0.2, 0.6), "none", True)
    if rng.random() < 0.25:
        return Material(np.full(3, rng.uniform(0.03, 0.2), np.float32), 0.8, rng.uniform(0.05, 0.5), texture_kind)
    hsv = np.array([[[rng.uniform(0, 360), rng.uniform(0.15, 0.9), rng.uniform(0.3, 0.95)]]], np.float32)
    return Material(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0], rng.uniform(0.3, 0.9), rng.uniform(0, 0.4), texture_kind)


def points(xy: np.ndarray, side: float) -> np.ndarray:
    return np.round(np.asarray(xy, np.float64) * side).astype(np.int32).reshape(-1, 1, 2)


def spline(knots: np.ndarray, closed: bool = False, per: int = 24) -> np.ndarray:
    """Catmull-Rom through the knots [n, 2]."""
    k = np.asarray(knots, np.float64)
    padded = np.concatenate([k[-1:], k, k[:2]]) if closed else np.concatenate([2 * k[:1] - k[1:2], k, 2 * k[-1:] - k[-2:-1]])
    t = np.linspace(0, 1, per, endpoint=False)[:, None]
    out = []
    for a, b, c, d in zip(padded[:-3], padded[1:-2], padded[2:-1], padded[3:]):
        out.append(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3))
    return np.concatenate([*out, k[:1] if closed else k[-1:]])


def tube(path: np.ndarray, thickness: float, closed: bool = False) -> Callable[[np.ndarray, float], None]:
    return lambda board, side: cv2.polylines(board, [points(path, side)], closed, 255, max(1, int(round(thickness * side))), cv2.LINE_8)


def polygon(path: np.ndarray) -> Callable[[np.ndarray, float], None]:
    return lambda board, side: cv2.fillPoly(board, [points(path, side)], 255)


def superellipse(cx: float, cy: float, rx: float, ry: float, power: float) -> np.ndarray:
    t = np.linspace(0, 2 * np.pi, 160, endpoint=False)
    c, s = np.cos(t), np.sin(t)
    return np.stack([cx + rx * np.sign(c) * np.abs(c) ** (2 / power), cy + ry * np.sign(s) * np.abs(s) ** (2 / power)], 1)


def lathe(profile: list[tuple[float, float]], cx: float = 0.5) -> np.ndarray:
    """Outline of a turned body from (radius, y) rows, top to bottom, with rounded base and rim."""
    p = spline(np.array(profile))
    base_r, base_y = p[-1]
    t = np.linspace(0, np.pi, 24)
    arc = np.stack([cx + base_r * np.cos(t), base_y + 0.12 * base_r * np.sin(t)], 1)
    right = np.stack([cx + p[:, 0], p[:, 1]], 1)
    left = np.stack([cx - p[::-1, 0], p[::-1, 1]], 1)
    return np.concatenate([right, arc, left])


def print_on(canvas: Canvas, cover: np.ndarray, strength: float = 1.0) -> None:
    """A label, letters or a motif on a layer, within it."""
    rng = canvas.rng
    ys, xs = np.where(cover > 0.9)
    if len(ys) < 50:
        return
    y0, y1, x0, x1 = (v / canvas.side for v in (ys.min(), ys.max(), xs.min(), xs.max()))
    w, h = x1 - x0, y1 - y0
    ink = pick_material(rng, 0.1).colour
    kind = rng.choice(["letters", "panel", "disc", "bird", "lines"])
    u, v = rng.uniform(0.2, 0.55, 2)
    cx, cy = x0 + w * rng.uniform(0.4, 0.6), y0 + h * rng.uniform(0.35, 0.65)

    def draw(board: np.ndarray, side: float) -> None:
        if kind == "letters":
            text = "".join(rng.choice(list("ABDEGHKLMNOPRSTW2580&"), rng.integers(3, 9)))
            size, _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, 1, 2)
            scale = w * u * 1.5 * side / size[0]
            at = (int(cx * side - size[0] * scale / 2), int(cy * side + size[1] * scale / 2))
            cv2.putText(board, text, at, cv2.FONT_HERSHEY_DUPLEX, scale, 255, max(2, int(3 * scale)))
        elif kind == "panel":
            cv2.rectangle(board, (int((cx - w * u / 2) * side), int((cy - h * v / 2) * side)), (int((cx + w * u / 2) * side), int((cy + h * v / 2) * side)), 255, -1)
        elif kind == "disc":
            cv2.circle(board, (int(cx * side), int(cy * side)), int(min(w, h) * u / 2 * side), 255, -1)
        elif kind == "bird":
            t = np.linspace(0, 2 * np.pi, 9)[:-1]
            r = min(w, h) * u * 0.6 * rng.uniform(0.3, 1, 8)
            cv2.fillPoly(board, [points(spline(np.stack([cx + r * np.cos(t), cy + r * np.sin(t)], 1), True), side)], 255)
        else:
            for i in range(int(rng.integers(3, 9))):
                y = cy + (i - 3) * h * 0.05
                cv2.line(board, (int((cx - w * u / 2) * side), int(y * side)), (int((cx + w * u * rng.uniform(0.1, 0.5)) * side), int(y * side)), 255, max(2, int(0.012 * h * side)))

    canvas.paint(canvas.mask(draw) * cover, np.broadcast_to(ink, canvas.rgb.shape), strength * rng.uniform(0.6, 1))
