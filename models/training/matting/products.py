"""The families of rendered products. Each draws one product on a canvas; `FAMILIES` names them."""
from __future__ import annotations

from typing import Callable

import cv2
import numpy as np

from .shapes import Canvas, Material, Rng, Sprite, lathe, pick_material, polygon, print_on, spline, superellipse, tube


def bag(c: Canvas, m: Material) -> None:
    """Tote, handbag or carrier bag: one or two open straps over a body."""
    r = c.rng
    top, w, taper = r.uniform(0.38, 0.6), r.uniform(0.22, 0.4), r.uniform(-0.06, 0.06)
    outline = np.array([[0.5 - w, top], [0.5 + w, top], [0.5 + w + taper, 0.95], [0.5 - w - taper, 0.95]])
    if r.random() < 0.5:
        outline = superellipse(0.5, (top + 0.95) / 2, w, (0.95 - top) / 2, r.uniform(3, 8))
    strap = m if r.random() < 0.6 else pick_material(r, 0.3)
    thick = r.uniform(0.008, 0.045)
    for shift in ([0.0] if r.random() < 0.4 else [r.uniform(0.015, 0.06), 0.0]):
        half, rise = w * r.uniform(0.35, 0.95), r.uniform(0.03, 0.12)
        knots = np.array([[0.5 - half, top + 0.03], [0.5 - half * 0.8, max(0.04, rise + 0.1)], [0.5, max(0.03, rise)], [0.5 + half * 0.8, max(0.04, rise + 0.1)], [0.5 + half, top + 0.03]])
        c.body(c.mask(tube(spline(knots) + [shift, -shift * 0.3], thick)), strap)
    cover = c.mask(polygon(outline))
    c.body(cover, m, r.uniform(0.05, 0.5))
    if r.random() < 0.6:
        print_on(c, cover)


def mug(c: Canvas, m: Material) -> None:
    """Mug, jug, kettle or watering can: a turned body with an open handle at its side."""
    r = c.rng
    w, top = r.uniform(0.18, 0.28), r.uniform(0.15, 0.4)
    bulge = r.uniform(0.85, 1.25)
    side = 1 if r.random() < 0.5 else -1
    x = 0.5 + side * w * 0.9
    reach, hi, lo = r.uniform(0.12, 0.22), r.uniform(top + 0.08, top + 0.2), r.uniform(0.6, 0.8)
    handle = spline(np.array([[x, hi], [x + side * reach * 0.9, hi + 0.02], [x + side * reach, (hi + lo) / 2], [x + side * reach * 0.8, lo], [x - side * 0.02, lo]]))
    c.body(c.mask(tube(handle, r.uniform(0.02, 0.06))), m)
    if r.random() < 0.35:
        spout = np.array([[0.5 - side * w * 0.7, 0.75], [0.5 - side * (w + 0.05), 0.6], [0.5 - side * (w + 0.16), top + 0.02], [0.5 - side * (w + 0.11), top], [0.5 - side * w * 0.8, 0.5]])
        c.body(c.mask(polygon(spline(spout, True))), m)
    cover = c.mask(polygon(lathe([(w, top), (w * bulge, (top + 0.85) / 2), (w * r.uniform(0.8, 1), 0.85)])))
    c.body(cover, m, r.uniform(0.6, 1))
    if r.random() < 0.5:
        c.paint(c.mask(polygon(superellipse(0.5, top, w * 0.97, w * 0.13, 2))), np.broadcast_to(m.colour * r.uniform(0.5, 0.95), c.rgb.shape))
    if r.random() < 0.4:
        print_on(c, cover)


def bottle(c: Canvas, m: Material) -> None:
    """Bottle, jar or tube, opaque."""
    r = c.rng
    w, neck, shoulder = r.uniform(0.08, 0.22), r.uniform(0.02, 0.07), r.uniform(0.2, 0.45)
    cover = c.mask(polygon(lathe([(neck, 0.1), (neck, shoulder - 0.08), (w * 0.9, shoulder + 0.04), (w, shoulder + 0.14), (w, 0.8), (w * r.uniform(0.75, 1), 0.93)])))
    c.body(cover, m, r.uniform(0.7, 1))
    cap = pick_material(r, 0.4)
    c.body(c.mask(polygon(superellipse(0.5, 0.1, neck * r.uniform(1.05, 1.6), r.uniform(0.04, 0.08), 8))), cap, 0.8)
    if r.random() < 0.8:
        print_on(c, cover)


def glass(c: Canvas, m: Material) -> None:
    """Clear or tinted glass: rims nearly opaque, body see-through, highlights on top. Its alpha is the one it is composited with."""
    r = c.rng
    w = r.uniform(0.1, 0.24)
    shapes = [
        [(w, 0.12), (w * 0.95, 0.5), (w * r.uniform(0.6, 0.95), 0.9)],
        [(w * 0.8, 0.1), (w, 0.3), (w * 0.5, 0.5), (0.015, 0.56), (0.015, 0.82), (w * 0.8, 0.92)],
        [(0.04, 0.08), (0.04, 0.25), (w, 0.42), (w, 0.9)],
    ]
    cover = c.mask(polygon(lathe(shapes[int(r.integers(len(shapes)))])))
    inside = cv2.distanceTransform((cover > 0.5).astype(np.uint8), cv2.DIST_L2, 3) / c.side
    rim = np.exp(-inside / r.uniform(0.006, 0.02))
    tint = Material(np.clip(r.uniform(0.6, 1.0) + r.normal(0, 0.08, 3), 0, 1).astype(np.float32), 0.7, 0.6, "none")
    body = r.uniform(0.55, 0.75)
    c.body(cover, tint, 1.0, np.clip(body + (1 - body) * rim, 0, 1))
    if r.random() < 0.4:
        level = r.uniform(0.3, 0.7)
        fill = cover * (np.mgrid[0 : c.side, 0 : c.side][0] > level * c.side)
        c.paint(cv2.erode(fill.astype(np.float32), np.ones((5, 5))), np.broadcast_to(pick_material(r, 0.1).colour, c.rgb.shape), 0.85)
    shine = cover * np.exp(-((np.mgrid[0 : c.side, 0 : c.side][1] / c.side - (0.5 - w * r.uniform(0.3, 0.8))) / 0.012) ** 2)
    c.paint(shine.astype(np.float32), np.ones_like(c.rgb), 0.7)


def carton(c: Canvas, m: Material) -> None:
    """A box in perspective, three faces of one board, usually printed."""
    r = c.rng
    w, h, d = r.uniform(0.2, 0.36), r.uniform(0.2, 0.6), r.uniform(0.05, 0.25)
    lift = d * r.uniform(0.2, 0.6)
    side = 1 if r.random() < 0.5 else -1
    x, y = 0.5 - side * (w + d) / 2, 0.5 + h / 2
    front = np.array([[x, y], [x + side * w, y - 0.1 * lift], [x + side * w, y - h - 0.1 * lift], [x, y - h]])
    back = np.array([side * d, -lift])
    right = np.array([front[1], front[1] + back, front[2] + back, front[2]])
    top = np.array([front[3], front[2], front[2] + back, front[3] + back])
    flat = Material(m.colour, 0.0, 0.0, m.texture)
    tones = [1.0, r.uniform(0.8, 0.98), r.uniform(0.95, 1.06)]
    def silhouette(board: np.ndarray, side: float) -> None:
        for face in (top, right, front):
            cv2.fillPoly(board, [points_of(face, side)], 255)

    # The silhouette first: faces that only meet would leave a seam between them.
    c.body(c.mask(silhouette), flat, 0.02)
    for face, tone in zip((top, right, front), (tones[2], tones[1], tones[0])):
        c.body(c.mask(polygon(face)), Material(np.clip(m.colour * tone, 0, 1), 0.0, 0.0, flat.texture), 0.02)
    cover = c.mask(polygon(front))
    for _ in range(int(r.integers(0, 4))):
        print_on(c, cover)


def cord(c: Canvas, m: Material) -> None:
    """Cable, rope or earphones: thin loops, openings all over."""
    r = c.rng
    thick = r.uniform(0.005, 0.02)
    for _ in range(int(r.integers(1, 3))):
        knots = r.uniform(0.08, 0.92, (int(r.integers(4, 9)), 2))
        if r.random() < 0.4:
            t = np.linspace(0, r.uniform(2, 6) * 6.28, 40)
            knots = np.stack([0.5 + (0.28 + 0.03 * r.standard_normal(40)) * np.cos(t), 0.5 + (0.28 + 0.03 * r.standard_normal(40)) * np.sin(t)], 1)
        c.body(c.mask(tube(spline(knots), thick)), m)
        for end in (knots[0], knots[-1]):
            plug = superellipse(end[0], end[1], r.uniform(0.015, 0.05), r.uniform(0.02, 0.06), r.uniform(2, 6))
            c.body(c.mask(polygon(plug)), m if r.random() < 0.7 else pick_material(r, 0.3))


def chain(c: Canvas, m: Material) -> None:
    """Necklace or bracelet: links or beads on a curve, sometimes with a pendant."""
    r = c.rng
    metal = m if r.random() < 0.3 else Material(np.array([0.8, 0.8, 0.8] if r.random() < 0.5 else [0.85, 0.68, 0.35], np.float32), 0.6, 0.5, "none", True)
    knots = np.array([[0.2, 0.08], [0.18, 0.4], [0.5, r.uniform(0.6, 0.75)], [0.82, 0.4], [0.8, 0.08]]) + r.normal(0, 0.02, (5, 2))
    path = spline(knots, closed=bool(r.random() < 0.4), per=r.integers(6, 16))
    size = r.uniform(0.008, 0.022)
    beads = r.random() < 0.4

    def draw(board: np.ndarray, side: float) -> None:
        for i, (x, y) in enumerate(path):
            axes = (int(size * side), int(size * side * (0.6 if i % 2 else 1)))
            step = path[min(i + 1, len(path) - 1)] - path[i - 1 if i else 0]
            cv2.ellipse(board, (int(x * side), int(y * side)), axes, float(np.degrees(np.arctan2(step[1], step[0]))), 0, 360, 255, -1 if beads else max(2, int(size * 0.45 * side)))
        if not beads:
            cv2.polylines(board, [points_of(path, side)], False, 255, max(1, int(0.003 * side)))

    c.body(c.mask(draw), metal, 1.0)
    if r.random() < 0.6:
        low = path[np.argmax(path[:, 1])]
        c.body(c.mask(polygon(superellipse(low[0], low[1] + 0.06, r.uniform(0.02, 0.06), r.uniform(0.03, 0.07), r.uniform(1.4, 3)))), pick_material(r, 0.2), 0.7)


def points_of(path: np.ndarray, side: float) -> np.ndarray:
    return np.round(path * side).astype(np.int32).reshape(-1, 1, 2)


def frame(c: Canvas, m: Material) -> None:
    """Picture frame, mirror, rack or shelf: bars around openings."""
    r = c.rng
    w, h, bar = r.uniform(0.2, 0.42), r.uniform(0.2, 0.42), r.uniform(0.012, 0.06)
    power = r.choice([2.0, 60.0, 60.0])
    outer, inner = superellipse(0.5, 0.5, w, h, power), superellipse(0.5, 0.5, w - bar, h - bar, power)

    def draw(board: np.ndarray, side: float) -> None:
        cv2.fillPoly(board, [points_of(outer, side)], 255)
        cv2.fillPoly(board, [points_of(inner, side)], 0)
        for k in range(1, int(rows) + 1):
            y = 0.5 - h + 2 * h * k / (rows + 1)
            half = w if power > 10 else w * np.sqrt(max(0, 1 - ((y - 0.5) / h) ** 2))
            cv2.line(board, (int((0.5 - half + bar / 2) * side), int(y * side)), (int((0.5 + half - bar / 2) * side), int(y * side)), 255, int(bar * 0.7 * side))
        for k in range(1, int(columns) + 1):
            x = 0.5 - w + 2 * w * k / (columns + 1)
            half = h if power > 10 else h * np.sqrt(max(0, 1 - ((x - 0.5) / w) ** 2))
            cv2.line(board, (int(x * side), int((0.5 - half + bar / 2) * side)), (int(x * side), int((0.5 + half - bar / 2) * side)), 255, int(bar * 0.5 * side))

    rows, columns = (r.integers(0, 5), r.integers(0, 5)) if r.random() < 0.6 else (0, 0)
    cover = c.mask(draw)
    if rows + columns == 0 and r.random() < 0.4:
        pane = c.mask(polygon(inner))
        c.body(pane, pick_material(r, 0.7), 0.02)
        print_on(c, pane)
    c.body(cover, m, 0.8)


def headphones(c: Canvas, m: Material) -> None:
    """A band over two cups; also spectacles when lying: two rings and a bridge."""
    r = c.rng
    if r.random() < 0.35:
        t = r.uniform(0.01, 0.03)
        rx, ry, y = r.uniform(0.12, 0.18), r.uniform(0.08, 0.15), 0.5
        for x in (0.29, 0.71):
            ring = superellipse(x, y, rx, ry, r.uniform(2, 4))
            if r.random() < 0.3:
                c.body(c.mask(polygon(ring)), pick_material(r, 0.1), 0.1, r.uniform(0.6, 0.95))
            c.body(c.mask(tube(ring, t, True)), m)
        c.body(c.mask(tube(spline(np.array([[0.29 + rx, y - 0.02], [0.5, y - 0.06], [0.71 - rx, y - 0.02]])), t)), m)
        return
    w, y = r.uniform(0.22, 0.33), r.uniform(0.55, 0.7)
    band = spline(np.array([[0.5 - w, y], [0.5 - w * 1.05, 0.35], [0.5, r.uniform(0.1, 0.2)], [0.5 + w * 1.05, 0.35], [0.5 + w, y]]))
    c.body(c.mask(tube(band, r.uniform(0.02, 0.06))), m)
    for sign in (-1, 1):
        c.body(c.mask(polygon(superellipse(0.5 + sign * w, y + 0.05, r.uniform(0.06, 0.1), r.uniform(0.09, 0.16), r.uniform(2, 4)))), m, 0.6)


def ring(c: Canvas, m: Material) -> None:
    """Ring, roll, wreath or hoop seen at an angle."""
    r = c.rng
    ry, bar = r.uniform(0.1, 0.38), r.uniform(0.015, 0.1)
    path = superellipse(0.5, 0.55, 0.36, ry, 2)
    c.body(c.mask(tube(path, min(bar, ry * 0.8), True)), m, 0.9)
    if r.random() < 0.4:
        c.body(c.mask(polygon(superellipse(0.5, 0.55 - ry, 0.07, 0.06, r.uniform(1.2, 4)))), pick_material(r, 0.4), 0.5)


def garment(c: Canvas, m: Material) -> None:
    """Shirt, dress or trousers laid flat, with folds."""
    r = c.rng
    cloth = Material(m.colour, m.relief * 0.5, 0.0, "folds" if r.random() < 0.7 else "weave")
    if r.random() < 0.65:
        w, hem, sleeve = r.uniform(0.15, 0.22), r.uniform(0.7, 0.95), r.uniform(0.12, 0.3)
        drop = r.uniform(0.05, 0.5) * sleeve * 2
        half = [[0.06, 0.1], [0.16, 0.13], [0.16 + sleeve, 0.2 + drop], [0.10 + sleeve, 0.27 + drop], [w, 0.3], [w * r.uniform(0.9, 1.5), hem]]
        neck = [[0.0, 0.1 + r.uniform(0.0, 0.08)]]
    else:
        w, leg = r.uniform(0.12, 0.2), r.uniform(0.05, 0.1)
        half = [[w, 0.06], [w * 1.15, 0.3], [w + r.uniform(-0.02, 0.08), 0.95], [w + 0.02 - 2 * leg, 0.95], [0.01, 0.35]]
        neck = [[0.0, 0.06]]
    p = np.array(neck + half)
    outline = np.concatenate([p, p[:0:-1] * [-1, 1]]) + [0.5, 0] + 0
    outline = outline + r.normal(0, 0.006, outline.shape)
    cover = c.mask(polygon(spline(outline, True, 8)))
    c.body(cover, cloth, 0.15)
    if r.random() < 0.4:
        print_on(c, cover)


def furniture(c: Canvas, m: Material) -> None:
    """Chair, stool or table: thin legs, gaps between them, a back with bars."""
    r = c.rng
    seat, w, bar = r.uniform(0.4, 0.62), r.uniform(0.2, 0.36), r.uniform(0.015, 0.045)
    leg = pick_material(r, 0.2) if r.random() < 0.4 else m
    skew = r.uniform(-0.05, 0.05)
    for x, low in ((-w, 0.88), (w, 0.88), (-w * 0.75, 0.95), (w * 0.75, 0.95)):
        c.body(c.mask(tube(np.array([[0.5 + x * 0.85, seat], [0.5 + x + skew, low]]), bar)), leg)
    if r.random() < 0.5:
        c.body(c.mask(tube(np.array([[0.5 - w * 0.9, 0.75], [0.5 + w * 0.9, 0.75]]), bar * 0.8)), leg)
    if r.random() < 0.6:
        top = r.uniform(0.06, 0.2)
        for x in np.linspace(-w * 0.85, w * 0.85, int(r.integers(2, 6))):
            c.body(c.mask(tube(np.array([[0.5 + x, seat], [0.5 + x * 0.95, top]]), bar)), leg)
        c.body(c.mask(polygon(superellipse(0.5, top + 0.03, w, r.uniform(0.02, 0.09), 5))), m, 0.5)
    c.body(c.mask(polygon(superellipse(0.5, seat, w * 1.05, r.uniform(0.02, 0.1), 6))), m, 0.6)


def cushion(c: Canvas, m: Material) -> None:
    """Cushion, soap, plate or stone: one soft body, often with a print that is all one sees of it."""
    r = c.rng
    cover = c.mask(polygon(superellipse(0.5, 0.5, r.uniform(0.25, 0.44), r.uniform(0.2, 0.44), r.uniform(2, 7))))
    c.body(cover, m, r.uniform(0.3, 1))
    if r.random() < 0.7:
        print_on(c, cover)


def device(c: Canvas, m: Material) -> None:
    """Flat or boxy apparatus: body, screen or door, knobs, sometimes a foot or an aerial."""
    r = c.rng
    w, h = r.uniform(0.15, 0.4), r.uniform(0.15, 0.4)
    if r.random() < 0.3:
        c.body(c.mask(tube(np.array([[0.5 + w * 0.7, 0.5 - h], [0.5 + w * r.uniform(0.5, 1.1), 0.04]]), r.uniform(0.006, 0.02))), pick_material(r, 0.2))
    if r.random() < 0.3:
        c.body(c.mask(tube(np.array([[0.5, 0.5 + h], [0.5, 0.93]]), 0.03)), m)
        c.body(c.mask(polygon(superellipse(0.5, 0.94, w * 0.6, 0.02, 2))), m)
    cover = c.mask(polygon(superellipse(0.5, 0.5, w, h, r.uniform(4, 20))))
    c.body(cover, m, r.uniform(0.05, 0.3))
    if r.random() < 0.7:
        screen = c.mask(polygon(superellipse(0.5, 0.5 - h * 0.1, w * r.uniform(0.5, 0.9), h * r.uniform(0.4, 0.8), r.uniform(2, 20))))
        c.body(screen, Material(np.full(3, r.uniform(0.02, 0.9), np.float32), 0.2, 0.2, "none"), 0.05)
    for _ in range(int(r.integers(0, 5))):
        x, y = 0.5 + w * r.uniform(-0.7, 0.7), 0.5 + h * r.uniform(0.6, 0.8)
        c.body(c.mask(polygon(superellipse(x, y, 0.02, 0.02, 2))), pick_material(r, 0.3))


FAMILIES: dict[str, Callable[[Canvas, Material], None]] = {
    f.__name__: f for f in (bag, mug, bottle, glass, carton, cord, chain, frame, headphones, ring, garment, furniture, cushion, device)
}
# Kept out of training altogether, so that the rendered scenes also say something about shapes never seen.
HELD_FAMILIES = ("headphones", "ring")


def render(family: str, rng: Rng, side: int, material: Material) -> Sprite:
    """One product, its longer side at most `side` px."""
    angle = rng.uniform(0, 2 * np.pi)
    light = np.array([0.6 * np.cos(angle), -0.4 - 0.3 * rng.random(), rng.uniform(0.5, 1.2)], np.float32)
    canvas = Canvas(side, rng, light / np.linalg.norm(light))
    FAMILIES[family](canvas, material)
    return canvas.sprite()
