/** A HEIC photo as a JPEG, made by the browser where it can read one, as Safari does. */
import { jpegOf } from './jpeg-of.ts';

const QUALITY = 0.95;

/** Upright, on white; undefined where the browser cannot read the file. */
export const heicToJpeg = async (file: File, name: string): Promise<File | undefined> => {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) return undefined;
  const { width, height } = bitmap;
  const blob = await jpegOf({ bitmap, width, height }, QUALITY);
  bitmap.close();
  return blob && new File([blob], name, { type: 'image/jpeg' });
};
