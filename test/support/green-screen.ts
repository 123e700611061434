/**
 * A stand-in for the model on photos whose background is one green: what is not that green is product. Exact where the
 * edge is a mixture of the two.
 */
import sharp from 'sharp';
import type { Infer } from '../../origin/pipeline/index.ts';

export const GREEN = { r: 20, g: 200, b: 60 } as const;

/** Alpha by how far a pixel has left the green, full from 60 levels on. */
export const greenScreen: Infer = async ({ rgb, width, height }) => {
  const matte = new Uint8Array(width * height);
  for (let i = 0; i < matte.length; i++) {
    const distance = Math.hypot(rgb[i * 3]! - GREEN.r, rgb[i * 3 + 1]! - GREEN.g, rgb[i * 3 + 2]! - GREEN.b);
    matte[i] = Math.min(255, Math.max(0, Math.round(((distance - 12) / 60) * 255)));
  }
  return matte;
};

/** SVG shapes (coordinates in px of the photo) on the green, as raw RGB. */
export const onGreen = async (shapes: string, width: number, height: number): Promise<Uint8Array> => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="rgb(${GREEN.r},${GREEN.g},${GREEN.b})"/>${shapes}</svg>`;
  return new Uint8Array(await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer());
};

/** The same as a file. */
export const fileOnGreen = async (
  shapes: string,
  width: number,
  height: number,
  format: 'jpeg' | 'png' = 'png',
): Promise<Uint8Array> => {
  const image = sharp(await onGreen(shapes, width, height), { raw: { width, height, channels: 3 } });
  return new Uint8Array(
    await (format === 'png' ? image.png() : image.jpeg({ quality: 95, chromaSubsampling: '4:4:4' })).toBuffer(),
  );
};
