"""A product on a backdrop: photo and exact alpha. Everything random comes from one generator, so a seed is a picture."""
from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from .products import FAMILIES, HELD_FAMILIES, render
from .shapes import Material, Rng, Sprite, noise, pick_material, trimmed


@dataclass
class Scene:
    """`photo` uint8 [H, W, 3], sRGB; `alpha` uint8 [H, W]; `tags` say what is in it, for figures per class."""

    photo: np.ndarray
    alpha: np.ndarray
    tags: dict[str, str | bool]


@dataclass
class Sources:
    """Loaders of licensed material: cut-outs as sprites, backgrounds and clutter as uint8 pictures. `families`: what may be rendered."""

    cutouts: list
    backgrounds: list
    families: list[str]
    clutter: list = field(default_factory=list)


THIN = ("cord", "chain")


def between(rng: Rng, limits: list[float]) -> float:
    return float(rng.uniform(*limits))


def compose(rng: Rng, sources: Sources, config: dict, rendered: bool | None = None) -> Scene:
    s = config["scene"]
    longer = between(rng, s["longer_side"])
    aspect = float(rng.choice([1.0, 1.0, 4 / 3, 3 / 4, 3 / 2, 2 / 3]))
    width, height = (longer, longer / aspect) if aspect >= 1 else (longer * aspect, longer)
    width, height = int(width), int(height)
    is_rendered = bool(rng.random() < s["rendered"]) if rendered is None else rendered
    backdrop, kind = make_backdrop(rng, sources, s, width, height)
    white_on_white = bool(kind == "plain" and rng.random() < s["white_on_white"] / max(s["plain"], 1e-6))
    if white_on_white:
        backdrop = np.full_like(backdrop, 1.0 if rng.random() < 0.5 else rng.uniform(0.93, 1.0))
        backdrop = backdrop if rng.random() < 0.6 else backdrop * vignette(rng, width, height, 0.03)
    product, name = make_product(rng, sources, s, min(width, height), is_rendered or white_on_white, white_on_white, backdrop)
    layer = place(rng, s, product, width, height)
    picture = backdrop
    tags: dict[str, str | bool] = {"backdrop": kind, "white_on_white": white_on_white, "family": name, "rendered": is_rendered or white_on_white}
    if rng.random() < s["shadow"]:
        picture = picture * (1 - shadow(rng, layer.alpha))[..., None]
        tags["shadow"] = True
    if rng.random() < s["reflection"]:
        picture = reflect(rng, picture, layer)
    if kind != "plain" or not white_on_white:
        if rng.random() < s["prop"]:
            picture, layer = with_prop(rng, sources, s, picture, layer)
            tags["prop"] = True
    alpha = layer.alpha
    picture = picture * (1 - alpha[..., None]) + layer.rgb * alpha[..., None]
    photo, alpha = camera(rng, config["camera"], picture, alpha, gentle=white_on_white)
    return Scene(photo, alpha, tags)


def make_product(rng: Rng, sources: Sources, s: dict, side: int, rendered: bool, white: bool, backdrop: np.ndarray) -> tuple[Sprite, str]:
    count = int(rng.integers(2, 4)) if rng.random() < s["several"] else 1
    parts, name = [], ""
    # A white thread on white that no eye can find teaches nothing.
    family = str(rng.choice([f for f in sources.families if not (white and f in THIN)]))
    for _ in range(count):
        if rendered or not sources.cutouts:
            material = near_backdrop(rng, s, backdrop) if white else pick_material(rng, s["pale_material"])
            parts.append(render(family, rng, min(side, 640), material))
            name = family
        else:
            sprite, name = sources.cutouts[int(rng.integers(len(sources.cutouts)))]()
            parts.append(tinted(rng, sprite))
    return (parts[0] if count == 1 else side_by_side(rng, parts)), name


def near_backdrop(rng: Rng, s: dict, backdrop: np.ndarray) -> Material:
    """A material a few levels from the backdrop; shading adds little, so that the outline stays that near."""
    levels = between(rng, s["white_on_white_levels"]) / 255
    base = float(backdrop.mean())
    sign = -1 if base > 0.97 or rng.random() < 0.7 else 1
    colour = np.clip(base + sign * levels + rng.normal(0, 0.004, 3), 0, 1).astype(np.float32)
    return Material(colour, rng.uniform(0.01, 0.12), rng.uniform(0, 0.03), str(rng.choice(["none", "none", "weave", "folds"])))


def tinted(rng: Rng, sprite: Sprite) -> Sprite:
    """Another hue, saturation or lightness: few cut-outs must stand for many products."""
    if rng.random() < 0.5:
        return sprite
    hsv = cv2.cvtColor(np.clip(sprite.rgb, 0, 1).astype(np.float32), cv2.COLOR_RGB2HSV)
    hsv[..., 0] = (hsv[..., 0] + rng.uniform(0, 360)) % 360
    hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.0, 1.2), 0, 1)
    hsv[..., 2] = np.clip(hsv[..., 2] ** rng.uniform(0.4, 1.5), 0, 1)
    return Sprite(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB), sprite.alpha)


def side_by_side(rng: Rng, parts: list[Sprite]) -> Sprite:
    """Two or three objects, touching or apart, one product."""
    height = max(p.alpha.shape[0] for p in parts)
    gap = int(rng.uniform(-0.15, 0.15) * parts[0].alpha.shape[1])
    width = sum(p.alpha.shape[1] for p in parts) + max(0, gap) * len(parts)
    out = Sprite(np.zeros((height, width, 3), np.float32), np.zeros((height, width), np.float32))
    x = 0
    for p in parts:
        h, w = p.alpha.shape
        lay(out, p, height - h, min(x, width - w))
        x = max(0, x + w + gap)
    return trimmed(out)


def lay(below: Sprite, above: Sprite, y: int, x: int) -> None:
    """`above` over `below`, in place; whatever is outside is cut off."""
    H, W = below.alpha.shape
    h, w = above.alpha.shape
    y0, y1, x0, x1 = max(0, y), min(H, y + h), max(0, x), min(W, x + w)
    if y0 >= y1 or x0 >= x1:
        return
    a = above.alpha[y0 - y : y1 - y, x0 - x : x1 - x]
    here = np.s_[y0:y1, x0:x1]
    out = a + below.alpha[here] * (1 - a)
    share = (a / np.maximum(out, 1e-6))[..., None]
    below.rgb[here] = above.rgb[y0 - y : y1 - y, x0 - x : x1 - x] * share + below.rgb[here] * (1 - share)
    below.alpha[here] = out


def warped(sprite: Sprite, matrix: np.ndarray, width: int, height: int) -> Sprite:
    """Affine; colour is carried premultiplied, so that no fringe appears."""
    how = dict(dsize=(width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    pre = cv2.warpAffine(np.dstack([sprite.rgb * sprite.alpha[..., None], sprite.alpha]).astype(np.float32), matrix, **how)
    alpha = np.clip(pre[..., 3], 0, 1)
    return Sprite(np.where(alpha[..., None] > 1e-4, pre[..., :3] / np.maximum(alpha, 1e-4)[..., None], 0).astype(np.float32), alpha)


def place(rng: Rng, s: dict, product: Sprite, width: int, height: int, scale: float | None = None) -> Sprite:
    """The product in a frame: scaled, turned, flipped, sometimes partly outside."""
    h, w = product.alpha.shape
    low, high = s["scale"]
    share = low + (high - low) * float(np.sqrt(rng.random())) if scale is None else scale
    factor = share * min(width / w, height / h)
    shrink = min(1.0, 2 * factor)
    if shrink < 1:  # warpAffine does not average: come near the final size by areas first
        pre = np.dstack([product.rgb * product.alpha[..., None], product.alpha])
        pre = cv2.resize(pre, (max(2, int(w * factor)), max(2, int(h * factor))), interpolation=cv2.INTER_AREA)
        alpha = pre[..., 3]
        product = Sprite(pre[..., :3] / np.maximum(alpha, 1e-4)[..., None], alpha)
        h, w = alpha.shape
        factor = 1.0
    angle = rng.uniform(-s["rotation"], s["rotation"]) if rng.random() < 0.6 else 0.0
    room_x, room_y = max(0.0, width - w * factor), max(0.0, height - h * factor)
    cx = width / 2 + (rng.uniform(-0.5, 0.5) * room_x if rng.random() < 0.3 else 0)
    cy = height / 2 + (rng.uniform(-0.5, 0.5) * room_y if rng.random() < 0.3 else 0)
    if scale is None and rng.random() < s["partly_outside"]:
        if rng.random() < 0.5:
            cx = width / 2 + rng.choice([-1, 1]) * (room_x / 2 + rng.uniform(0.02, 0.3) * w * factor)
        else:
            cy = height / 2 + rng.choice([-1, 1]) * (room_y / 2 + rng.uniform(0.02, 0.3) * h * factor)
    matrix = cv2.getRotationMatrix2D((w / 2, h / 2), angle, factor)
    matrix[:, 2] += [cx - w / 2, cy - h / 2]
    if rng.random() < 0.5:
        product = Sprite(np.ascontiguousarray(product.rgb[:, ::-1]), np.ascontiguousarray(product.alpha[:, ::-1]))
    return warped(product, matrix, width, height)


def vignette(rng: Rng, width: int, height: int, depth: float) -> np.ndarray:
    """[H, W, 1] light that falls off from somewhere, 1 − depth..1."""
    yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
    cx, cy = rng.uniform(0.2, 0.8) * width, rng.uniform(0.1, 0.8) * height
    r = ((xx - cx) / width) ** 2 + ((yy - cy) / height) ** 2
    return (1 - depth * np.clip(r * rng.uniform(0.8, 2), 0, 1))[..., None]


def make_backdrop(rng: Rng, sources: Sources, s: dict, width: int, height: int) -> tuple[np.ndarray, str]:
    """Float [H, W, 3] and its kind: plain, sweep or scene."""
    draw = rng.random()
    if draw < s["plain"]:
        if rng.random() < s["plain_pure_white"]:
            return np.ones((height, width, 3), np.float32), "plain"
        is_tinted = rng.random() >= 1 - s["plain_tinted"]
        colour = random_colour(rng) if is_tinted else np.clip(rng.uniform(0.85, 1.0) + rng.normal(0, 0.012, 3), 0, 1)
        flat = np.broadcast_to(colour.astype(np.float32), (height, width, 3))
        return (flat * vignette(rng, width, height, rng.uniform(0, 0.12))).astype(np.float32), "plain"
    if draw < s["plain"] + s["sweep"]:
        return sweep(rng, width, height), "sweep"
    if sources.clutter and rng.random() < s["clutter"]:
        return clutter(rng, sources, width, height), "clutter"
    return scene(rng, sources, width, height), "scene"


def random_colour(rng: Rng) -> np.ndarray:
    hsv = np.array([[[rng.uniform(0, 360), rng.uniform(0.05, 0.8), rng.uniform(0.15, 1)]]], np.float32)
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0]


def sweep(rng: Rng, width: int, height: int) -> np.ndarray:
    """Studio paper: a table that bends up into a wall."""
    yy = np.mgrid[0:height, 0:width][0].astype(np.float32) / height
    bend, soft = rng.uniform(0.4, 0.85), rng.uniform(0.01, 0.25)
    t = 1 / (1 + np.exp(-np.clip((yy - bend) / soft, -30, 30)))
    wall = np.clip(rng.uniform(0.5, 1) + rng.normal(0, 0.02, 3), 0, 1) if rng.random() < 0.6 else random_colour(rng)
    table = np.clip(wall * rng.uniform(0.8, 1.15), 0, 1)
    picture = wall * (1 - t[..., None]) + table * t[..., None]
    return (picture * vignette(rng, width, height, rng.uniform(0.05, 0.4))).astype(np.float32)


def clutter(rng: Rng, sources: Sources, width: int, height: int) -> np.ndarray:
    """A whole photo of many things, in or out of focus: nothing in it is the product."""
    picture = filling(rng, sources.clutter[int(rng.integers(len(sources.clutter)))](), width, height)
    picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(1, 8)) if rng.random() < 0.5 else picture
    return picture * vignette(rng, width, height, rng.uniform(0, 0.4))


def surface(rng: Rng, sources: Sources, width: int, height: int) -> np.ndarray:
    """A licensed texture, enlarged to the frame, small ones mirrored into tiles."""
    picture = sources.backgrounds[int(rng.integers(len(sources.backgrounds)))]()
    if rng.random() < 0.5:
        picture = picture[:, ::-1]
    if min(picture.shape[:2]) < 300 and rng.random() < 0.6:
        picture = np.concatenate([picture, picture[:, ::-1]], 1)
        picture = np.concatenate([picture, picture[::-1]], 0)
    return filling(rng, picture, width, height)


def filling(rng: Rng, picture: np.ndarray, width: int, height: int) -> np.ndarray:
    """Some part of a picture, enlarged to the frame; float in 0..1."""
    h, w = picture.shape[:2]
    factor = max(width / w, height / h) * rng.uniform(1.0, 1.6)
    big = cv2.resize(np.ascontiguousarray(picture), (int(np.ceil(w * factor)), int(np.ceil(h * factor))), interpolation=cv2.INTER_CUBIC)
    y, x = int(rng.integers(big.shape[0] - height + 1)), int(rng.integers(big.shape[1] - width + 1))
    return big[y : y + height, x : x + width].astype(np.float32).clip(0, 255) / 255


def scene(rng: Rng, sources: Sources, width: int, height: int) -> np.ndarray:
    """A floor or wall; two surfaces that meet; or blurred clutter behind a surface."""
    picture = surface(rng, sources, width, height)
    kind = rng.random()
    if kind < 0.4:
        edge = int(height * rng.uniform(0.35, 0.75))
        floor = surface(rng, sources, width, height)
        if rng.random() < 0.6:
            picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(1, 8))
        if rng.random() < 0.5:
            for _ in range(int(rng.integers(1, 4))):
                thing = some_object(rng, sources, int(0.7 * height))
                back = Sprite(picture.copy(), np.ones((height, width), np.float32))
                lay(back, thing, edge - thing.alpha.shape[0] + int(0.05 * height), int(rng.uniform(-0.1, 0.9) * width))
                picture = cv2.GaussianBlur(back.rgb, (0, 0), rng.uniform(2, 9))
        picture = picture.copy()
        picture[edge:] = floor[edge:]
    elif kind < 0.55:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(2, 15))
    return picture * vignette(rng, width, height, rng.uniform(0, 0.5))


def some_object(rng: Rng, sources: Sources, side: int) -> Sprite:
    if sources.cutouts and rng.random() < 0.5:
        sprite = tinted(rng, sources.cutouts[int(rng.integers(len(sources.cutouts)))]()[0])
    else:
        sprite = render(str(rng.choice(sources.families)), rng, 320, pick_material(rng, 0.2))
    h, w = sprite.alpha.shape
    factor = side * rng.uniform(0.3, 1) / max(h, w)
    return warped(sprite, np.array([[factor, 0, 0], [0, factor, 0]]), max(2, int(w * factor)), max(2, int(h * factor)))


def with_prop(rng: Rng, sources: Sources, s: dict, picture: np.ndarray, layer: Sprite) -> tuple[np.ndarray, Sprite]:
    """Something beside, behind or under the product, smaller, blurred or cut by the frame: it belongs to the background."""
    H, W = layer.alpha.shape
    ys, xs = np.where(layer.alpha > 0.5)
    if len(ys) == 0:
        return picture, layer
    back = Sprite(picture.astype(np.float32).copy(), np.ones((H, W), np.float32))
    if rng.random() < 0.35:  # a block, tray or board under it
        w, y = xs.max() - xs.min(), ys.max()
        half, thick = int(w * rng.uniform(0.5, 0.9)), int(H * rng.uniform(0.03, 0.25))
        cx = (xs.max() + xs.min()) // 2
        top = int(y - thick * rng.uniform(0, 0.3))
        colour = pick_material(rng, 0.3).colour
        slab = np.zeros((H, W), np.float32)
        slab[max(0, top) : top + thick, max(0, cx - half) : cx + half] = 1
        slab = cv2.GaussianBlur(slab, (0, 0), rng.uniform(0.6, 2))
        face = np.broadcast_to(colour, back.rgb.shape) * (1 - 0.25 * (np.mgrid[0:H, 0:W][0] > top + thick * 0.3))[..., None]
        lay(back, Sprite(face.astype(np.float32), slab), 0, 0)
    else:
        size = max(ys.max() - ys.min(), xs.max() - xs.min())
        thing = some_object(rng, sources, int(max(24, size * rng.uniform(0.25, 0.7))))
        h, w = thing.alpha.shape
        beside = int(xs.max() + rng.uniform(-0.1, 0.2) * W) if rng.random() < 0.5 else int(xs.min() - w - rng.uniform(-0.1, 0.2) * W)
        if rng.random() < 0.4:
            beside = int(rng.choice([-w // 2, W - w // 2]))
        lay(back, thing, int(ys.max() - h + rng.uniform(-0.15, 0.1) * H), beside)
        if rng.random() < 0.4:
            back.rgb = cv2.GaussianBlur(back.rgb, (0, 0), rng.uniform(1, 6))
    return back.rgb, layer


def shadow(rng: Rng, alpha: np.ndarray) -> np.ndarray:
    """[H, W] darkness 0..1 on the backdrop: contact, cast, or both."""
    H, W = alpha.shape
    dark = np.zeros_like(alpha)
    ys, _ = np.where(alpha > 0.5)
    if len(ys) == 0:
        return dark
    foot = float(ys.max())
    kind = rng.random()
    if kind < 0.7:
        squash, lean = rng.uniform(0.05, 0.35), rng.uniform(-0.6, 0.6)
        matrix = np.array([[1, -lean * squash, lean * squash * foot], [0, squash, foot * (1 - squash) + H * rng.uniform(-0.01, 0.01)]])
        cast = cv2.warpAffine(alpha, matrix, (W, H))
        dark = np.maximum(dark, cv2.GaussianBlur(cast, (0, 0), max(1.0, W * rng.uniform(0.004, 0.04))) * rng.uniform(0.1, 0.7))
    if kind > 0.5:
        shift = np.array([[1, 0, W * rng.uniform(-0.04, 0.04)], [0, 1, H * rng.uniform(0.0, 0.04)]])
        drop = cv2.warpAffine(alpha, shift, (W, H))
        dark = np.maximum(dark, cv2.GaussianBlur(drop, (0, 0), max(1.0, W * rng.uniform(0.003, 0.03))) * rng.uniform(0.05, 0.55))
    return np.clip(dark, 0, 0.9)


def reflect(rng: Rng, picture: np.ndarray, layer: Sprite) -> np.ndarray:
    """The product mirrored in a glossy table, fading."""
    H, W = layer.alpha.shape
    ys, _ = np.where(layer.alpha > 0.5)
    if len(ys) == 0:
        return picture
    foot = float(ys.max())
    mirrored = warped(layer, np.array([[1, 0, 0], [0, -1, 2 * foot]], np.float32), W, H)
    fade = np.clip(1 - (np.mgrid[0:H, 0:W][0] - foot) / (H * rng.uniform(0.08, 0.4)), 0, 1) * rng.uniform(0.08, 0.4)
    a = (mirrored.alpha * fade)[..., None]
    return (picture * (1 - a) + mirrored.rgb * a).astype(np.float32)


def camera(rng: Rng, c: dict, picture: np.ndarray, alpha: np.ndarray, gentle: bool) -> tuple[np.ndarray, np.ndarray]:
    """What lens, sensor, editor and file do. Where the picture is blurred or resampled, alpha is too. `gentle` keeps faint outlines."""
    if rng.random() < c["cast"] and not gentle:
        picture = picture * np.exp(rng.normal(0, 0.05, 3))
    if rng.random() < c["exposure"] and not gentle:
        picture = np.clip(picture, 0, None) ** rng.uniform(0.75, 1.35) * rng.uniform(0.8, 1.15)
    picture = np.clip(picture, 0, 1).astype(np.float32)
    if rng.random() < c["blur"]:
        sigma = rng.uniform(0.4, 1.6)
        picture, alpha = cv2.GaussianBlur(picture, (0, 0), sigma), cv2.GaussianBlur(alpha, (0, 0), sigma)
    if rng.random() < c["resample"]:
        H, W = alpha.shape
        small = (int(W * (f := rng.uniform(0.5, 0.9))), int(H * f))
        picture, alpha = (cv2.resize(cv2.resize(x, small, interpolation=cv2.INTER_AREA), (W, H), interpolation=cv2.INTER_CUBIC) for x in (picture, alpha))
    if rng.random() < c["sharpen"]:
        picture = picture + rng.uniform(0.2, 1.0) * (picture - cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.8, 2)))
    if rng.random() < c["noise"]:
        strength = rng.uniform(0.002, 0.006 if gentle else 0.03)
        grain = rng.standard_normal(picture.shape).astype(np.float32)
        picture = picture + strength * (cv2.GaussianBlur(grain, (0, 0), 0.7) * 2 if rng.random() < 0.5 else grain)
    photo = np.clip(picture * 255 + 0.5, 0, 255).astype(np.uint8)
    quality = int(rng.integers(75 if gentle else c["jpeg"][0], c["jpeg"][1] + 1))
    coded = cv2.imencode(".jpg", photo[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    photo = np.ascontiguousarray(cv2.imdecode(coded, cv2.IMREAD_COLOR)[..., ::-1])
    return photo, np.clip(alpha * 255 + 0.5, 0, 255).astype(np.uint8)


def training_families() -> list[str]:
    return [name for name in FAMILIES if name not in HELD_FAMILIES]
