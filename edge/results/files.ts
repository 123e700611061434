/** The files of finished images, as they are downloaded together: under names that are unique among them. Pure. */
import type { Snapshot, SnapshotImage } from '../batch/port.ts';
import { filenamesOf } from '../responses/image.ts';
import { outputKeys } from '../stores/object-keys.ts';

/** Images that are shown together may be of several batches. */
export type ShownImage = { readonly batch: Snapshot; readonly image: SnapshotImage };

export type ResultFile = { readonly name: string; readonly objectKey: string };
/**
 * The place of a file in the archives of its images, which it has from the start and keeps: parts that are fetched one
 * after the other lack and repeat nothing, whatever is finished, delivered or deleted meanwhile. `gone`: what was
 * deleted, or whose life has ended, by name, or by image where the name is forgotten.
 */
export type ResultSlot = { readonly file?: ResultFile; readonly gone?: string };

/** In the order of the images; a name that another file bears already gets -2, -3 …, whatever its letters' case. */
export const resultSlots = (images: readonly ShownImage[], nowMs: number): readonly ResultSlot[] => {
  const taken = new Set<string>();
  return images.flatMap(({ batch, image }): readonly ResultSlot[] => {
    const keys = outputKeys(batch.batchId, image.index, batch.options);
    if (image.isRemoved) return keys.map((_, i) => (i === 0 ? { gone: removedName(batch, image) } : {}));
    if (image.outcome?.status !== 'completed') return keys.map(() => ({}));
    const names = filenamesOf(batch, image);
    const isGone = image.isGone || nowMs >= batch.resultsUntilMs;
    return keys.map((objectKey, i) => {
      const name = uniqueName(names[i] ?? image.filename, taken);
      return isGone ? { gone: name } : { file: { name, objectKey } };
    });
  });
};

const removedName = ({ batchId }: Snapshot, { index }: SnapshotImage): string => `image ${index + 1} of ${batchId}`;

const uniqueName = (filename: string, taken: Set<string>): string => {
  const dot = filename.lastIndexOf('.');
  for (let n = 1; ; n++) {
    const name = n === 1 ? filename : `${filename.slice(0, dot)}-${n}${filename.slice(dot)}`;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
};
