/** The request log: filtered, paged, followed live. */
import { useEffect, useState } from 'preact/hooks';
import type { KeyRow, LogPage, LogRow } from '../../../shared/portal-api.ts';
import { get } from '../api.ts';
import { duration, timeText } from '../format.ts';
import { navigate, useLocation } from '../router.tsx';
import { Badge, Button, Card, Empty, PageHead, Problem, ShowOlder, Skeleton } from '../ui/kit.tsx';
import { useQuery } from '../use-query.ts';

const TAIL_MS = 2_000;
const ROWS_SHOWN_MAX = 1_000;

const statuses = [
  ['', 'All statuses'],
  ['success', '2xx success'],
  ['client_error', '4xx refused'],
  ['server_error', '5xx failed'],
] as const;

export const StatusBadge = ({ status }: { status: number }) => (
  <Badge tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</Badge>
);

const Table = ({ rows, keys }: { rows: readonly LogRow[]; keys: readonly KeyRow[] }) => (
  <div class="table-wrap">
    <table class="cards-on-phone log-table">
      <caption class="visually-hidden">Requests, newest first</caption>
      <thead>
        <tr>
          <th>Time</th>
          <th>Status</th>
          <th>Request</th>
          <th>Key</th>
          <th class="right">Images</th>
          <th class="right">Credits</th>
          <th class="right">Latency</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.request_id} class="link" onClick={() => navigate(`/logs/${row.request_id}`)}>
            <td data-label="Time" class="nowrap muted">
              <time dateTime={row.at} title={row.at}>
                {timeText(row.at)}
              </time>
            </td>
            <td data-label="Status">
              <span class="row tight nowrap">
                <StatusBadge status={row.status} />
              </span>
            </td>
            <td data-label="Request">
              <div class="request-cell">
                <a class="mono" href={`/logs/${row.request_id}`} onClick={(event) => event.stopPropagation()}>
                  {row.method} {row.path.replace('/api/v1', '')}
                </a>
                {row.error_code && <span class="mono small bad-text">{row.error_code}</span>}
              </div>
            </td>
            <td data-label="Key" class="muted">
              {keys.find((key) => key.key_id === row.key_id)?.label ?? '–'}
            </td>
            <td data-label="Images" class="right">
              {row.images || '–'}
            </td>
            <td data-label="Credits" class="right">
              {row.credits || '–'}
            </td>
            <td data-label="Latency" class="right nowrap">
              {duration(row.duration_ms)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

type Filter = { readonly key: string; readonly status: string };
const queryOf = ({ key, status }: Filter, more: Record<string, string> = {}): string =>
  new URLSearchParams(Object.entries({ key, status, ...more }).filter(([, value]) => value !== '')).toString();

/** Rows of one filter: the first page, further pages on demand, and new rows while the tail is on. */
const useLog = (filter: Filter, live: boolean) => {
  const search = queryOf(filter);
  const first = useQuery<LogPage>(`/logs?${search}`);
  const [older, setOlder] = useState<readonly LogRow[]>([]);
  const [newer, setNewer] = useState<readonly LogRow[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  useEffect(() => {
    setOlder([]);
    setNewer([]);
    setCursor(first.value?.next_cursor ?? null);
  }, [first.value]);
  const rows = [...newer, ...(first.value?.rows ?? []), ...older];
  const newest = rows[0]?.request_id ?? '';
  useEffect(() => {
    if (!live || !first.value) return;
    const timer = setInterval(async () => {
      if (document.hidden) return;
      const answer = await get<LogPage>(`/logs?${queryOf(filter, { after: newest })}`);
      if (!answer.ok || answer.value.rows.length === 0) return;
      setNewer((before) => {
        const known = new Set(before.map((row) => row.request_id));
        return [...answer.value.rows.filter((row) => !known.has(row.request_id)), ...before].slice(0, ROWS_SHOWN_MAX);
      });
    }, TAIL_MS);
    return () => clearInterval(timer);
  }, [live, search, newest, first.value]);
  const more = async (): Promise<void> => {
    if (!cursor) return;
    const answer = await get<LogPage>(`/logs?${queryOf(filter, { cursor })}`);
    if (!answer.ok) return;
    setOlder((before) => [...before, ...answer.value.rows]);
    setCursor(answer.value.next_cursor);
  };
  return { rows, first, cursor, more };
};

const Logs = () => {
  const { query } = useLocation();
  const filter: Filter = { key: query.get('key') ?? '', status: query.get('status') ?? '' };
  const [live, setLive] = useState(false);
  const { rows, first, cursor, more } = useLog(filter, live);
  const keys = useQuery<{ keys: readonly KeyRow[] }>('/keys').value?.keys ?? [];
  const choose = (change: Partial<Filter>): void =>
    navigate(`/logs?${queryOf({ ...filter, ...change })}`, { replace: true });
  const filtered = filter.key !== '' || filter.status !== '';
  return (
    <>
      <PageHead title="Logs" lead="Every request made with your keys, kept for 30 days.">
        <Button aria-pressed={live} onClick={() => setLive(!live)}>
          <span class={`dot ${live ? 'on' : ''}`} aria-hidden="true" />
          {live ? 'Live' : 'Go live'}
        </Button>
      </PageHead>
      <div class="stack tight">
        <div class="filters">
          <label>
            <span class="visually-hidden">Key</span>
            <select class="input" value={filter.key} onChange={(e) => choose({ key: e.currentTarget.value })}>
              <option value="">All keys</option>
              {keys.map((key) => (
                <option key={key.key_id} value={key.key_id}>
                  {key.label} ({key.masked})
                </option>
              ))}
            </select>
          </label>
          <label>
            <span class="visually-hidden">Status</span>
            <select class="input" value={filter.status} onChange={(e) => choose({ status: e.currentTarget.value })}>
              {statuses.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        <p class="visually-hidden" role="status">
          {live ? `Following live. ${rows.length} requests shown.` : ''}
        </p>
        <Problem problem={first.problem} retry={first.reload} />
        {!first.value && !first.problem && <Skeleton height={22} />}
        {first.value && (
          <Card flush>
            {rows.length === 0 ? (
              <Empty
                icon="logs"
                title={filtered ? 'Nothing matches' : 'No requests yet'}
                action={
                  filtered ? (
                    <Button onClick={() => choose({ key: '', status: '' })}>Clear filters</Button>
                  ) : (
                    <a class="button primary" href="/docs">
                      Open quick start
                    </a>
                  )
                }
              >
                {filtered
                  ? 'No request of the last 30 days fits these filters.'
                  : 'Requests appear here as soon as one of your keys is used.'}
              </Empty>
            ) : (
              <Table rows={rows} keys={keys} />
            )}
            {cursor && <ShowOlder more={more} />}
          </Card>
        )}
      </div>
    </>
  );
};
export default Logs;
