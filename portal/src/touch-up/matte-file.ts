/** The edited matte as the file that the API takes: a PNG whose alpha channel it is. */
import { frameOf, type Gray } from '../../../shared/imaging/raster.ts';

export const matteFile = async (plane: Gray): Promise<Blob> => {
  const { width, height } = frameOf(plane);
  const canvas = new OffscreenCanvas(width, height);
  const drawing = canvas.getContext('2d');
  if (!drawing) throw new Error('no 2d canvas');
  const image = new ImageData(width, height);
  for (let i = 0; i < plane.data.length; i++) image.data[i * 4 + 3] = plane.data[i]!;
  // An alpha channel that is opaque everywhere is taken for none: this one is meant, and 254 is as good.
  if (plane.data.every((alpha) => alpha === 255)) image.data[3] = 254;
  drawing.putImageData(image, 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
};
