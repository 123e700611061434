/** Folders and their photos as the portal's pages get them. */
import { idTimeMs } from '../../shared/ids.ts';
import type { FolderCounts, FolderPhoto, FolderRow } from '../../shared/portal-api.ts';
import type { FolderWithBatches } from '../account/folders/port.ts';
import type { KeyRow } from '../account/keys/port.ts';
import { type FolderPhotoImage, isRunning, openBatches, photosOf } from '../folder/photos.ts';
import type { Services } from '../ports.ts';
import { reviewOfOutcome, statusImage } from '../responses/image.ts';
import { timeOf } from './time.ts';

export const folderRow = (
  { folderId, name, keyId, fields, photos }: FolderWithBatches,
  keys: readonly KeyRow[],
): FolderRow => {
  const key = keys.find((one) => one.keyId === keyId);
  return {
    folder_id: folderId,
    name,
    created_at: timeOf(idTimeMs(folderId) ?? 0) ?? '',
    key_id: keyId,
    key_label: key?.label ?? null,
    mode: key?.mode ?? null,
    fields,
    photos,
  };
};

/** What became of the photos, each once. */
export const folderCounts = async (
  services: Services,
  accountId: string,
  { batches }: FolderWithBatches,
): Promise<FolderCounts> => {
  const open = await openBatches(services, accountId, batches);
  const counts = { running: 0, ready: 0, needs_a_look: 0, retake: 0, failed: 0, deleted: 0 };
  for (const { image } of photosOf(open)) counts[standing(image)]++;
  const credits = open.reduce((sum, { batch }) => sum + batch.credits.held + batch.credits.posted, 0);
  return { ...counts, credits };
};

const standing = (image: FolderPhotoImage['image']): Exclude<keyof FolderCounts, 'credits'> => {
  if (image.isRemoved) return 'deleted';
  if (isRunning(image) || image.outcome === null) return 'running';
  return image.outcome.status === 'failed' ? 'failed' : reviewOfOutcome(image.outcome).verdict;
};

/** With links for the owner. */
export const folderPhoto = async (
  services: Services,
  { position, batch, image, failedReplacement: failed }: FolderPhotoImage,
): Promise<FolderPhoto> => {
  const shown = await statusImage(services, batch, image, 'owner');
  const replacement = failed && (await statusImage(services, failed.batch, failed.image, 'owner'));
  const done = shown.status === 'completed' ? shown : undefined;
  const files = done?.outputs?.map(({ marketplace, filename, output_url }) => ({
    marketplace,
    filename,
    url: output_url ?? null,
  }));
  return {
    position,
    batch_id: batch.batchId,
    last_batch_id: (failed ?? { batch }).batch.batchId,
    replacement_error: replacement?.status === 'failed' ? replacement.error : null,
    request_id: batch.requestId,
    image_id: shown.image_id,
    status: shown.status,
    original_name: image.isRemoved ? null : image.originalName,
    filename: done?.filename ?? null,
    width: done?.width ?? null,
    height: done?.height ?? null,
    preview_url: done?.preview_url ?? null,
    files:
      files ??
      (done
        ? [{ marketplace: done.compliance.marketplace, filename: done.filename, url: done.clean_download_url ?? null }]
        : []),
    review: done?.review ?? null,
    error: shown.status === 'failed' ? shown.error : null,
  };
};
