/** The files of finished images, as they are downloaded together: under names that are unique among them. Pure. */
import type { Snapshot, SnapshotImage } from '../batch/port.ts';
import { filenamesOf } from '../responses/image.ts';
import { outputKeys } from '../stores/object-keys.ts';

/** Images that are shown together may be of several batches. */
export type ShownImage = { readonly batch: Snapshot; readonly image: SnapshotImage };

export type ResultFile = { readonly name: string; readonly objectKey: string };
/** `gone`: finished files that were deleted, or whose life has ended, by name, or by image where the name is forgotten. */
export type ResultFiles = { readonly files: readonly ResultFile[]; readonly gone: readonly string[] };

/** In the order of the images; a name that another file bears already gets -2, -3 …, whatever its letters' case. */
export const resultFiles = (images: readonly ShownImage[], nowMs: number): ResultFiles => {
  const taken = new Set<string>();
  const files: ResultFile[] = [];
  const gone: string[] = [];
  for (const { batch, image } of images) {
    if (image.isRemoved) gone.push(`image ${image.index + 1} of ${batch.batchId}`);
    if (image.isRemoved || image.outcome?.status !== 'completed') continue;
    const names = filenamesOf(batch, image);
    if (image.isGone || nowMs >= batch.resultsUntilMs) gone.push(...names);
    else
      for (const [i, objectKey] of outputKeys(batch.batchId, image.index, batch.options).entries())
        files.push({ name: uniqueName(names[i] ?? image.filename, taken), objectKey });
  }
  return { files, gone };
};

const uniqueName = (filename: string, taken: Set<string>): string => {
  const dot = filename.lastIndexOf('.');
  for (let n = 1; ; n++) {
    const name = n === 1 ? filename : `${filename.slice(0, dot)}-${n}${filename.slice(dot)}`;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
};
