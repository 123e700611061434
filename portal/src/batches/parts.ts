/** Photos of a folder as uploads: few of them each, and no more uploads than a folder may have. Pure. */
import { folderLimits } from './limits.ts';

/** `matte`: what is product in it, where somebody has said so by hand. */
export type Placed = { readonly position: number; readonly file: File; readonly matte?: Blob | undefined };
/** `isReplacement`: its photos may take the place of others. */
export type Part = { readonly id: string; readonly photos: readonly Placed[]; readonly isReplacement: boolean };

/** Photos in their order, as many as go into one request; one with a matte has a request of its own. */
export const partsOf = (photos: readonly Placed[], isReplacement: boolean): readonly Part[] => {
  const { photosPerUpload, bytesPerUpload, bytesPerUploadMax, uploadsAimed } = folderLimits;
  const total = photos.reduce((sum, { file }) => sum + file.size, 0);
  const bytesMax = Math.min(bytesPerUploadMax, Math.max(bytesPerUpload, total / uploadsAimed));
  const parts: Placed[][] = [];
  let bytes = 0;
  for (const photo of photos) {
    const last = parts.at(-1);
    const isAlone = photo.matte !== undefined || last?.[0]?.matte !== undefined;
    const fits = last && !isAlone && last.length < photosPerUpload && bytes + photo.file.size <= bytesMax;
    if (fits) last.push(photo);
    else parts.push([photo]);
    bytes = photo.file.size + (fits ? bytes : 0);
  }
  return parts.map((some) => ({ id: crypto.randomUUID(), photos: some, isReplacement }));
};
