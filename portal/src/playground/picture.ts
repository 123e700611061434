/** Decoding and resizing by the browser, which origin does with its image library. All else is shared code. */
import { embeddedCutout } from '../../../shared/imaging/embedded-alpha.ts';
import type { Box, Gray, Rgb, Size } from '../../../shared/imaging/raster.ts';
import type { Composed, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import { limits } from '../../../shared/limits.ts';

/** Larger photos are downsampled for the preview. */
const PIXELS_MAX = 16_000_000;

/** Upright, sRGB. `pixels` is opaque; `alpha` and `cutout` are those of a file that already carried a cut-out. */
export type Picture = Size & {
  /** Of the file, which may be larger. */
  readonly original: Size;
  readonly pixels: OffscreenCanvas;
  readonly alpha: Gray | undefined;
  readonly cutout: OffscreenCanvas | undefined;
};

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

const rgbaOf = (rgb: Uint8Array): Uint8ClampedArray<ArrayBuffer> => {
  const rgba = new Uint8ClampedArray((rgb.length / 3) * 4).fill(255);
  for (let i = 0, j = 0; j < rgb.length; i += 4, j += 3) {
    rgba[i] = rgb[j]!;
    rgba[i + 1] = rgb[j + 1]!;
    rgba[i + 2] = rgb[j + 2]!;
  }
  return rgba;
};

const alphaOf = ({ data }: ImageData): Uint8Array => {
  const alpha = new Uint8Array(data.length / 4);
  for (let i = 0; i < alpha.length; i++) alpha[i] = data[i * 4 + 3]!;
  return alpha;
};

const copied = (canvas: OffscreenCanvas): OffscreenCanvas => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  context(copy).drawImage(canvas, 0, 0);
  return copy;
};

const canvasOf = (rgba: Uint8ClampedArray<ArrayBuffer>, { width, height }: Size): OffscreenCanvas => {
  const canvas = new OffscreenCanvas(width, height);
  context(canvas).putImageData(new ImageData(rgba, width, height), 0, 0);
  return canvas;
};

/** Throws Unreadable. */
export const decode = async (file: Blob): Promise<Picture> => {
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => undefined);
  if (!bitmap)
    throw new Unreadable('The browser cannot read this file. JPEG, PNG, WebP, AVIF and GIF work everywhere.');
  if (Math.min(bitmap.width, bitmap.height) < limits.image.sideMin)
    throw new Unreadable('The image is too small to hold a product.');
  const scale = Math.min(1, Math.sqrt(PIXELS_MAX / (bitmap.width * bitmap.height)));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const pixels = new OffscreenCanvas(width, height);
  const drawing = context(pixels);
  drawing.drawImage(bitmap, 0, 0, width, height);
  const original = { width: bitmap.width, height: bitmap.height };
  bitmap.close();
  const { data } = drawing.getImageData(0, 0, width, height);
  const found = embeddedCutout({ data: new Uint8Array(data.buffer), width, height });
  const cutout = found && copied(pixels);
  // The few transparent pixels of any other file become white.
  drawing.globalCompositeOperation = 'destination-over';
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, width, height);
  return { original, pixels, width, height, alpha: found?.alpha, cutout };
};

const drawn = (source: CanvasImageSource, region: Box, size: Size): ImageData => {
  const drawing = context(new OffscreenCanvas(size.width, size.height));
  drawing.drawImage(source, region.x, region.y, region.width, region.height, 0, 0, size.width, size.height);
  return drawing.getImageData(0, 0, size.width, size.height);
};

/** What the shared stages read. A canvas resizes premultiplied colours, so transparent pixels do not bleed. */
export const photoSource = ({ pixels, cutout, alpha, width, height }: Picture): PhotoSource => ({
  size: { width, height },
  alpha,
  part: async (region, size) => ({ data: rgbOf(drawn(pixels, region, size)), ...size }),
  resize: async (picture: Rgb, size) => ({
    data: rgbOf(
      drawn(
        canvasOf(rgbaOf(picture.data), picture),
        { x: 0, y: 0, width: picture.width, height: picture.height },
        size,
      ),
    ),
    ...size,
  }),
  cutoutPart: async (region, size) => resizedCut(cutout ?? pixels, region, size),
});

/** A product without its background, straight RGBA. */
export type Cut = OffscreenCanvas;

export const cutOf = (rgb: Rgb, alpha: Gray): Cut => {
  const rgba = rgbaOf(rgb.data);
  for (let i = 0; i < alpha.data.length; i++) rgba[i * 4 + 3] = alpha.data[i]!;
  return canvasOf(rgba, rgb);
};

/** `box` of it, stretched to `size`; a canvas resizes premultiplied colours. */
export const resizedCut = (cut: Cut, box: Box, size: Size): { rgb: Rgb; alpha: Gray } => {
  const image = drawn(cut, box, size);
  return { rgb: { data: rgbOf(image), ...size }, alpha: { data: alphaOf(image), ...size } };
};

const composedCanvas = (picture: Composed): OffscreenCanvas =>
  canvasOf(picture.channels === 4 ? new Uint8ClampedArray(picture.data) : rgbaOf(picture.data), picture);

export const toBitmap = (picture: Composed): ImageBitmap => composedCanvas(picture).transferToImageBitmap();

/** The longer side becomes `side` px. */
export const reducedBitmap = (picture: Composed, side: number): ImageBitmap => {
  const scale = side / Math.max(picture.width, picture.height);
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
  context(canvas).drawImage(composedCanvas(picture), 0, 0, canvas.width, canvas.height);
  return canvas.transferToImageBitmap();
};
