/**
 * `npm run bench -- matte DIR [--out DIR]`: runs the pipeline over DIR/<subset>/NAME.jpg (or DIR/NAME.jpg), writes the
 * mattes as <out>/<subset>/NAME.png (8-bit grey, at the photo's size), and, where NAME.mask.png stands beside the
 * photos, prints how near they come to it.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { monotonicClock } from '../../origin/clock.ts';
import { decode } from '../../origin/pipeline/decode.ts';
import { makeMainImage } from '../../origin/pipeline/index.ts';
import type { Gray } from '../../shared/imaging/raster.ts';
import { resolveOptions } from '../../shared/options.ts';
import { loadInfer } from '../support/infer.ts';
import { type MatteScore, scoreMatte, summarise } from './matte-score.ts';

const PHOTO = /\.(jpe?g|png|webp|avif|tiff?)$/i;

type Photo = { readonly subset: string; readonly path: string };

/** Photos of DIR and of its folders, one level deep. */
const photosOf = async (dir: string): Promise<Photo[]> => {
  const entries = await readdir(dir, { withFileTypes: true });
  const isPhoto = (name: string): boolean => PHOTO.test(name) && !name.includes('.mask.');
  const here = entries
    .filter((entry) => entry.isFile() && isPhoto(entry.name))
    .map((entry) => ({ subset: '', path: join(dir, entry.name) }));
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map(async (entry) => {
      const names = await readdir(join(dir, entry.name));
      return names.filter(isPhoto).map((name) => ({ subset: entry.name, path: join(dir, entry.name, name) }));
    });
  return [...here, ...(await Promise.all(below)).flat()].sort((a, b) => (a.path < b.path ? -1 : 1));
};

/** The matte of the full-frame cut-out; all background where no product is found. */
const matteOf = async (bytes: Uint8Array, infer: Awaited<ReturnType<typeof loadInfer>>['infer']): Promise<Gray> => {
  const options = resolveOptions({ layout: 'original', background: 'transparent', format: 'png' });
  if (!options.ok) throw new Error(options.failure.detail);
  const hero = await makeMainImage(
    { bytes, options: options.value, watermark: false },
    { decode, infer, clock: monotonicClock },
  );
  if (hero.ok) {
    const { data, info } = await sharp(hero.value.clean)
      .extractChannel('alpha')
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  }
  if (hero.failure.code !== 'no_product_found') throw new Error(`${hero.failure.code}: ${hero.failure.detail}`);
  const { info } = await sharp(bytes).autoOrient().raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(info.width * info.height), width: info.width, height: info.height };
};

const scoreBeside = async (photo: Photo, matte: Gray): Promise<MatteScore | undefined> => {
  const truth = await readFile(
    join(dirname(photo.path), `${basename(photo.path, extname(photo.path))}.mask.png`),
  ).catch(() => undefined);
  if (!truth) return undefined;
  const { data, info } = await sharp(truth)
    .removeAlpha()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.width !== matte.width || info.height !== matte.height)
    throw new Error(`${photo.path}: the mask has another size than the photo`);
  return scoreMatte(matte, { data, width: info.width, height: info.height });
};

export const main = async (args: string[]): Promise<void> => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { out: { type: 'string' } } });
  const dir = positionals[0];
  if (!dir) throw new Error('usage: npm run bench -- matte DIR [--out DIR]');
  const out = values.out ?? join(process.env['DATA_DIR'] ?? '.data', 'bench', 'matte');
  const model = await loadInfer();
  const scores: (MatteScore & { subset: string; name: string })[] = [];
  const photos = await photosOf(dir);
  for (const photo of photos) {
    const matte = await matteOf(new Uint8Array(await readFile(photo.path)), model.infer);
    const name = basename(photo.path, extname(photo.path));
    await mkdir(join(out, photo.subset), { recursive: true });
    const png = await sharp(matte.data, { raw: { width: matte.width, height: matte.height, channels: 1 } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
    await writeFile(join(out, photo.subset, `${name}.png`), png);
    const score = await scoreBeside(photo, matte);
    if (score) scores.push({ ...score, subset: photo.subset || '.', name });
  }
  for (const line of summarise(scores)) console.log(line);
  const runs = model.runs();
  console.log(
    `${photos.length} photos, ${(runs.length / Math.max(1, photos.length)).toFixed(2)} passes and ${(model.msTotal() / Math.max(1, photos.length)).toFixed(0)} ms of model each; mattes in ${out}`,
  );
};
