/** An image's outcome as callers see it, with fresh download URLs that end before the file does. */
import type { Compliance, ImageError, Output, Review, StatusImage, UploadResult } from '../../shared/api.ts';
import { formatNames } from '../../shared/api.ts';
import type { Failure } from '../../shared/errors.ts';
import { remedyOf } from '../../shared/finding-texts.ts';
import { imageId } from '../../shared/ids.ts';
import type { CompletedOutcome, OutputOutcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import { extensionOf, outputsOf, type ResolvedOutput } from '../../shared/options.ts';
import { reviewOf } from '../../shared/review.ts';
import type { LinkHolder } from '../../shared/signed-token.ts';
import type { Snapshot, SnapshotImage } from '../batch/port.ts';
import type { Services } from '../ports.ts';
import { outputKeys, previewKey } from '../stores/object-keys.ts';
import { outputFilename, previewFilename } from './filenames.ts';

const WHITE = '#ffffff';
const backgroundName = (background: string): string =>
  background === WHITE ? 'PURE_WHITE_255' : background.toUpperCase();

/** `outputs`: of every file of the image, its first one's first. */
type Links = { readonly outputs: readonly string[]; readonly preview: string; readonly expires_at: string };

const linksOf = async (
  services: Services,
  batch: Snapshot,
  image: SnapshotImage,
  madeFor: LinkHolder,
): Promise<Links | undefined> => {
  if (image.isGone || (batch.endReason === 'key_revoked' && madeFor === 'key')) return undefined;
  const nowMs = services.clock.nowMs();
  const goneAtMs = batch.resultsUntilMs;
  if (nowMs >= goneAtMs) return undefined;
  const expiresAtMs = Math.min(nowMs + limits.downloads.urlMs, goneAtMs);
  const { batchId, options } = batch;
  const previewAt = previewKey(batchId, image.index, options);
  const names = filenamesOf(batch, image);
  const [preview, outputs] = await Promise.all([
    services.downloadUrl(
      previewAt,
      previewFilename(image.filename, previewAt.slice(previewAt.lastIndexOf('.') + 1)),
      expiresAtMs,
      madeFor,
    ),
    Promise.all(
      outputKeys(batchId, image.index, options).map((key, i) =>
        services.downloadUrl(key, names[i] ?? image.filename, expiresAtMs, madeFor),
      ),
    ),
  ]);
  return { outputs, preview, expires_at: new Date(expiresAtMs).toISOString() };
};

/** Of every file of an image, its first one's first; unique within the batch. */
export const filenamesOf = ({ options }: Snapshot, { filename }: SnapshotImage): readonly string[] => [
  filename,
  ...(options.others ?? []).map((other) => outputFilename(filename, other)),
];

/** Reports from before rules had a severity: what they list was all required. */
const withSeverities = ({ checks, ...report }: Compliance): Compliance => ({
  ...report,
  checks: checks.map((row) => ({ ...row, severity: row.severity ?? 'required' })),
});

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
  processing_ms: Math.round(outcome.processing_ms),
  compliance: withSeverities(outcome.compliance),
  // Outcomes that were stored by an earlier release have none.
  findings: outcome.findings ?? [],
  review: reviewOfOutcome(outcome),
});

/** Made when it is read, so that outcomes of every release have one. */
export const reviewOfOutcome = ({
  compliance,
  others = [],
  findings = [],
  matte_confidence,
}: CompletedOutcome): Review => {
  const { verdict, reasons } = reviewOf({
    compliance: [compliance, ...others.map((other) => other.compliance)].map(withSeverities),
    findings,
    confidence: matte_confidence,
  });
  return { verdict, reasons: [...reasons] };
};

/** The files of an image for several marketplaces; nothing where it was asked for as a single one. */
const outputsFor = (
  batch: Snapshot,
  image: SnapshotImage,
  outcome: CompletedOutcome,
  links: Links | undefined,
): { readonly outputs?: Output[] } => {
  if (batch.options.others === undefined) return {};
  const names = filenamesOf(batch, image);
  const made = [outcome, ...(outcome.others ?? [])];
  return {
    outputs: outputsOf(batch.options).flatMap((options, i) => {
      const file = made[i];
      return file ? [outputOf(options, file, names[i] ?? '', links?.outputs[i])] : [];
    }),
  };
};

const outputOf = (
  { marketplace, format, background }: ResolvedOutput,
  { width, height, bytes, sha256, product_box, upscaled, compliance }: OutputOutcome,
  filename: string,
  url: string | undefined,
): Output => ({
  marketplace,
  filename,
  ...(url === undefined ? {} : { output_url: url }),
  width,
  height,
  bytes,
  format: formatNames[format],
  background: backgroundName(background),
  sha256,
  product_box,
  upscaled,
  compliance,
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
  const links = await linksOf(services, batch, image, 'key');
  return {
    original_name: image.originalName,
    clean_url: links?.outputs[0] ?? '',
    ...measured(batch, image, outcome),
    ...outputsFor(batch, image, outcome, links),
    preview_url: links?.preview ?? '',
    expires_at: links?.expires_at ?? new Date(batch.resultsUntilMs).toISOString(),
  };
};

export const statusImage = async (
  services: Services,
  batch: Snapshot,
  image: SnapshotImage,
  madeFor: LinkHolder = 'key',
): Promise<StatusImage> => {
  const { outcome } = image;
  const image_id = imageId(batch.batchId, image.index);
  if (image.isRemoved) return { image_id, status: 'deleted' };
  if (outcome === null) return { image_id, status: image.status === 'processing' ? 'processing' : 'queued' };
  if (outcome.status === 'failed') return { image_id, status: 'failed', error: imageError(outcome) };
  const links = await linksOf(services, batch, image, madeFor);
  const [clean = ''] = links?.outputs ?? [];
  const urls = links && { preview_url: links.preview, clean_download_url: clean, expires_at: links.expires_at };
  return {
    status: 'completed',
    filename: image.filename,
    ...measured(batch, image, outcome),
    ...outputsFor(batch, image, outcome, links),
    ...urls,
  };
};
