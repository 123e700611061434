/** One run of the face detector over a photo. */
import { type Face, faceFrames, faceSquares, facesIn } from '../../../shared/imaging/findings/faces.ts';
import type { Rgb, Size } from '../../../shared/imaging/raster.ts';
import type { Infer } from '../main-image.ts';

/** `frame`: all of the photo at a size. What was found, in the pixels of a picture of all of it. */
export const detectFaces = async (
  frame: (size: Size) => Promise<Rgb>,
  photo: Size,
  infer: Infer,
): Promise<(picture: Size) => Face[]> => {
  const frames = faceFrames(photo);
  const squares = faceSquares(await frame(frames.whole), await frame(frames.halves));
  const bytes = await infer({ rgb: squares.data, width: squares.width, height: squares.height });
  // A view needs an offset that the frame it came in may not have.
  const figures = new Float32Array(bytes.slice().buffer);
  return (picture) => facesIn(figures, frames, picture);
};
