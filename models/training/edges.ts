/**
 * `node models/training/edges.ts PHOTOS MATTES OUT`: gives the mattes of a candidate (MATTES/<subset>/NAME.png, at the
 * photos' size) the
 * pipeline's own edge refinement, so that it is compared with the pipeline edge for edge. Writes OUT/<subset>/NAME.png.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import sharp from 'sharp';
import { localColours } from '../../shared/imaging/local-colours.ts';
import type { Gray, Rgb } from '../../shared/imaging/raster.ts';
import { refineEdges } from '../../shared/imaging/refine-edges.ts';

/** As in shared/imaging/stages/refine.ts: 6 samples of a matte of 1024. */
const EDGE_SIGMA_SHARE = 6 / 1024;

const [photos, mattes, out] = process.argv.slice(2);
if (!photos || !mattes || !out) throw new Error('usage: node models/training/edges.ts PHOTOS MATTES OUT');

const readGray = async (path: string): Promise<Gray> => {
  const { data, info } = await sharp(path)
    .removeAlpha()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
};

const readRgb = async (path: string): Promise<Rgb> => {
  const { data, info } = await sharp(path)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
};

for (const entry of await readdir(mattes, { withFileTypes: true, recursive: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.png')) continue;
  const subset = entry.parentPath.slice(join(mattes).length + 1);
  const name = parse(entry.name).name;
  const rgb = await readRgb(join(photos, subset, `${name}.jpg`));
  const alpha = await readGray(join(mattes, subset, entry.name));
  if (alpha.width !== rgb.width || alpha.height !== rgb.height)
    throw new Error(`${subset}/${name}: the matte has another size than the photo`);
  refineEdges(rgb, alpha, localColours(rgb, alpha, EDGE_SIGMA_SHARE * Math.max(rgb.width, rgb.height)));
  await mkdir(join(out, subset), { recursive: true });
  await sharp(alpha.data, { raw: { width: alpha.width, height: alpha.height, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toFile(join(out, subset, `${name}.png`));
}
