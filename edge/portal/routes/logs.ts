/** The request log and what each request made. */
import { Hono } from 'hono';
import { isId } from '../../../shared/ids.ts';
import type { LogDetail, LogPage, LogRow, RunAgain } from '../../../shared/portal-api.ts';
import type { RequestLogPort, RequestRow } from '../../account/requests/port.ts';
import { edgeLimits } from '../../limits.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';
import { detailOf, imagesOf, ownBatch } from '../log-detail.ts';
import { shownInput } from '../log-inputs.ts';
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

const noRequest = (): Response => refuse(404, 'not_found', 'No such request in the log.');

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
      const { requests, keys, summary } = await accountOf(deps, user);
      const row = await requests.request(c.req.param('id'));
      if (!row) return noRequest();
      const batch = row.batchId === null ? undefined : await ownBatch(services, user, row.batchId);
      const key = (await keys.listKeys()).find(({ keyId }) => keyId === row.keyId);
      const { available } = summary;
      return c.json({
        entry: rowOf(row),
        key_label: key?.label ?? null,
        ...(await detailOf(services, row, batch, { available, baseUrl: deps.settings.publicBaseUrl })),
      } satisfies LogDetail);
    })
    .get('/logs/:id/inputs/:index', async (c) => {
      const user = c.get('user');
      const { requests } = await accountOf(deps, user);
      const row = await requests.request(c.req.param('id'));
      const batch = row?.batchId ? await ownBatch(services, user, row.batchId) : undefined;
      const index = c.req.param('index');
      const input = batch && /^\d{1,4}$/.test(index) ? await shownInput(services, batch, Number(index)) : undefined;
      return input ?? refuse(404, 'not_found', 'No such photo, or none any more.');
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
