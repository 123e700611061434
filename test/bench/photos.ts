/** Photos for benchmarks: those of a folder, or scenes the project renders, brought to an even spread of sizes. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Photo } from '../support/local-system.ts';
import { renderScene, sceneNames } from '../support/scenes.ts';

const MEGA = 1_000_000;

/**
 * `count` JPEG photos from `from` to `to` megapixels. A photo of another size is scaled, so that every run measures the
 * same sizes.
 */
export const benchPhotos = async ({
  dir,
  count = 20,
  from = 1,
  to = 12,
}: {
  dir?: string | undefined;
  count?: number;
  from?: number;
  to?: number;
}): Promise<Photo[]> => {
  const sources = dir
    ? await photosOf(dir)
    : await Promise.all(sceneNames.map(async (name) => ({ name, bytes: await renderScene(name) })));
  if (sources.length === 0) throw new Error(`no photo in ${dir}`);
  const photos: Photo[] = [];
  for (let i = 0; i < count; i++) {
    const { name, bytes } = sources[Math.floor((i * sources.length) / count) % sources.length] as Photo;
    photos.push({ name, bytes: await scaledTo(bytes, (from + ((to - from) * i) / Math.max(1, count - 1)) * MEGA) });
  }
  return photos;
};

const photosOf = async (dir: string): Promise<Photo[]> => {
  const names = (await readdir(dir))
    .filter((name) => /\.(jpe?g|png|webp)$/i.test(name) && !name.includes('.mask.'))
    .sort();
  return Promise.all(names.map(async (name) => ({ name, bytes: new Uint8Array(await readFile(join(dir, name))) })));
};

const scaledTo = async (bytes: Uint8Array, pixels: number): Promise<Uint8Array> => {
  const { width = 1, height = 1 } = await sharp(bytes).metadata();
  const scale = Math.sqrt(pixels / (width * height));
  const scaled = await sharp(bytes)
    .resize(Math.round(width * scale), Math.round(height * scale), { fit: 'fill' })
    .jpeg({ quality: 90 })
    .toBuffer();
  return new Uint8Array(scaled);
};
