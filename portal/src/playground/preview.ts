/**
 * The free preview: the stages that origin runs (shared/imaging/stages), on the browser's canvas and the browser's
 * model runtime.
 */
import type { Compliance } from '../../../shared/api.ts';
import type { Failure } from '../../../shared/errors.ts';
import type { Finding } from '../../../shared/findings.ts';
import { checkCompliance } from '../../../shared/imaging/compliance.ts';
import { type Cutout, parseHex } from '../../../shared/imaging/cutout.ts';
import { measure } from '../../../shared/imaging/measure.ts';
import type { Size } from '../../../shared/imaging/raster.ts';
import { compose } from '../../../shared/imaging/stages/compose.ts';
import { decontaminate } from '../../../shared/imaging/stages/decontaminate.ts';
import { matte } from '../../../shared/imaging/stages/matte.ts';
import { refine } from '../../../shared/imaging/stages/refine.ts';
import { chooseRegion, matteInPhoto } from '../../../shared/imaging/stages/region.ts';
import type { Composed, Infer, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import { fileBounds } from '../../../shared/marketplaces/bounds.ts';
import { canvasSize, marketplaces } from '../../../shared/marketplaces/index.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { findInPreview } from './preview-findings.ts';

export type MadePreview = {
  readonly picture: Composed;
  readonly compliance: Compliance;
  readonly confidence: number;
  readonly findings: readonly Finding[];
};

/**
 * Fails with no_product_found. `original`: the file's size, of which `photo` may be a smaller copy. `options` are those of
 * the real run, a region in shares of the photo; the preview's canvas has at most `previewSide` px.
 */
export const makePreview = async (
  photo: PhotoSource,
  original: Size,
  options: ResolvedOptions,
  previewSide: number,
  infer: Infer,
): Promise<Result<MadePreview, Failure>> => {
  const canvas = canvasSize(options.canvas);
  const scale = Math.min(1, previewSide / Math.max(canvas.width, canvas.height));
  const small = { width: Math.round(canvas.width * scale), height: Math.round(canvas.height * scale) };
  const chosen = chooseRegion(photo, options.region);
  if (!chosen.ok) return chosen;
  const { source, within, at } = chosen.value;
  const found = await matte(source, infer, within);
  if (!found.ok) return found;
  const refined = await refine(photo, matteInPhoto(found.value, at), { ...options, canvas: small });
  if (!refined.ok) return refined;
  decontaminate(refined.value);
  const { cutout } = refined.value;
  const picture = compose(cutout, options);
  return ok({
    picture,
    confidence: found.value.confidence,
    findings: await findInPreview(chosen.value, original.width / photo.size.width, found.value, options),
    compliance: complianceOf(picture, cutout, options, options.layout === 'hero' ? 1 / scale : 1),
  });
};

/**
 * The rules, checked on the preview's pixels. `scale`: side of the real file / side of the preview, for the rules that
 * count pixels.
 */
const complianceOf = (picture: Composed, cutout: Cutout, options: ResolvedOptions, scale: number): Compliance => {
  const transparent = picture.channels === 4;
  const background = transparent ? ([0, 0, 0] as const) : parseHex(options.background);
  const { productBox: box, strayPixels, shadowPixels } = measure(picture, background, cutout, picture);
  if (!box) throw new Error('the preview holds no product');
  return checkCompliance(options.marketplace, {
    size: { width: Math.round(picture.width * scale), height: Math.round(picture.height * scale) },
    // The preview is no file: it keeps within any bytes, as the real one is made to.
    bytes: fileBounds(marketplaces[options.marketplace]).bytesMin,
    jpegQuality: options.format === 'jpg' ? options.quality : undefined,
    format: options.format,
    colourSpace: 'srgb',
    bitsPerSample: 8,
    transparent,
    notWhitePixels: options.background === '#ffffff' ? strayPixels : picture.width * picture.height,
    shadowPixels: options.background === '#ffffff' ? shadowPixels : 0,
    productBox: { x: box.x * scale, y: box.y * scale, width: box.width * scale, height: box.height * scale },
  });
};
