/** What a browser can show as a JPEG, on white. `quality`: of `toBlob`, 0 to 1. Undefined where it cannot be drawn. */
export const jpegOf = async (
  { bitmap, width, height }: { bitmap: ImageBitmap; width: number; height: number },
  quality: number,
): Promise<Blob | undefined> => {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.imageSmoothingQuality = 'high';
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  return (await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))) ?? undefined;
};
