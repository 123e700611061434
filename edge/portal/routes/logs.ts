/** The request log and what each request made. */
import { Hono } from 'hono';
import type { StatusImage } from '../../../shared/api.ts';
import { errors, isErrorCode } from '../../../shared/errors.ts';
import { isId } from '../../../shared/ids.ts';
import { canvasSize } from '../../../shared/marketplaces/index.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import type { LogDetail, LogImage, LogPage, LogRow, RunAgain } from '../../../shared/portal-api.ts';
import type { RequestLogPort, RequestRow } from '../../account/requests/port.ts';
import type { Snapshot } from '../../batch/port.ts';
import { edgeLimits } from '../../limits.ts';
import type { Services } from '../../ports.ts';
import { statusImage } from '../../responses/image.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse, type SignedIn } from '../guard.ts';
import { timeOf } from '../time.ts';

const rowOf = (row: RequestRow): LogRow => ({
  request_id: row.requestId,
  at: timeOf(row.atMs),
  key_id: row.keyId,
  method: row.method,
  path: row.path,
  status: row.status,
  error_code: row.errorCode,
  images: row.images,
  credits: row.credits,
  duration_ms: row.latencyMs,
  batch_id: row.batchId,
});

const classes = { success: [200, 399], client_error: [400, 499], server_error: [500, 599] } as const;
const matches = (status: string | undefined) => {
  const [low, high] = classes[status as keyof typeof classes] ?? [0, 999];
  return (row: RequestRow): boolean => row.status >= low && row.status <= high;
};

type Filter = {
  readonly keyId?: string;
  readonly cursor?: string;
  readonly status?: string | undefined;
  readonly after?: string | undefined;
};

/**
 * Pages through the account's log until one page of matching rows is full; reads a bounded number of rows, then hands
 * out the cursor to go on from. `after`: only what came after this request.
 */
const filteredPage = async (
  log: Pick<RequestLogPort, 'requests'>,
  { keyId, cursor, status, after }: Filter,
): Promise<LogPage> => {
  const match = matches(status);
  const found: RequestRow[] = [];
  let next: string | null = cursor ?? null;
  for (let page = 0; page < edgeLimits.portal.logScanPagesMax; page++) {
    const max = edgeLimits.portal.logPageRows;
    const answer = await log.requests({ cursor: next, max, ...(keyId ? { keyId } : {}) });
    const end = after === undefined ? -1 : answer.rows.findIndex((row) => row.requestId === after);
    found.push(...(end < 0 ? answer.rows : answer.rows.slice(0, end)).filter(match));
    next = end < 0 ? answer.next : null;
    if (next === null || found.length >= max || after !== undefined) break;
  }
  return { rows: found.map(rowOf), next_cursor: next };
};

/** Where the product lies on the canvas; a photo that keeps its own frame has no canvas. */
const placeOf = (image: StatusImage, { layout, canvas, cutout }: ResolvedOptions): LogImage['place'] =>
  image.status === 'completed' && layout === 'hero' && cutout === undefined
    ? { canvas: canvasSize(canvas), product_box: image.product_box }
    : null;

const imageOf = (image: StatusImage, originalName: string, options: ResolvedOptions): LogImage => {
  const done = image.status === 'completed' ? image : undefined;
  return {
    image_id: image.image_id,
    status: image.status,
    filename: done?.filename ?? (image.status === 'deleted' ? null : originalName),
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
  };
};

export const logRoutes = (deps: PortalDeps): Hono<PortalContext> => {
  const { services } = deps;
  return new Hono<PortalContext>()
    .get('/logs', async (c) => {
      const { key, cursor, status, after } = c.req.query();
      if (key && !isId('apiKey', key)) return refuse(400, 'invalid_request', 'This is not a key id.');
      if (cursor && !/^[0-9a-z]{26}$/.test(cursor)) return refuse(400, 'invalid_request', 'This is not a cursor.');
      const { requests } = await accountOf(deps, c.get('user'));
      return c.json(
        await filteredPage(requests, {
          ...(key ? { keyId: key } : {}),
          ...(cursor ? { cursor } : {}),
          status,
          after: after || undefined,
        }),
      );
    })
    .get('/logs/:id', async (c) => {
      const user = c.get('user');
      const { requests, keys } = await accountOf(deps, user);
      const row = await requests.request(c.req.param('id'));
      if (!row) return refuse(404, 'not_found', 'No such request in the log.');
      const batch = row.batchId === null ? undefined : await ownBatch(services, user, row.batchId);
      const images = batch ? await imagesOf(services, batch) : [];
      const key = (await keys.listKeys()).find(({ keyId }) => keyId === row.keyId);
      return c.json({
        entry: rowOf(row),
        batch_status: batch?.status ?? null,
        images,
        key_label: key?.label ?? null,
        options: batch ? { ...batch.options } : null,
        response: responseOf(row, images, deps.settings.publicBaseUrl),
      } satisfies LogDetail);
    })
    .get('/runs/:idempotencyKey', async (c) => {
      const user = c.get('user');
      const { idempotency, keys } = await accountOf(deps, user);
      const keyIds = (await keys.listKeys()).map(({ keyId }) => keyId);
      const batchId = await idempotency.batchOfRequest({ keyIds, idempotencyKey: c.req.param('idempotencyKey') });
      if (batchId === null) return refuse(404, 'not_found', 'No such run.');
      const batch = await ownBatch(services, user, batchId);
      return c.json({ images: batch ? await imagesOf(services, batch) : [] } satisfies RunAgain);
    });
};

/** A batch id in the log is the account's own; a batch of another account would be a bug, and is not shown. */
const ownBatch = async (
  { sagaOf }: Services,
  { accountId }: SignedIn,
  batchId: string,
): Promise<Snapshot | undefined> => {
  const batch = await sagaOf(batchId).snapshot();
  return batch?.accountId === accountId ? batch : undefined;
};

const imagesOf = (services: Services, batch: Snapshot): Promise<LogImage[]> =>
  Promise.all(
    batch.images
      .slice(0, edgeLimits.portal.logImagesMax)
      .map(async (image) =>
        imageOf(await statusImage(services, batch, image, 'owner'), image.originalName, batch.options),
      ),
  );

/** The problem document again, but for what its detail said beyond the code. */
const responseOf = (
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
