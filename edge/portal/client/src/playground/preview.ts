/**
 * The free preview: origin's stages (origin/pipeline) in the browser. Geometry, matte, edges, colours, composition and measuring are the shared code; only
 * decoding, resizing and the model's runtime are the browser's.
 */
import type { Compliance } from '../../../../../shared/api.ts';
import { boxOf, longerSide } from '../../../../../shared/imaging/box.ts';
import { checkCompliance } from '../../../../../shared/imaging/compliance.ts';
import { dropIslands } from '../../../../../shared/imaging/components.ts';
import { type Cutout, filledCanvas, layOver, onTransparent, parseHex } from '../../../../../shared/imaging/cutout.ts';
import { refineEdges } from '../../../../../shared/imaging/edges.ts';
import { estimateForeground } from '../../../../../shared/imaging/foreground.ts';
import { fusePasses } from '../../../../../shared/imaging/fuse.ts';
import { type Framing, boxInPhoto, centredAt, heroFraming, originalFraming, targetSide, windowInMatte } from '../../../../../shared/imaging/geometry.ts';
import { type LocalColours, localColours } from '../../../../../shared/imaging/local-colours.ts';
import { measure } from '../../../../../shared/imaging/measure.ts';
import { type Box, type Gray, type Rgb, type Size, frameOf } from '../../../../../shared/imaging/raster.ts';
import { resampleGray } from '../../../../../shared/imaging/resample.ts';
import { castShadow } from '../../../../../shared/imaging/shadow.ts';
import type { ResolvedOptions } from '../../../../../shared/options.ts';
import type { Infer } from './engine.ts';
import { type Picture, resized } from './picture.ts';

const FINE = 1024;
const COARSE = 512;
const COARSE_TRUST = 0.2;
const PRODUCT_SHARE_MIN = 0.0005;
const BOX_THRESHOLD = 96;
const FILL_MISS_MAX = 0.0015;
const ATTEMPTS_MAX = 3;
const EDGE_SIGMA_SAMPLES = 6;

export class NoProduct extends Error {}

export type Composed = { readonly data: Uint8Array; readonly width: number; readonly height: number; readonly channels: 3 | 4 };
export type Hero = { readonly picture: Composed; readonly compliance: Compliance };

const look = async (picture: Picture, side: number, infer: Infer): Promise<Gray> => {
  const size = { width: side, height: side };
  const { data } = resized(picture, frameOf(picture), size);
  return { data: await infer({ rgb: data, ...size }), ...size };
};

const matteOf = async (picture: Picture, infer: Infer): Promise<Gray> => {
  if (picture.alpha) return picture.alpha;
  const fine = await look(picture, FINE, infer);
  const coarse = await look(picture, COARSE, infer);
  const plane = fusePasses([{ matte: fine, trust: 1 }, { matte: resampleGray(coarse, frameOf(coarse), fine), trust: COARSE_TRUST }]);
  if (dropIslands(plane) < PRODUCT_SHARE_MIN * plane.data.length) throw new NoProduct();
  return plane;
};

type Worked = { readonly rgb: Rgb; readonly alpha: Gray; readonly colours: LocalColours | undefined; readonly box: Box };

const workOn = (picture: Picture, matte: Gray, { window, size }: Framing): Worked => {
  const rgb = resized(picture, window, size);
  const frame = frameOf(picture);
  const alpha = resampleGray(matte, windowInMatte(window, frame, matte), size);
  let colours: LocalColours | undefined;
  if (!picture.alpha) {
    const samplePx = ((frame.width / matte.width) * size.width) / window.width;
    colours = localColours(rgb, alpha, EDGE_SIGMA_SAMPLES * samplePx);
    refineEdges(rgb, alpha, colours);
  }
  const box = boxOf(alpha, 1);
  if (!box) throw new NoProduct();
  return { rgb, alpha, colours, box };
};

/** As origin's stage 3: the refined box is measured and the scale corrected until it fits. */
const forCanvas = (picture: Picture, matte: Gray, product: Box, { canvas, fill }: ResolvedOptions): { worked: Worked; at: { x: number; y: number }; canvas: Size } => {
  const target = targetSide(canvas, fill);
  let aim = target;
  for (let attempt = 1; ; attempt++) {
    const worked = workOn(picture, matte, heroFraming(product, picture, aim));
    const side = longerSide(worked.box);
    if (Math.abs(side - target) <= Math.max(0.5, FILL_MISS_MAX * canvas) || attempt === ATTEMPTS_MAX) {
      return { worked, at: centredAt(worked.box, canvas), canvas: { width: canvas, height: canvas } };
    }
    aim *= target / side;
  }
};

const cutOut = (picture: Picture, matte: Gray, options: ResolvedOptions): Cutout => {
  const found = boxOf(matte, BOX_THRESHOLD);
  if (!found) throw new NoProduct();
  const product = boxInPhoto(found, frameOf(picture), matte);
  const framing = originalFraming(product, picture);
  const { worked, at, canvas } =
    options.layout === 'original'
      ? { worked: workOn(picture, matte, framing), at: { x: framing.window.x, y: framing.window.y }, canvas: { width: picture.width, height: picture.height } }
      : forCanvas(picture, matte, product, options);
  if (worked.colours) estimateForeground(worked.rgb, worked.alpha, worked.colours);
  return { rgb: worked.rgb, alpha: worked.alpha, at, canvas };
};

const compose = (cutout: Cutout, { background, shadow }: ResolvedOptions): Composed => {
  if (background === 'transparent') return { data: onTransparent(cutout), ...cutout.canvas, channels: 4 };
  const canvas = filledCanvas(cutout.canvas, parseHex(background));
  if (shadow === 'soft') castShadow(canvas, cutout);
  layOver(canvas, cutout);
  return { ...canvas, channels: 3 };
};

/** `scale`: how much larger the real file will be; the rules about pixels are for that one. */
const inspect = (picture: Composed, cutout: Cutout, options: ResolvedOptions, scale: number): Compliance => {
  const transparent = picture.channels === 4;
  const found = measure(picture, transparent ? [0, 0, 0] : parseHex(options.background), cutout);
  const box = found.productBox;
  if (!box) throw new NoProduct();
  return checkCompliance(options.marketplace, {
    size: { width: picture.width * scale, height: picture.height * scale },
    format: options.format,
    colourSpace: 'srgb',
    bitsPerSample: 8,
    transparent,
    notWhitePixels: options.background === '#ffffff' ? found.strayPixels : picture.width * picture.height,
    productBox: { x: box.x * scale, y: box.y * scale, width: box.width * scale, height: box.height * scale },
  });
};

/** Throws NoProduct. `options` are those of the real run; the preview's canvas is `previewSide` px. */
export const makePreview = async (picture: Picture, options: ResolvedOptions, previewSide: number, infer: Infer): Promise<Hero> => {
  const side = Math.min(options.canvas, previewSide);
  const matte = await matteOf(picture, infer);
  const cutout = cutOut(picture, matte, { ...options, canvas: side });
  const composed = compose(cutout, options);
  return { picture: composed, compliance: inspect(composed, cutout, options, options.layout === 'hero' ? options.canvas / side : 1) };
};
