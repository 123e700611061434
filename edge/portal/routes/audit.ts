/** The audit log in the portal, and as a file. */

import { Hono } from 'hono';
import { utcDay } from '../../../shared/clock.ts';
import { isId } from '../../../shared/ids.ts';
import type { AuditPage, AuditRow } from '../../../shared/portal-api.ts';
import { AUDIT_GROUPS, type AuditGroup, auditPage, type StoredAuditRow } from '../../audit/read.ts';
import { attachmentHeaders } from '../../http/content-disposition.ts';
import { edgeLimits } from '../../limits.ts';
import { csvOf, csvStream } from '../../results/csv.ts';
import type { PortalDeps } from '../deps.ts';
import { type PortalContext, refuse } from '../guard.ts';
import { timeOf } from '../time.ts';

const rowOf = ({ at, ...row }: StoredAuditRow): AuditRow => ({ ...row, at: timeOf(at) });
const COLUMNS = [
  'at',
  'actor',
  'action',
  'subject',
  'detail',
  'address',
  'country',
  'id',
  'member',
  'member_id',
] as const;
const isGroup = (text: string): text is AuditGroup => (AUDIT_GROUPS as readonly string[]).includes(text);

/** Streams a page at a time, newest first. */
const auditCsv = (deps: PortalDeps, accountId: string): ReadableStream<Uint8Array> => {
  const { csvPageRows, csvRowsMax } = edgeLimits.audit;
  let before: string | null = null;
  let rows = 0;
  return csvStream(csvOf([COLUMNS]), async () => {
    const page = await auditPage(deps.db, accountId, { before, max: csvPageRows });
    const lines = page.rows.map(rowOf).map((row) => COLUMNS.map((name) => row[name]));
    before = page.next;
    rows += lines.length;
    return { text: csvOf(lines), isLast: before === null || rows >= csvRowsMax };
  });
};

export const auditRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/audit', async (c) => {
      const { group, cursor } = c.req.query();
      if (group && !isGroup(group)) return refuse(400, 'invalid_request', 'This is not a kind of event.');
      if (cursor && !isId('audit', cursor)) return refuse(400, 'invalid_request', 'This is not a cursor.');
      const page = await auditPage(deps.db, c.get('user').accountId, {
        group: group ? (group as AuditGroup) : undefined,
        before: cursor || null,
        max: edgeLimits.portal.logPageRows,
      });
      return c.json({ rows: page.rows.map(rowOf), next_cursor: page.next } satisfies AuditPage);
    })
    .get('/audit.csv', (c) => {
      const day = utcDay(deps.services.clock.nowMs());
      return c.body(
        auditCsv(deps, c.get('user').accountId),
        200,
        attachmentHeaders(`packshot-activity-${day}.csv`, 'csv'),
      );
    });
