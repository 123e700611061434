/** Stage 5 for a result in the photo's own frame: its background, its shadow, the product; or the matte alone. */
import type { CutoutOptions } from '../../../shared/cutout-options.ts';
import {
  type Cutout,
  compositeOnTransparent,
  compositeOver,
  parseHex,
  solidCanvas,
} from '../../../shared/imaging/cutout.ts';
import type { Rgb } from '../../../shared/imaging/raster.ts';
import { castShadow } from '../../../shared/imaging/shadow.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import type { Composed } from '../main-image.ts';

type Wanted = Pick<ResolvedOptions, 'shadow'> & Pick<CutoutOptions, 'channels' | 'container' | 'background'>;

/** `picture`: the background of the frame's size, where the options ask for one. */
export const composeCutout = (cutout: Cutout, wanted: Wanted, picture: Rgb | undefined): Composed => {
  const { background, shadow } = wanted;
  if (wanted.channels === 'alpha') return matteOf(cutout);
  if (picture) return opaque(picture, cutout, shadow);
  if (background.endsWith('ff'))
    return opaque(solidCanvas(cutout.canvas, parseHex(background.slice(0, 7))), cutout, shadow);
  if (background === 'transparent' && shadow === 'none' && wanted.container === 'file')
    return { data: compositeOnTransparent(cutout), ...cutout.canvas, channels: 4 };
  return translucent(cutout, wanted);
};

const opaque = (canvas: Rgb, cutout: Cutout, shadow: Wanted['shadow']): Composed => {
  if (shadow === 'soft') castShadow(canvas, cutout);
  compositeOver(canvas, cutout);
  return { ...canvas, channels: 3 };
};

/** The coverage as grey, in three channels as all pictures without transparency. */
const matteOf = ({ alpha, at, canvas }: Cutout): Composed => {
  const picture = solidCanvas(canvas, [0, 0, 0]);
  eachPixel({ alpha, at, canvas }, (from, to) => picture.data.fill(alpha.data[from]!, to * 3, to * 3 + 3));
  return { ...picture, channels: 3 };
};

const CLEAR = '#ffffff00';

/** Product over shadow over a colour that lets something through, or nothing. */
const translucent = (cutout: Cutout, { background, shadow, container }: Wanted): Composed => {
  const { rgb, alpha, canvas } = cutout;
  const hex = background === 'transparent' ? CLEAR : background;
  const rgba = new Uint8Array(canvas.width * canvas.height * 4);
  const [r, g, b] = parseHex(hex.slice(0, 7));
  const ground = Uint8Array.of(r, g, b, Number.parseInt(hex.slice(7), 16));
  new Uint32Array(rgba.buffer).fill(new Uint32Array(ground.buffer)[0]!);
  if (shadow === 'soft') shade(rgba, cutout);
  eachPixel(cutout, (from, to) => {
    const [red, green, blue] = [rgb.data[from * 3]!, rgb.data[from * 3 + 1]!, rgb.data[from * 3 + 2]!];
    if (alpha.data[from]! > 0) over(rgba, to * 4, red, green, blue, alpha.data[from]!);
    // An archive's colours are a JPEG of their own, which would smear a white ground into the product's edge.
    else if (container === 'zip' && rgba[to * 4 + 3] === 0) rgba.set([red, green, blue], to * 4);
  });
  return { data: rgba, ...canvas, channels: 4 };
};

/** Black, as far as a shadow darkens white. */
const shade = (rgba: Uint8Array, cutout: Cutout): void => {
  const paper = solidCanvas(cutout.canvas, [255, 255, 255]);
  castShadow(paper, cutout);
  for (let i = 0; i < paper.data.length / 3; i++) {
    const light = paper.data[i * 3]!;
    if (light < 255) over(rgba, i * 4, 0, 0, 0, 255 - light);
  }
};

/** Porter & Duff's "over" on straight alpha, `a` of 255 parts, into four bytes at `to`. */
const over = (rgba: Uint8Array, to: number, r: number, g: number, b: number, a: number): void => {
  const below = (rgba[to + 3]! * (255 - a)) / 255;
  const cover = a + below;
  rgba[to] = (r * a + rgba[to]! * below) / cover + 0.5;
  rgba[to + 1] = (g * a + rgba[to + 1]! * below) / cover + 0.5;
  rgba[to + 2] = (b * a + rgba[to + 2]! * below) / cover + 0.5;
  rgba[to + 3] = cover + 0.5;
};

/** Every pixel of the cut-out that lies in its frame: its index in the one and in the other. */
const eachPixel = (
  { alpha, at, canvas }: Pick<Cutout, 'alpha' | 'at' | 'canvas'>,
  take: (from: number, to: number) => void,
): void => {
  for (let y = Math.max(0, -at.y); y < Math.min(alpha.height, canvas.height - at.y); y++)
    for (let x = Math.max(0, -at.x); x < Math.min(alpha.width, canvas.width - at.x); x++)
      take(y * alpha.width + x, (y + at.y) * canvas.width + x + at.x);
};
