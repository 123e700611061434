/**
 * An inspector of finished files that shares no code with the service: it decodes the file and looks at pixels, as a
 * marketplace's own check would.
 */
import sharp from 'sharp';

export type HeroCheck = {
  readonly width: number;
  readonly height: number;
  readonly format: string | undefined;
  readonly space: string | undefined;
  readonly channels: number;
  readonly hasExif: boolean;
  /** Box of the pixels that are not exactly (255,255,255); zero size where there is none. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Longer side of the box ÷ canvas side. */
  readonly fill: number;
  /** Distance between the centres of box and canvas, px. */
  readonly offCentre: { readonly x: number; readonly y: number };
  readonly cornersWhite: boolean;
};

export const checkHero = async (file: Uint8Array): Promise<HeroCheck> => {
  const image = sharp(file);
  const { format, space, exif } = await image.metadata();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const isWhite = (x: number, y: number): boolean => {
    const at = (y * width + x) * channels;
    return data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 255;
  };
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (isWhite(x, y)) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  const box = { x: left, y: top, width: Math.max(0, right - left + 1), height: Math.max(0, bottom - top + 1) };
  return {
    width,
    height,
    format,
    space,
    channels,
    hasExif: exif !== undefined,
    box,
    fill: Math.max(box.width / width, box.height / height),
    offCentre: { x: Math.abs(box.x + box.width / 2 - width / 2), y: Math.abs(box.y + box.height / 2 - height / 2) },
    cornersWhite: [
      [0, 0],
      [width - 1, 0],
      [0, height - 1],
      [width - 1, height - 1],
    ].every(([x, y]) => isWhite(x as number, y as number)),
  };
};
