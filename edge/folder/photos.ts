/** The photos of a folder, each as the last of its batches has it. */
import type { FolderBatch } from '../account/folders/port.ts';
import type { Snapshot, SnapshotImage } from '../batch/port.ts';
import type { Services } from '../ports.ts';
import type { ShownImage } from '../results/files.ts';

export type FolderPhotoImage = ShownImage & { readonly position: number };

/** Without those that were never opened, or were deleted. A batch of another account would be a bug, and is left out. */
export const openBatches = async (
  { sagaOf }: Pick<Services, 'sagaOf'>,
  accountId: string,
  batches: readonly FolderBatch[],
): Promise<readonly (FolderBatch & { readonly batch: Snapshot })[]> => {
  const found = await Promise.all(
    batches.map(async (one) => ({ ...one, batch: await sagaOf(one.batchId).snapshot({ evenAsking: true }) })),
  );
  return found.flatMap(({ batch, ...one }) => (batch?.accountId === accountId ? [{ ...one, batch }] : []));
};

/** By position. A photo that was sent again is shown as it was sent last. */
export const photosOf = (
  batches: readonly (FolderBatch & { readonly batch: Snapshot })[],
): readonly FolderPhotoImage[] => {
  const last = new Map<number, FolderPhotoImage>();
  for (const { batch, positions } of batches)
    for (const image of batch.images) {
      const position = positions[image.index];
      if (position !== undefined) last.set(position, { position, batch, image });
    }
  return Array.from(last.values()).sort((a, b) => a.position - b.position);
};

export const isRunning = ({ status }: SnapshotImage): boolean => status === 'queued' || status === 'processing';
