/** An image's outcome as callers see it, with fresh download URLs that end before the file does. */
import type { ImageError, StatusImage, UploadResult } from '../../shared/api.ts';
import { formatNames } from '../../shared/api.ts';
import type { Failure } from '../../shared/errors.ts';
import { remedyOf } from '../../shared/finding-texts.ts';
import { imageId } from '../../shared/ids.ts';
import type { CompletedOutcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import { extensionOf } from '../../shared/options.ts';
import type { Snapshot, SnapshotImage } from '../batch/port.ts';
import type { Services } from '../ports.ts';
import { previewKey, resultKey } from '../stores/object-keys.ts';
import { previewFilename } from './filenames.ts';

const WHITE = '#ffffff';
const backgroundName = (background: string): string =>
  background === WHITE ? 'PURE_WHITE_255' : background.toUpperCase();

type Links = { readonly clean: string; readonly preview: string; readonly expires_at: string };

const linksOf = async (services: Services, batch: Snapshot, image: SnapshotImage): Promise<Links | undefined> => {
  const nowMs = services.clock.nowMs();
  const goneAtMs = batch.createdAtMs + limits.downloads.objectMs;
  if (nowMs >= goneAtMs) return undefined;
  const expiresAtMs = Math.min(nowMs + limits.downloads.urlMs, goneAtMs);
  const previewAt = previewKey(batch.batchId, image.index, batch.options);
  const [clean, preview] = await Promise.all([
    services.downloadUrl(resultKey(batch.batchId, image.index, batch.options), image.filename, expiresAtMs),
    services.downloadUrl(
      previewAt,
      previewFilename(image.filename, previewAt.slice(previewAt.lastIndexOf('.') + 1)),
      expiresAtMs,
    ),
  ]);
  return { clean, preview, expires_at: new Date(expiresAtMs).toISOString() };
};

const measured = (batch: Snapshot, image: SnapshotImage, outcome: CompletedOutcome) => ({
  image_id: imageId(batch.batchId, image.index),
  batch_id: batch.batchId,
  width: outcome.width,
  height: outcome.height,
  format: formatNames[extensionOf(batch.options)],
  background: backgroundName(batch.options.cutout?.background ?? batch.options.background),
  amazon_compliant: outcome.amazon_compliant,
  sha256: outcome.sha256,
  product_box: outcome.product_box,
  matte_confidence: outcome.matte_confidence,
  upscaled: outcome.upscaled,
  processing_ms: outcome.processing_ms,
  compliance: outcome.compliance,
  // Outcomes that were stored by an earlier release have none.
  findings: outcome.findings ?? [],
});

/** As an image carries it: with the remedy where a finding ended it. */
export const imageError = ({ code, detail }: Pick<Failure, 'code' | 'detail'>): ImageError => {
  const remedy = remedyOf(code);
  return { code, detail, ...(remedy === undefined ? {} : { remedy }) };
};

/** For an upload, whose files exist by definition. */
export const uploadResult = async (
  services: Services,
  batch: Snapshot,
  image: SnapshotImage,
  outcome: CompletedOutcome,
): Promise<UploadResult> => {
  const links = await linksOf(services, batch, image);
  return {
    original_name: image.originalName,
    clean_url: links?.clean ?? '',
    ...measured(batch, image, outcome),
    preview_url: links?.preview ?? '',
    expires_at: links?.expires_at ?? new Date(batch.createdAtMs + limits.downloads.objectMs).toISOString(),
  };
};

export const statusImage = async (services: Services, batch: Snapshot, image: SnapshotImage): Promise<StatusImage> => {
  const { outcome } = image;
  const image_id = imageId(batch.batchId, image.index);
  if (outcome === null) return { image_id, status: image.status === 'processing' ? 'processing' : 'queued' };
  if (outcome.status === 'failed') return { image_id, status: 'failed', error: imageError(outcome) };
  const links = await linksOf(services, batch, image);
  const urls = links && { preview_url: links.preview, clean_download_url: links.clean, expires_at: links.expires_at };
  return { status: 'completed', filename: image.filename, ...measured(batch, image, outcome), ...urls };
};
