/** The figures of the chart as tables: in all by part, by period, and by marketplace where images are for several. */
import { useState } from 'preact/hooks';
import type { UsageFigures, UsageReport } from '../../../../shared/portal-api.ts';
import { fileOfAccount } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Icon } from '../../components/icon.tsx';
import { Table } from '../../components/table.tsx';
import { count, dollars, duration } from '../../format.ts';
import { marketplaceLabels } from '../../marketplace-labels.ts';
import { periodText } from './bars.ts';

const ROWS_FIRST = 31;

const latency = (ms: number | null): string => (ms === null ? '–' : duration(ms));
const splitNames = { outcome: '', key: 'Key', marketplace: 'Marketplace' } as const;
const periodNames = { day: 'Day', week: 'Week', month: 'Month' } as const;

const figureNames = ['Delivered', 'Failed', 'Spent', 'Requests', 'Errors', 'p50', 'p95'] as const;

const Figures = ({ of, isTest }: { of: UsageFigures; isTest: boolean }) => {
  const { completed, failed, credits, requests, errors, p50_ms, p95_ms } = of;
  const cells = [
    count(completed),
    count(failed),
    isTest ? '–' : dollars(credits),
    count(requests),
    count(errors),
    latency(p50_ms),
    latency(p95_ms),
  ];
  return (
    <>
      {figureNames.map((name, i) => (
        <td key={name} data-label={name} class="right nowrap">
          {cells[i]}
        </td>
      ))}
    </>
  );
};

const figureColumns = figureNames.map((name) => ({ right: name }));

/** The whole range by key or by marketplace. */
export const PartTable = ({ report: { by, mode, parts, total } }: { report: UsageReport }) => (
  <div class="scroll-x">
    <Table
      class="cards-on-phone usage-table"
      caption={`The whole range by ${by}`}
      columns={[splitNames[by], ...figureColumns]}
    >
      {parts.map((part) => (
        <tr key={part.id}>
          <td class="lead">
            <div>
              {part.label}
              {part.id === 'unsplit' && <div class="small muted">From before this was noted</div>}
              {by === 'key' && part.id.startsWith('key_') && <div class="mono small muted">{part.id}</div>}
            </div>
          </td>
          <Figures of={part} isTest={mode === 'test'} />
        </tr>
      ))}
      <tr class="usage-all">
        <td class="lead">All</td>
        <Figures of={total} isTest={mode === 'test'} />
      </tr>
    </Table>
  </div>
);

/** As the file has it. */
export const PeriodCard = ({ report, search }: { report: UsageReport; search: string }) => {
  const { by, mode, period, parts, rows, total } = report;
  const [isWhole, setWhole] = useState(false);
  const labels = new Map(parts.map(({ id, label }) => [id, label]));
  const shown = isWhole ? rows : rows.slice(0, ROWS_FIRST);
  const isSplit = by !== 'outcome';
  return (
    <Card
      title={`By ${period}${isSplit ? ` and ${by}` : ''}`}
      lead="Newest first. The file has all of these rows."
      flush
      action={
        <a class="button compact" href={fileOfAccount('/usage/report.csv', search)} download>
          <Icon name="download" size={14} />
          Export CSV
        </a>
      }
    >
      <div class="scroll-x">
        <Table
          class="cards-on-phone usage-table"
          caption={`Usage by ${period}`}
          columns={[periodNames[period], isSplit && splitNames[by], ...figureColumns]}
        >
          {shown.map((row) => (
            <tr key={`${row.start} ${row.part}`}>
              <td class="lead nowrap">{periodText(row, period)}</td>
              {isSplit && <td data-label={splitNames[by]}>{labels.get(row.part)}</td>}
              <Figures of={row} isTest={mode === 'test'} />
            </tr>
          ))}
          {shown.length === rows.length && (
            <tr class="usage-all">
              <td class="lead">All</td>
              {isSplit && <td />}
              <Figures of={total} isTest={mode === 'test'} />
            </tr>
          )}
        </Table>
      </div>
      {shown.length < rows.length && (
        <div class="card-foot row end">
          <Button compact onClick={() => setWhole(true)}>
            Show all {count(rows.length)} rows
          </Button>
        </div>
      )}
    </Card>
  );
};

const labelOf = (name: string): string => (marketplaceLabels as Readonly<Record<string, string>>)[name] ?? name;

export const MarketplaceCard = ({ report: { marketplaces } }: { report: UsageReport }) => (
  <Card
    title="Files by marketplace"
    lead="An image for several marketplaces is one image and one credit. Here it counts for each of them, so these rows add up to more than the images above."
    flush
  >
    <div class="scroll-x">
      <Table
        class="cards-on-phone usage-table"
        caption="Files by marketplace"
        columns={['Marketplace', { right: 'Of its own' }, { right: 'Together with others' }, { right: 'Files' }]}
      >
        {marketplaces.map(({ name, alone, together }) => (
          <tr key={name}>
            <td class="lead">{labelOf(name)}</td>
            <td data-label="Of its own" class="right">
              {count(alone)}
            </td>
            <td data-label="Together with others" class="right">
              {count(together)}
            </td>
            <td data-label="Files" class="right">
              {count(alone + together)}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  </Card>
);
