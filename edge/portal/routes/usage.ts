/** Usage by key and marketplace over a range of days: the page's report, and its table as a file. */
import { Hono } from 'hono';
import type { UsageReport } from '../../../shared/portal-api.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';
import { attachmentHeaders } from '../../http/content-disposition.ts';
import { csvOf } from '../../results/csv.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse, type SignedIn } from '../guard.ts';
import { readUsageQuery } from '../usage-query.ts';
import { usageReport } from '../usage-report.ts';

type Asked = Readonly<Record<string, string>>;

const reportOf = async (deps: PortalDeps, user: SignedIn, asked: Asked): Promise<Result<UsageReport, Response>> => {
  const query = readUsageQuery(asked, deps.services.clock.nowMs());
  if (!query.ok) return fail(refuse(400, query.failure.code, query.failure.detail));
  const { range, period } = query.value;
  const { ledger, requests, keys } = await accountOf(deps, user);
  const [images, logged, known] = await Promise.all([
    ledger.imagesBySplit(range, period),
    requests.requestsBySplit(range, period),
    keys.listKeys(),
  ]);
  return ok(usageReport(query.value, { images, requests: logged, keys: known }));
};

const FIGURES = ['completed', 'failed', 'credits', 'amount_usd', 'requests', 'errors', 'p50_ms', 'p95_ms'] as const;

const csvOfReport = ({ by, parts, rows }: UsageReport): string => {
  const labels = new Map(parts.map(({ id, label }) => [id, label]));
  const partOf = (id: string): string[] => (by === 'outcome' ? [] : [id, labels.get(id) ?? '']);
  return csvOf([
    ['from', 'to', ...(by === 'outcome' ? [] : [by, 'name']), ...FIGURES],
    ...rows.map((row) => [row.start, row.end, ...partOf(row.part), ...FIGURES.map((figure) => row[figure])]),
  ]);
};

export const usageRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/usage/report', async (c) => {
      const report = await reportOf(deps, c.get('user'), c.req.query());
      return report.ok ? c.json(report.value) : report.failure;
    })
    .get('/usage/report.csv', async (c) => {
      const report = await reportOf(deps, c.get('user'), c.req.query());
      if (!report.ok) return report.failure;
      const { mode, from, to } = report.value;
      return c.body(
        csvOfReport(report.value),
        200,
        attachmentHeaders(`packshot-usage-${mode}-${from}-to-${to}.csv`, 'csv'),
      );
    });
