/**
 * `npm run bench -- matte DIR [--out DIR]`: runs the pipeline over DIR/<subset>/NAME.jpg (or DIR/NAME.jpg), writes the
 * mattes as <out>/<subset>/NAME.png (8-bit grey, at the photo's size), and, where NAME.mask.png stands beside the
 * photos, prints how near they come to it.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import type { Gray } from '../../shared/imaging/raster.ts';
import { loadInfer } from '../support/infer.ts';
import { cutOut } from './cut-out.ts';
import { type MatteScore, scoreMatte, summarise } from './matte-score.ts';
import { alphaOf, photosOf, truthBeside } from './pairs.ts';

/** The matte of the full-frame cut-out; all background where no product is found. */
const matteOf = async (bytes: Uint8Array, infer: Awaited<ReturnType<typeof loadInfer>>['infer']): Promise<Gray> => {
  const file = await cutOut(bytes, infer);
  if (file) return alphaOf(file);
  const { info } = await sharp(bytes).autoOrient().raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(info.width * info.height), width: info.width, height: info.height };
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
    const { subset, name, path } = photo;
    const matte = await matteOf(new Uint8Array(await readFile(path)), model.infer);
    await mkdir(join(out, subset), { recursive: true });
    const png = await sharp(matte.data, { raw: { width: matte.width, height: matte.height, channels: 1 } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
    await writeFile(join(out, subset, `${name}.png`), png);
    const truth = await truthBeside(photo);
    if (truth) scores.push({ ...scoreMatte(matte, truth), subset: subset || '.', name });
  }
  for (const line of summarise(scores)) console.log(line);
  const runs = model.runs();
  console.log(
    `${photos.length} photos, ${(runs.length / Math.max(1, photos.length)).toFixed(2)} passes and ${(model.msTotal() / Math.max(1, photos.length)).toFixed(0)} ms of model each; mattes in ${out}`,
  );
};
