/** A decoded photo as the shared stages ask for it (shared/imaging/stages), cut and resized by sharp. */
import sharp from 'sharp';
import type { Box, Gray, Rgb, Size } from '../../shared/imaging/raster.ts';
import type { PhotoSource } from '../../shared/imaging/stages/types.ts';
import type { Photo } from './main-image.ts';

const raw = ({ data, width, height }: Rgb) => sharp(data, { raw: { width, height, channels: 3 } });
const extractOf = ({ x, y, width, height }: Box) => ({ left: x, top: y, width, height });

export const photoSource = ({ rgb, alpha }: Photo): PhotoSource => ({
  size: { width: rgb.width, height: rgb.height },
  alpha,
  part: async (region, size) => ({
    data: await raw(rgb)
      .extract(extractOf(region))
      .resize({ ...size, fit: 'fill', kernel: 'lanczos3' })
      .raw()
      .toBuffer(),
    ...size,
  }),
  resize: async (picture, size) => ({
    data: await raw(picture)
      .resize({ ...size, fit: 'fill' })
      .raw()
      .toBuffer(),
    ...size,
  }),
  cutoutPart: async (region, size) => {
    if (!alpha) throw new Error('the photo carries no cut-out');
    const rgba = await sharp(joined(rgb, alpha, region), {
      raw: { width: region.width, height: region.height, channels: 4 },
    })
      .resize({ ...size, fit: 'fill', kernel: 'lanczos3' })
      .raw()
      .toBuffer();
    return separated(rgba, size);
  },
});

/** Colours and alpha are resized together, so that the colours under transparent pixels stay out. */
const joined = (rgb: Rgb, alpha: Gray, region: Box): Uint8Array => {
  const part = new Uint8Array(region.width * region.height * 4);
  for (let y = 0, to = 0; y < region.height; y++) {
    for (let x = 0, from = (y + region.y) * rgb.width + region.x; x < region.width; x++, from++, to += 4) {
      part[to] = rgb.data[from * 3]!;
      part[to + 1] = rgb.data[from * 3 + 1]!;
      part[to + 2] = rgb.data[from * 3 + 2]!;
      part[to + 3] = alpha.data[from]!;
    }
  }
  return part;
};

const separated = (rgba: Uint8Array, size: Size): { rgb: Rgb; alpha: Gray } => {
  const pixels = size.width * size.height;
  const colour = new Uint8Array(pixels * 3);
  const cover = new Uint8Array(pixels);
  for (let i = 0; i < pixels; i++) {
    colour[i * 3] = rgba[i * 4]!;
    colour[i * 3 + 1] = rgba[i * 4 + 1]!;
    colour[i * 3 + 2] = rgba[i * 4 + 2]!;
    cover[i] = rgba[i * 4 + 3]!;
  }
  return { rgb: { data: colour, ...size }, alpha: { data: cover, ...size } };
};

/**
 * Frees the photo's pixels now; the garbage collector would keep these tens of megabytes through all later stages.
 */
export const releasePhoto = ({ rgb, alpha }: Photo): void => {
  for (const { data } of alpha ? [rgb, alpha] : [rgb]) (data.buffer as ArrayBuffer).transfer(0);
};
