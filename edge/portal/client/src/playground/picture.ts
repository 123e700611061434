/** Decoding and resizing by the browser: what origin does with its image library. All else is the shared code. */
import { limits } from '../../../../../shared/limits.ts';
import { meaningfulAlpha } from '../../../../../shared/imaging/alpha.ts';
import type { Box, Gray, Rgb, Size } from '../../../../../shared/imaging/raster.ts';

/** A preview looks at no more than this; larger photos are reduced first. */
const PIXELS_MAX = 16_000_000;

/** Upright, sRGB. `alpha`: the cut-out that the file already carried. */
export type Picture = Size & { readonly pixels: OffscreenCanvas; readonly alpha: Gray | undefined };

export class Unreadable extends Error {}

const context = (canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D => {
  const drawing = canvas.getContext('2d', { willReadFrequently: true, colorSpace: 'srgb' });
  if (!drawing) throw new Error('no 2d canvas');
  drawing.imageSmoothingEnabled = true;
  drawing.imageSmoothingQuality = 'high';
  return drawing;
};

const rgbOf = ({ data }: ImageData): Uint8Array => {
  const rgb = new Uint8Array((data.length / 4) * 3);
  for (let i = 0, j = 0; i < data.length; i += 4, j += 3) {
    rgb[j] = data[i]!;
    rgb[j + 1] = data[i + 1]!;
    rgb[j + 2] = data[i + 2]!;
  }
  return rgb;
};

export const decode = async (file: Blob): Promise<Picture> => {
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => undefined);
  if (!bitmap) throw new Unreadable('The browser cannot read this file. JPEG, PNG, WebP, AVIF and GIF work everywhere.');
  if (Math.min(bitmap.width, bitmap.height) < limits.image.sideMin) throw new Unreadable('The image is too small to hold a product.');
  const scale = Math.min(1, Math.sqrt(PIXELS_MAX / (bitmap.width * bitmap.height)));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const pixels = new OffscreenCanvas(width, height);
  const drawing = context(pixels);
  drawing.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const { data } = drawing.getImageData(0, 0, width, height);
  const cutout = meaningfulAlpha({ data: new Uint8Array(data.buffer), width, height });
  // What shows through the few transparent pixels of any other file is white paper.
  drawing.globalCompositeOperation = 'destination-over';
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, width, height);
  return { pixels, width, height, alpha: cutout?.alpha };
};

/** The part `window` of the picture at `size`. */
export const resized = ({ pixels }: Picture, window: Box, size: Size): Rgb => {
  const drawing = context(new OffscreenCanvas(size.width, size.height));
  drawing.drawImage(pixels, window.x, window.y, window.width, window.height, 0, 0, size.width, size.height);
  return { data: rgbOf(drawing.getImageData(0, 0, size.width, size.height)), ...size };
};

/** The whole picture, contained in a square, on `paper`. */
export const squared = ({ pixels, width, height }: Picture, side: number): ImageBitmap => {
  const canvas = new OffscreenCanvas(side, side);
  const drawing = context(canvas);
  const scale = side / Math.max(width, height);
  drawing.drawImage(pixels, (side - width * scale) / 2, (side - height * scale) / 2, width * scale, height * scale);
  return canvas.transferToImageBitmap();
};

export const toBitmap = ({ data, width, height }: { data: Uint8Array; width: number; height: number }, channels: 3 | 4): ImageBitmap => {
  const rgba = new Uint8ClampedArray(width * height * 4);
  if (channels === 4) rgba.set(data);
  else {
    for (let i = 0, j = 0; j < data.length; i += 4, j += 3) {
      rgba[i] = data[j]!;
      rgba[i + 1] = data[j + 1]!;
      rgba[i + 2] = data[j + 2]!;
      rgba[i + 3] = 255;
    }
  }
  const canvas = new OffscreenCanvas(width, height);
  context(canvas).putImageData(new ImageData(rgba, width, height), 0, 0);
  return canvas.transferToImageBitmap();
};
