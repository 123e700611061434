/**
 * `node models/training/regions.ts PAIRS OUT.jsonl`: what the pipeline measures of every region of the photos
 * PAIRS/<subset>/NAME.jpg, and how much of it is product by NAME.mask.png. One line a photo; `matting/regions.py` fits
 * the weights of shared/imaging/region-weights.ts to them.
 */
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { decode } from '../../origin/pipeline/decode.ts';
import { photoSource } from '../../origin/pipeline/photo-source.ts';
import { cellMeans } from '../../shared/imaging/fuse-passes.ts';
import { frameOf, type Gray } from '../../shared/imaging/raster.ts';
import { FEATURES, regionFeatures } from '../../shared/imaging/region-features.ts';
import { findRegions } from '../../shared/imaging/regions.ts';
import { resampleOnto } from '../../shared/imaging/resample.ts';
import { cellsOf, takeView } from '../../shared/imaging/stages/view.ts';
import { loadInfer } from '../../test/support/infer.ts';

/** Fewer cells are an edge, not a region. */
const AREA_MIN = 4;

const [pairs, out] = process.argv.slice(2);
if (!pairs || !out) throw new Error('usage: node models/training/regions.ts PAIRS OUT.jsonl');

const truthOf = async (path: string): Promise<Gray> => {
  const { data, info } = await sharp(path)
    .removeAlpha()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
};

const { infer } = await loadInfer();
await writeFile(out, '');
for (const subset of await readdir(pairs)) {
  const names = await readdir(join(pairs, subset)).catch(() => []);
  for (const name of names.filter((file) => file.endsWith('.jpg'))) {
    const photo = await decode(new Uint8Array(await readFile(join(pairs, subset, name))));
    if (!photo.ok) throw new Error(`${subset}/${name}: ${photo.failure.code}`);
    const view = await takeView(photoSource(photo.value), infer);
    if (!view) continue;
    const truth = await truthOf(join(pairs, subset, name.replace(/\.jpg$/, '.mask.png')));
    const cells = cellsOf(view);
    const wanted = cellMeans(resampleOnto(truth, frameOf(truth), view.region, view.fine));
    const regions = findRegions(cells);
    const features = regionFeatures(cells, regions);
    const product = new Float64Array(regions.area.length);
    wanted.forEach((alpha, cell) => {
      product[regions.label[cell]!]! += alpha / 255;
    });
    const kept = [...regions.area.keys()].filter((region) => regions.area[region]! >= AREA_MIN);
    const line = {
      id: `${subset}/${name.replace(/\.jpg$/, '')}`,
      product: product.reduce((sum, cellsIn) => sum + cellsIn, 0),
      area: kept.map((region) => regions.area[region]),
      share: kept.map((region) => Number((product[region]! / regions.area[region]!).toFixed(3))),
      x: kept.map((region) =>
        Array.from(features.subarray(region * FEATURES, (region + 1) * FEATURES), (value) => Number(value.toFixed(4))),
      ),
    };
    await appendFile(out, `${JSON.stringify(line)}\n`);
  }
}
