/** The request log and what each request made. */
import { Hono } from 'hono';
import { utcDay } from '../../../shared/clock.ts';
import type { LogDetail, LogPage, RunAgain } from '../../../shared/portal-api.ts';
import { attachmentHeaders } from '../../http/content-disposition.ts';
import { edgeLimits } from '../../limits.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';
import { detailOf, imagesOf, ownBatch } from '../log-detail.ts';
import { shownInput } from '../log-inputs.ts';
import { logCsv, logRow, readSearch } from '../log-search.ts';

const noRequest = (): Response => refuse(404, 'not_found', 'No such request in the log.');

export const logRoutes = (deps: PortalDeps): Hono<PortalContext> => {
  const { services } = deps;
  return new Hono<PortalContext>()
    .get('/logs', async (c) => {
      const search = readSearch(c.req.query());
      if (!search.ok) return refuse(400, 'invalid_request', search.failure);
      const { requests } = await accountOf(deps, c.get('user'));
      const page = await requests.requests({ ...search.value, max: edgeLimits.portal.logPageRows });
      const after = c.req.query('after');
      const end = after ? page.rows.findIndex(({ requestId }) => requestId === after) : -1;
      const rows = end < 0 ? page.rows : page.rows.slice(0, end);
      return c.json({ rows: rows.map(logRow), next_cursor: end < 0 ? page.next : null } satisfies LogPage);
    })
    .get('/logs.csv', async (c) => {
      const search = readSearch(c.req.query());
      if (!search.ok) return refuse(400, 'invalid_request', search.failure);
      const { requests } = await accountOf(deps, c.get('user'));
      const { cursor: _cursor, ...asked } = search.value;
      const day = utcDay(services.clock.nowMs());
      return c.body(logCsv(requests, asked), 200, attachmentHeaders(`packshot-log-${day}.csv`, 'csv'));
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
        entry: logRow(row),
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
