/**
 * `node test/support/landing-sample.ts`: a scene that this project renders and what the pipeline makes of it, for the
 * landing page's drawing: portal/public/samples/mug-*.webp, and portal/src/landing/sample.json, where the product is in
 * both.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { monotonicClock } from '../../origin/clock.ts';
import { decode } from '../../origin/pipeline/decode.ts';
import { makeMainImage } from '../../origin/pipeline/index.ts';
import { photoSource } from '../../origin/pipeline/photo-source.ts';
import { canvasFraming } from '../../shared/imaging/geometry.ts';
import { matte } from '../../shared/imaging/stages/matte.ts';
import { coarseProductBox, refineAt } from '../../shared/imaging/stages/refine.ts';
import { resolveOptions } from '../../shared/options.ts';
import { loadInfer } from './infer.ts';
import { renderScene } from './scenes.ts';

const WIDTH = 2_400;
/** Shown at 560 px or less; a photo is magnified beside its result. */
const PHOTO_WIDTH = 1_400;
const RESULT_SIDE = 1_000;
const portal = join(import.meta.dirname, '..', '..', 'portal');

const bytes = await renderScene('mug', { width: WIDTH });
const options = resolveOptions({});
const decoded = await decode(bytes);
if (!options.ok || !decoded.ok) throw new Error('the scene cannot be read');
const { infer } = await loadInfer();
const made = await makeMainImage(
  { bytes, options: options.value, watermark: false },
  { decode, infer, clock: monotonicClock },
);
if (!made.ok) throw new Error(made.failure.detail);
if (!made.value.compliance.passed) throw new Error('the sample does not meet the rules');
const photo = photoSource(decoded.value);
const found = await matte(photo, infer);
const product = found.ok ? coarseProductBox(found.value) : undefined;
if (!found.ok || !product) throw new Error('no product');
const canvas = { width: RESULT_SIDE, height: RESULT_SIDE };
const { window, size } = canvasFraming(product, photo.size, canvas, RESULT_SIDE);
const refined = await refineAt(photo, found.value, { window, size });
if (!refined) throw new Error('no product');
const { box } = refined;
const [x, y] = [window.width / size.width, window.height / size.height];
const rounded = (value: number): number => Math.round(value * 10) / 10;
const sample = {
  photo: photo.size,
  productInPhoto: {
    x: rounded(window.x + box.x * x),
    y: rounded(window.y + box.y * y),
    width: rounded(box.width * x),
    height: rounded(box.height * y),
  },
  canvas: { width: made.value.width, height: made.value.height },
  product: made.value.productBox,
};
await sharp(bytes)
  .resize(PHOTO_WIDTH)
  .webp({ quality: 78 })
  .toFile(join(portal, 'public', 'samples', 'mug-photo.webp'));
await sharp(made.value.clean)
  .resize(RESULT_SIDE)
  .webp({ quality: 84 })
  .toFile(join(portal, 'public', 'samples', 'mug-result.webp'));
await writeFile(
  join(portal, 'src', 'landing', 'sample.json'),
  `${JSON.stringify(sample, null, 2)}
`,
);
