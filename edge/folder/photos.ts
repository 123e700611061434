/** The photos of a folder, each as its batches have it. */
import { idTimeMs } from '../../shared/ids.ts';
import type { FolderBatch } from '../account/folders/port.ts';
import type { Snapshot, SnapshotImage } from '../batch/port.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import type { ShownImage } from '../results/files.ts';

export type OpenFolderBatch = FolderBatch & { readonly batch: Snapshot };
export type FolderPhotoImage = ShownImage & {
  readonly position: number;
  /** A photo that was sent in its place later and failed, so that this one stays. */
  readonly failedReplacement?: ShownImage;
};

/** Without those that were never opened, or were deleted. A batch of another account would be a bug, and is left out. */
export const openBatches = async (
  { sagaOf }: Pick<Services, 'sagaOf'>,
  accountId: string,
  batches: readonly FolderBatch[],
): Promise<readonly OpenFolderBatch[]> => {
  const found = await Promise.all(
    batches.map(async (one) => ({ ...one, batch: await sagaOf(one.batchId).snapshot({ evenAsking: true }) })),
  );
  return found.flatMap(({ batch, ...one }) => (batch?.accountId === accountId ? [{ ...one, batch }] : []));
};

/** Whether a batch that is noted, and not open, may still be opened. */
export const mayArrive = (batchId: string, nowMs: number): boolean =>
  nowMs < (idTimeMs(batchId) ?? 0) + edgeLimits.folders.arrivingMsMax;

/** Of photos whose upload was noted and whose batch is not open yet. */
export const arrivingPositions = (
  batches: readonly FolderBatch[],
  open: readonly OpenFolderBatch[],
  nowMs: number,
): readonly number[] => {
  const opened = new Set(open.map(({ batchId }) => batchId));
  const arriving = batches.filter(({ batchId }) => !opened.has(batchId) && mayArrive(batchId, nowMs));
  return Array.from(new Set(arriving.flatMap(({ positions }) => positions))).sort((a, b) => a - b);
};

const placed = (batches: readonly OpenFolderBatch[]): readonly FolderPhotoImage[] =>
  batches.flatMap(({ batch, positions }) =>
    batch.images.flatMap((image) => {
      const position = positions[image.index];
      return position === undefined ? [] : [{ position, batch, image }];
    }),
  );

const isResult = ({ image }: ShownImage): boolean => image.outcome?.status === 'completed' && !image.isRemoved;
const byPosition = (a: FolderPhotoImage, b: FolderPhotoImage): number => a.position - b.position;

/** By position. A photo that was sent again is shown as it was sent last; a result stays where that failed. */
export const photosOf = (batches: readonly OpenFolderBatch[]): readonly FolderPhotoImage[] => {
  const last = new Map<number, FolderPhotoImage>();
  for (const photo of placed(batches)) {
    const before = last.get(photo.position);
    const stays = before && isResult(before) && photo.image.outcome?.status === 'failed';
    last.set(photo.position, stays ? { ...before, failedReplacement: photo } : photo);
  }
  return Array.from(last.values()).sort(byPosition);
};

/** Those of `photosOf`, and before them each result that was replaced: it was charged, too. */
export const photosWithReplaced = (batches: readonly OpenFolderBatch[]): readonly FolderPhotoImage[] => {
  const shown = new Set(photosOf(batches).map(({ image }) => image));
  return placed(batches)
    .filter((photo) => shown.has(photo.image) || isResult(photo))
    .sort(byPosition);
};

export const isRunning = ({ status }: SnapshotImage): boolean => status === 'queued' || status === 'processing';
