/** One request of the log as its page shows it: what was sent, what came of it, and how long each stage took. */
import type { StatusImage } from '../../shared/api.ts';
import { errors, isErrorCode } from '../../shared/errors.ts';
import { canvasSize } from '../../shared/marketplaces/index.ts';
import { optionsFromFields, type ResolvedOptions } from '../../shared/options.ts';
import { fieldsOfOptions } from '../../shared/options-fields.ts';
import type { LogDetail, LogImage } from '../../shared/portal-api.ts';
import type { RequestRow } from '../account/requests/port.ts';
import type { SentRequest, Snapshot, SnapshotImage } from '../batch/port.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import { batchStatusBody } from '../responses/batch-status.ts';
import { statusImage } from '../responses/image.ts';
import { uploadBody } from '../responses/upload.ts';
import { shownUrl, withoutQuery } from '../webhooks/shown-url.ts';
import type { SignedIn } from './guard.ts';
import { shownInputType } from './log-inputs.ts';

const { logImagesMax, logInputsMax, logStagesMax } = edgeLimits.portal;

/** Where the product lies on the canvas; a photo that keeps its own frame has no canvas. */
const placeOf = (image: StatusImage, { layout, canvas, cutout }: ResolvedOptions): LogImage['place'] =>
  image.status === 'completed' && layout === 'hero' && cutout === undefined
    ? { canvas: canvasSize(canvas), product_box: image.product_box }
    : null;

/** As the node measured it; null where it made nothing. */
const timingOf = ({ outcome }: SnapshotImage): LogImage['timing'] =>
  outcome?.status === 'completed' && outcome.stages_ms
    ? {
        processing_ms: Math.round(outcome.processing_ms),
        stages: Object.entries(outcome.stages_ms)
          .slice(0, logStagesMax)
          .map(([name, ms]) => ({ name, ms })),
      }
    : null;

const imageOf = (image: StatusImage, stored: SnapshotImage, options: ResolvedOptions): LogImage => {
  const done = image.status === 'completed' ? image : undefined;
  return {
    image_id: image.image_id,
    status: image.status,
    filename: done?.filename ?? (image.status === 'deleted' ? null : stored.originalName),
    original_name: image.status === 'deleted' ? null : stored.originalName,
    has_input: false,
    preview_url: done?.preview_url ?? null,
    download_url: done?.clean_download_url ?? null,
    expires_at: done?.expires_at ?? null,
    width: done?.width ?? null,
    height: done?.height ?? null,
    place: placeOf(image, options),
    compliance: done?.compliance ?? null,
    outputs: done?.outputs ?? [],
    findings: done?.findings ?? [],
    review: done?.review ?? null,
    matte_confidence: done?.matte_confidence ?? null,
    error: image.status === 'failed' ? image.error : null,
    timing: timingOf(stored),
  };
};

/** A batch id in the log is the account's own; a batch of another account would be a bug, and is not shown. */
export const ownBatch = async (
  { sagaOf }: Pick<Services, 'sagaOf'>,
  { accountId }: Pick<SignedIn, 'accountId'>,
  batchId: string,
): Promise<Snapshot | undefined> => {
  const batch = await sagaOf(batchId).snapshot();
  return batch?.accountId === accountId ? batch : undefined;
};

/** The first `edgeLimits.portal.logImagesMax`. */
export const imagesOf = (services: Services, batch: Snapshot): Promise<LogImage[]> =>
  Promise.all(
    batch.images
      .slice(0, logImagesMax)
      .map(async (image) => imageOf(await statusImage(services, batch, image, 'owner'), image, batch.options)),
  );

const withInputs = (services: Services, batch: Snapshot, images: readonly LogImage[]): Promise<LogImage[]> =>
  Promise.all(
    images.map(async (image, index) => ({
      ...image,
      has_input: index < logInputsMax && (await shownInputType(services, batch, index)) !== undefined,
    })),
  );

/** All but the entry itself and its key. `available`: credits of the account. */
export const detailOf = async (
  services: Services,
  row: RequestRow,
  batch: Snapshot | undefined,
  { available, baseUrl }: { readonly available: number; readonly baseUrl: string },
): Promise<Omit<LogDetail, 'entry' | 'key_label'>> => {
  const images = batch ? await withInputs(services, batch, await imagesOf(services, batch)) : [];
  // A line may name a batch that another request made: a repetition, for one.
  const made = batch?.requestId === row.requestId ? batch : undefined;
  const fields = made && fieldsOfOptions(made.options);
  // Files that were no photos are answered in their places, and are not kept: then neither can be made again.
  const isWhole = made !== undefined && (made.style !== 'upload' || row.images <= made.images.length);
  const sent = made && (await services.sagaOf(made.batchId).sent(logImagesMax));
  return {
    batch_status: batch?.status ?? null,
    style: sent ? styleOf(sent) : null,
    images,
    options: batch ? { ...batch.options } : null,
    fields: fields ?? null,
    request: isWhole && fields && sent ? requestOf(made, fields, sent) : null,
    response:
      errorOf(row, images, baseUrl) ?? (isWhole && fields ? await answerOf(services, row, made, available) : null),
  };
};

/** Files that are answered as a batch (`Prefer: respond-async`) were uploaded all the same. */
const styleOf = ({ inputUrls }: SentRequest): 'upload' | 'batch' =>
  inputUrls.some((url) => url !== null) ? 'batch' : 'upload';

const requestOf = (
  { images, options }: Snapshot,
  fields: Readonly<Record<string, string>>,
  sent: SentRequest,
): LogDetail['request'] => {
  const shown = images.slice(0, logImagesMax);
  const names = shown.map(({ originalName }) => originalName);
  if (styleOf(sent) === 'upload')
    return { files: names, ...(options.matte ? { matte: '(the matte, which is not kept)' } : {}), ...fields };
  return {
    images: shown.map((_image, index) => ({
      input_url: withoutQuery(sent.inputUrls[index] ?? ''),
      filename: names[index],
    })),
    options: optionsFromFields(new Map(Object.entries(fields))),
    ...(sent.webhookUrl ? { webhook_url: shownUrl(sent.webhookUrl) } : {}),
  };
};

/** Made anew, with links of now: of a batch how it stands, for its first images. */
const answerOf = async (
  services: Services,
  { requestId, status }: RequestRow,
  batch: Snapshot,
  available: number,
): Promise<LogDetail['response']> => {
  const shown = { ...batch, images: batch.images.slice(0, logImagesMax) };
  return batch.style === 'upload' && status === 200
    ? { ...(await uploadBody(services, { files: filesOf(shown) }, shown, available)) }
    : { ...(await batchStatusBody(services, shown, requestId, available)) };
};
const filesOf = ({ images }: Snapshot) => images.map(({ originalName }) => ({ originalName, failure: null }));

/** The problem document again, but for what its detail said beyond the code. */
const errorOf = (
  { status, errorCode, requestId }: RequestRow,
  images: readonly LogImage[],
  baseUrl: string,
): LogDetail['response'] => {
  if (errorCode === null || !isErrorCode(errorCode)) return null;
  const { title, retryable } = errors[errorCode];
  const failed = images.flatMap(({ filename, error }, i) =>
    error ? [{ field: `files[${i}]`, ...error, detail: `${filename}: ${error.detail}` }] : [],
  );
  return {
    type: `${baseUrl}/docs/errors#${errorCode}`,
    title,
    status,
    detail: images.find(({ error }) => error?.code === errorCode)?.error?.detail ?? title,
    code: errorCode,
    request_id: requestId,
    success: false,
    retryable,
    ...(failed.length > 0 ? { errors: failed } : {}),
  };
};
