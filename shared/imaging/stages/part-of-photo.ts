/** A region of a photo, as the stages see a whole one: nothing outside of it can be found. */
import { type Box, cropGray } from '../raster.ts';
import type { PhotoSource } from './types.ts';

export const partOfPhoto = (photo: PhotoSource, region: Box): PhotoSource => {
  const { width, height } = region;
  if (width === photo.size.width && height === photo.size.height) return photo;
  const inPhoto = (box: Box): Box => ({ ...box, x: box.x + region.x, y: box.y + region.y });
  return {
    size: { width, height },
    alpha: photo.alpha && cropGray(photo.alpha, region),
    part: (box, size) => photo.part(inPhoto(box), size),
    cutoutPart: (box, size) => photo.cutoutPart(inPhoto(box), size),
    resize: photo.resize,
  };
};
