/**
 * A photo file → the planes a matting network takes. For calibrating and measuring; the service has its own pipeline.
 */
import sharp from 'sharp';
import type { ModelInput } from '../catalogue.ts';

/**
 * Upright, sRGB, stretched to side × side, normalised: [1, 3, side, side], row-major planes. Throws on an unreadable
 * file.
 */
export const readPhoto = async (path: string, input: ModelInput, side = input.side): Promise<Float32Array> => {
  const pixels = await sharp(path)
    .autoOrient()
    .removeAlpha()
    .toColourspace('srgb')
    .resize(side, side, { fit: 'fill' })
    .raw()
    .toBuffer();
  return normalise(pixels, input);
};

/** Interleaved RGB bytes → normalised planes. */
export const normalise = (pixels: Uint8Array, input: ModelInput): Float32Array => {
  const area = pixels.length / 3;
  const planes = new Float32Array(pixels.length);
  for (let channel = 0; channel < 3; channel++) {
    const mean = input.mean[channel]!;
    const factor = 1 / input.scale[channel]!;
    const plane = channel * area;
    for (let i = 0; i < area; i++) planes[plane + i] = (pixels[i * 3 + channel]! - mean) * factor;
  }
  return planes;
};
