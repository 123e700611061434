/** The picture for one set of options, with its report, from a photo that was seen once. */
import { scaleBox } from '../../../shared/imaging/box.ts';
import { checkCompliance } from '../../../shared/imaging/compliance.ts';
import { type Cutout, parseHex } from '../../../shared/imaging/cutout.ts';
import { targetSide } from '../../../shared/imaging/geometry.ts';
import { measure } from '../../../shared/imaging/measure.ts';
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import { compose } from '../../../shared/imaging/stages/compose.ts';
import type { Composed } from '../../../shared/imaging/stages/types.ts';
import { fileBounds } from '../../../shared/marketplaces/bounds.ts';
import { canvasSize, marketplaces } from '../../../shared/marketplaces/index.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import { placeCut, type SeenPhoto } from './preview.ts';
import type { Report } from './protocol.ts';

/** Cut-outs of one photo that are kept, one a canvas and fill: as many as marketplaces are shown at once, and some. */
const KEPT_MAX = 12;

export type MadeOutput = { readonly picture: Composed; readonly report: Report };
export type MakeOutput = (options: ResolvedOptions) => MadeOutput;

/** The preview's canvas has at most `side` px; what is reported is in px of the real file. */
export const outputMaker = (seen: SeenPhoto, side: number): MakeOutput => {
  const kept = new Map<string, Cutout>();
  const placed = (canvas: Size, fill: number): Cutout => {
    const key = `${canvas.width}x${canvas.height} ${targetSide(canvas, fill)}`;
    const cutout = kept.get(key) ?? placeCut(seen, canvas, fill);
    kept.delete(key);
    kept.set(key, cutout);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return cutout;
  };
  return (options) => {
    const canvas = canvasSize(options.canvas);
    const scale = Math.max(1, Math.max(canvas.width, canvas.height) / side);
    const small = { width: Math.round(canvas.width / scale), height: Math.round(canvas.height / scale) };
    const cutout = placed(small, options.fill);
    const picture = compose(cutout, options);
    const report = reportOf(picture, cutout, options, scale);
    return { picture, report: { ...report, findings: seen.findFor(options) } };
  };
};

/**
 * The rules, checked on the preview's pixels. `scale`: side of the real file / side of the preview, for the rules that
 * count pixels.
 */
const reportOf = (
  picture: Composed,
  cutout: Cutout,
  options: ResolvedOptions,
  scale: number,
): Omit<Report, 'findings'> => {
  const transparent = picture.channels === 4;
  const background = transparent ? ([0, 0, 0] as const) : parseHex(options.background);
  const { productBox: box, strayPixels, shadowPixels } = measure(picture, background, cutout, picture);
  if (!box) throw new Error('the preview holds no product');
  const canvas = canvasSize(options.canvas);
  const productBox = scaleBox(box, scale);
  const isWhite = options.background === '#ffffff';
  const compliance = checkCompliance(options.marketplace, {
    size: canvas,
    // The preview is no file: it keeps within any bytes, as the real one is made to.
    bytes: fileBounds(marketplaces[options.marketplace]).bytesMin,
    jpegQuality: options.format === 'jpg' ? options.quality : undefined,
    format: options.format,
    colourSpace: 'srgb',
    bitsPerSample: 8,
    transparent,
    notWhitePixels: isWhite ? strayPixels : picture.width * picture.height,
    shadowPixels: isWhite ? shadowPixels : 0,
    productBox,
  });
  return {
    marketplace: options.marketplace,
    compliance,
    plan: { canvas, product: rounded(productBox), background: strayPixels === 0 ? options.background : undefined },
  };
};

/** Edges are rounded, not sides, so that margins and product add up to the canvas. */
const rounded = ({ x, y, width, height }: Box): Box => {
  const [left, top] = [Math.round(x), Math.round(y)];
  return { x: left, y: top, width: Math.round(x + width) - left, height: Math.round(y + height) - top };
};
