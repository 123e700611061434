/** Photos of a folder, and the true mattes beside them. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import sharp from 'sharp';
import type { Gray } from '../../shared/imaging/raster.ts';

const PHOTO = /\.(jpe?g|png|webp|avif|tiff?)$/i;

export type PairPhoto = { readonly subset: string; readonly name: string; readonly path: string };

/** DIR/<subset>/NAME.jpg and DIR/NAME.jpg: photos of DIR and of its folders, one level deep, by path. */
export const photosOf = async (dir: string): Promise<PairPhoto[]> => {
  const entries = await readdir(dir, { withFileTypes: true });
  const photosIn = (names: readonly string[], subset: string): PairPhoto[] =>
    names
      .filter((file) => PHOTO.test(file) && !file.includes('.mask.'))
      .map((file) => ({ subset, name: basename(file, extname(file)), path: join(dir, subset, file) }));
  const here = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }) => photosIn(await readdir(join(dir, name)), name));
  return [...photosIn(here, ''), ...(await Promise.all(below)).flat()].sort((a, b) => (a.path < b.path ? -1 : 1));
};

/** NAME.mask.png beside the photo; undefined where there is none. */
export const truthBeside = async ({ path, name }: PairPhoto): Promise<Gray | undefined> => {
  const truth = await readFile(join(dirname(path), `${name}.mask.png`)).catch(() => undefined);
  if (!truth) return undefined;
  const { data, info } = await sharp(truth)
    .removeAlpha()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
};

/** The alpha of a cut-out file. */
export const alphaOf = async (file: Uint8Array | string): Promise<Gray> => {
  const { data, info } = await sharp(file)
    .ensureAlpha()
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
};
