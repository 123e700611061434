/** A HEIC photo as a JPEG, made by the browser where it can read one, as Safari does. */

/** Of `toBlob`, 0 to 1. */
const QUALITY = 0.95;

/** Upright, on white; undefined where the browser cannot read the file. */
export const heicToJpeg = async (file: File, name: string): Promise<File | undefined> => {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) return undefined;
  const canvas = document.createElement('canvas');
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, bitmap.width, bitmap.height);
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  return blob ? new File([blob], name, { type: 'image/jpeg' }) : undefined;
};
