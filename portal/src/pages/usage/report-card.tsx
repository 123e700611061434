/** The chart with its totals, and what they leave out. */
import type { UsageReport } from '../../../../shared/portal-api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { Notice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { count, dollars, duration, plural } from '../../format.ts';
import type { Asked } from './asked.ts';
import { SplitChart } from './split-chart.tsx';

type Choose = (change: Partial<Asked>) => void;

const Tabs = ({
  name,
  value,
  of,
  onValue,
}: {
  name: string;
  value: string;
  of: readonly (readonly [string, string])[];
  onValue: (value: string) => void;
}) => (
  <fieldset class="tabs" aria-label={name}>
    {of.map(([one, label]) => (
      <button key={one} type="button" class="tab" aria-pressed={one === value} onClick={() => onValue(one)}>
        {label}
      </button>
    ))}
  </fieldset>
);

const Facts = ({ report: { total, mode } }: { report: UsageReport }) => {
  const latency = (ms: number | null): string => (ms === null ? '–' : duration(ms));
  const facts = [
    ['Delivered', count(total.completed)],
    ['Failed', count(total.failed)],
    ['Spent', mode === 'test' ? '–' : dollars(total.credits)],
    ['Requests', count(total.requests)],
    ['Errors', count(total.errors)],
    ['Latency p50', latency(total.p50_ms)],
    ['Latency p95', latency(total.p95_ms)],
  ] as const;
  return (
    <dl class="chart-facts usage-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="num">{value}</dd>
        </div>
      ))}
    </dl>
  );
};

const Nothing = ({ asked, choose }: { asked: Asked; choose: Choose }) => {
  const isFiltered = asked.key !== '' || asked.marketplace !== '';
  return (
    <Empty
      icon="usage"
      title={isFiltered ? 'Nothing matches' : 'Nothing used in these days'}
      action={
        isFiltered ? (
          <Button onClick={() => choose({ key: '', marketplace: '' })}>Clear filters</Button>
        ) : asked.mode === 'live' ? (
          <Button onClick={() => choose({ mode: 'test', key: '' })}>Show test keys</Button>
        ) : (
          <a class="button" href="/docs">
            Open quick start
          </a>
        )
      }
    >
      {isFiltered
        ? 'There was no image and no request of this key or marketplace in these days.'
        : `No image was made and no request was sent with a ${asked.mode} key in these days.`}
    </Empty>
  );
};

const LeftOut = ({ report, asked }: { report: UsageReport; asked: Asked }) => {
  const { completed, failed, requests } = report.left_out;
  const images = completed + failed;
  if (images + requests === 0) return null;
  const of = asked.key === '' ? 'for this marketplace' : asked.marketplace === '' ? 'of this key' : 'of both';
  return (
    <Notice>
      {images > 0 && (
        <p>
          {plural(images, 'image')} of these days may be {of} too: it was not noted then, or is beyond what is told
          apart in one day. They are in no figure here.
        </p>
      )}
      {requests > 0 && (
        <p>
          {plural(requests, 'request')} of these days, with live or test keys, are in no figure here: they were not told
          apart by key.
        </p>
      )}
    </Notice>
  );
};

type Props = { report: UsageReport | undefined; asked: Asked; choose: Choose };

export const ReportCard = ({ report, asked, choose }: Props) => {
  const { completed = 0, failed = 0, requests = 0 } = report?.total ?? {};
  return (
    <>
      <Card
        title={asked.show === 'requests' ? 'Requests' : 'Images'}
        lead={`By ${report?.period ?? 'day'}, UTC.`}
        flush
        action={
          <div class="usage-tabs">
            <Tabs
              name="Count"
              value={asked.show}
              of={[
                ['images', 'Images'],
                ['requests', 'Requests'],
              ]}
              onValue={(show) => choose({ show })}
            />
            <Tabs
              name="Stack by"
              value={asked.by}
              of={[
                ['outcome', 'Outcome'],
                ['key', 'Key'],
                ['marketplace', 'Marketplace'],
              ]}
              onValue={(by) => choose({ by })}
            />
          </div>
        }
      >
        <div class="card-body usage-report">
          {!report && <Skeleton height={22} />}
          {report && completed + failed + requests === 0 && <Nothing asked={asked} choose={choose} />}
          {report && completed + failed + requests > 0 && (
            <>
              <Facts report={report} />
              <SplitChart report={report} show={asked.show} />
            </>
          )}
        </div>
      </Card>
      {report && <LeftOut report={report} asked={asked} />}
    </>
  );
};
