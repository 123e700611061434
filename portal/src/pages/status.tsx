/** Whether the service works, by its own probes: now, over ninety days, and what was broken. */
import {
  type ComponentState,
  type ComponentStatus,
  STATUS_DAYS,
  STATUS_PATH,
  statusComponentNames,
  statusComponents,
} from '../../../shared/status.ts';
import { Badge } from '../components/badge.tsx';
import { Icon } from '../components/icon.tsx';
import type { Tone } from '../components/notice.tsx';
import { DocHead } from '../docs/doc-head.tsx';
import { ago, duration } from '../format.ts';
import { SiteFoot } from '../layouts/site-foot.tsx';
import { SiteHead } from '../layouts/site-head.tsx';
import { DayBars, percent, uptimeOf } from '../status/bars.tsx';
import { IncidentList } from '../status/incident-list.tsx';
import { type Status, useStatus } from '../status/use-status.ts';

const words: Readonly<Record<ComponentState, { readonly name: string; readonly tone: Tone | undefined }>> = {
  operational: { name: 'Works', tone: 'good' },
  degraded: { name: 'Slow or failed once', tone: 'warn' },
  down: { name: 'Does not work', tone: 'bad' },
  unknown: { name: 'Not known', tone: undefined },
};

/** Before the first answer: the rows as they will be, without what is not known. */
const unasked: readonly ComponentStatus[] = statusComponentNames.map((id) => ({
  id,
  name: statusComponents[id].name,
  measured: statusComponents[id].measured,
  state: 'unknown',
  last_probe_at: null,
  every_seconds: statusComponents[id].everyMs / 1_000,
  latency_ms: null,
  days: [],
}));

const summaryOf = (status: Status | 'failed' | undefined): { text: string; tone: Tone | undefined } => {
  if (status === undefined) return { text: 'Asking the probes …', tone: undefined };
  if (status === 'failed') return { text: 'The probes’ results could not be reached', tone: 'warn' };
  const named = (wanted: ComponentState): string =>
    status.answer.components
      .filter((component) => status.stateOf(component) === wanted)
      .map(({ name }) => name)
      .join(', ');
  if (status.state === 'operational') return { text: 'Every part works', tone: 'good' };
  if (status.state === 'down') return { text: `Not working: ${named('down')}`, tone: 'bad' };
  if (status.state === 'degraded') return { text: `Slow, or failed once: ${named('degraded')}`, tone: 'warn' };
  const isAll = status.answer.components.every((component) => status.stateOf(component) === 'unknown');
  return { text: isAll ? 'No recent probe of any part' : `No recent probe: ${named('unknown')}`, tone: undefined };
};

const latestProbe = (components: readonly ComponentStatus[]): string | undefined =>
  components
    .flatMap(({ last_probe_at }) => last_probe_at ?? [])
    .sort()
    .at(-1);

type RowProps = { component: ComponentStatus; state: ComponentState | undefined; nowMs: number | undefined };

const ComponentRow = ({ component, state, nowMs }: RowProps) => {
  const { name, measured, days, last_probe_at, latency_ms, every_seconds } = component;
  const uptime = uptimeOf(days);
  const shown = state && words[state];
  return (
    <li class="status-row">
      <div class="status-row-head">
        <h3>{name}</h3>
        <Badge tone={shown?.tone}>{shown?.name ?? 'Asking …'}</Badge>
      </div>
      <p class="small muted">{measured}.</p>
      {/* Without a time no day has its place: the bars come with the answer, in the space that is kept for them. */}
      <div class="status-bars-place">
        {nowMs !== undefined && <DayBars name={name} days={days} everySeconds={every_seconds} nowMs={nowMs} />}
      </div>
      <p class="status-facts small muted num">
        <span>{uptime === undefined ? 'Not measured yet' : `${percent(uptime)} answered`}</span>
        <span>{latency_ms === null ? '' : `${duration(latency_ms)}, last hour`}</span>
        <span>
          {last_probe_at === null || nowMs === undefined ? 'No probe yet' : `Probed ${ago(last_probe_at, nowMs)}`}
        </span>
      </p>
    </li>
  );
};

const StatusPage = () => {
  const status = useStatus();
  const known = status === 'failed' ? undefined : status;
  const components = known?.answer.components ?? unasked;
  const { text, tone } = summaryOf(status);
  const latest = latestProbe(components);
  return (
    <>
      <SiteHead />
      <main class="content prose status-page" id="main" tabIndex={-1}>
        <DocHead title="Status">
          What the service finds when it uses itself as its callers do: each part once a minute, a whole photo every
          five.
        </DocHead>
        <div class={`status-now ${tone ?? ''}`} role="status">
          <Icon name={tone === 'good' ? 'check' : tone ? 'warn' : 'info'} />
          <div>
            <strong>{text}</strong>
            <span class="small num">
              {latest && known ? `Last probe ${ago(latest, known.nowMs)}` : 'No probe is known yet'}
              {known?.isLost && '. The last request for news failed.'}
            </span>
          </div>
        </div>
        <h2 id="parts">Parts</h2>
        <p class="small muted">
          One bar a day (UTC), the last {STATUS_DAYS} days, today at the right. Grey: not measured. Pale: measured for
          less than half of the day.
        </p>
        <ul class="status-rows">
          {components.map((component) => (
            <ComponentRow
              key={component.id}
              component={component}
              state={known ? known.stateOf(component) : status === 'failed' ? 'unknown' : undefined}
              nowMs={known?.nowMs}
            />
          ))}
        </ul>
        <h2 id="incidents">Incidents</h2>
        <div class="status-incidents-place">
          {known ? <IncidentList incidents={known.answer.incidents} /> : <p class="muted">Not known yet.</p>}
        </div>
        <h2 id="limits">What this page cannot see</h2>
        <p>
          The probes run inside the service, and this page comes from it. If all of it is away, nobody is left to say
          so: then the page does not load, or shows when the last probe was. Networks between you and the service are
          not measured, nor is the delivery of webhooks to your address; each attempt at one is in the portal.
        </p>
        <p class="small">
          For programs: <a href={STATUS_PATH}>status.json</a>
        </p>
      </main>
      <SiteFoot />
    </>
  );
};
export default StatusPage;
