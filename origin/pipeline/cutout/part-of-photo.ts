/** A region of a photo, as the stages see a whole one: nothing outside of it can be found. */
import { type Box, frameOf, type Gray } from '../../../shared/imaging/raster.ts';
import type { PhotoSource } from '../../../shared/imaging/stages/types.ts';

export const partOfPhoto = (photo: PhotoSource, region: Box): PhotoSource => {
  const { width, height } = region;
  if (width === photo.size.width && height === photo.size.height) return photo;
  const inPhoto = (box: Box): Box => ({ ...box, x: box.x + region.x, y: box.y + region.y });
  return {
    size: { width, height },
    alpha: photo.alpha && partOfPlane(photo.alpha, region),
    part: (box, size) => photo.part(inPhoto(box), size),
    cutoutPart: (box, size) => photo.cutoutPart(inPhoto(box), size),
    resize: photo.resize,
  };
};

const partOfPlane = ({ data, width }: Gray, region: Box): Gray => {
  const part = new Uint8Array(region.width * region.height);
  for (let y = 0; y < region.height; y++) {
    const from = (y + region.y) * width + region.x;
    part.set(data.subarray(from, from + region.width), y * region.width);
  }
  return { ...frameOf(region), data: part };
};
