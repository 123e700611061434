/** The webhook endpoints in their account's object. */
import { limits } from '../../../shared/limits.ts';
import type { WebhookEventType } from '../../../shared/webhook-events.ts';
import { all, first, put } from '../../sqlite/rows.ts';
import type { DisabledWhy, Disabling, EndpointChange, EndpointReply, WebhookEndpoint } from './port.ts';

type Row = Omit<WebhookEndpoint, 'events' | 'disabled'> & {
  /** Set apart by spaces. */
  readonly events: string;
  readonly disabledAtMs: number | null;
  readonly disabledWhy: DisabledWhy | null;
};

const toEndpoint = ({ events, disabledAtMs, disabledWhy, ...row }: Row): WebhookEndpoint => ({
  ...row,
  events: events.split(' ') as WebhookEventType[],
  disabled: disabledAtMs === null || disabledWhy === null ? null : { why: disabledWhy, atMs: disabledAtMs },
});

export const listEndpoints = (sql: SqlStorage): WebhookEndpoint[] =>
  all<Row>(sql, 'select * from webhookEndpoint order by endpointId').map(toEndpoint);

const endpointById = (sql: SqlStorage, endpointId: string): WebhookEndpoint | undefined => {
  const row = first<Row>(sql, 'select * from webhookEndpoint where endpointId = ?', endpointId);
  return row && toEndpoint(row);
};

const save = (sql: SqlStorage, { events, disabled, ...endpoint }: WebhookEndpoint): void =>
  put(sql, 'webhookEndpoint', {
    ...endpoint,
    events: events.join(' '),
    disabledAtMs: disabled?.atMs ?? null,
    disabledWhy: disabled?.why ?? null,
  });

const isSameAddress = (one: string, other: string): boolean => new URL(one).href === new URL(other).href;

const isTaken = (sql: SqlStorage, { endpointId, url, mode }: Pick<WebhookEndpoint, 'endpointId' | 'url' | 'mode'>) =>
  listEndpoints(sql).some(
    (other) => other.endpointId !== endpointId && other.mode === mode && isSameAddress(other.url, url),
  );

export const addEndpoint = (
  sql: SqlStorage,
  asked: Pick<WebhookEndpoint, 'endpointId' | 'url' | 'mode' | 'events'>,
  nowMs: number,
): EndpointReply => {
  const before = endpointById(sql, asked.endpointId);
  if (before) return { result: 'saved', endpoint: before };
  if (listEndpoints(sql).length >= limits.webhookEndpoints.perAccountMax) return { result: 'too_many' };
  if (isTaken(sql, asked)) return { result: 'exists' };
  const endpoint = { ...asked, createdAtMs: nowMs, changedAtMs: nowMs, disabled: null };
  save(sql, endpoint);
  return { result: 'saved', endpoint };
};

export const changeEndpoint = (
  sql: SqlStorage,
  endpointId: string,
  { url, events, isEnabled }: EndpointChange,
  nowMs: number,
): EndpointReply => {
  const before = endpointById(sql, endpointId);
  if (!before) return { result: 'unknown' };
  const wanted = isEnabled ?? before.disabled === null;
  const endpoint: WebhookEndpoint = {
    ...before,
    url: url ?? before.url,
    events: events ?? before.events,
    changedAtMs: nowMs,
    disabled: wanted ? null : (before.disabled ?? { why: 'owner', atMs: nowMs }),
  };
  if (isTaken(sql, endpoint)) return { result: 'exists' };
  save(sql, endpoint);
  return { result: 'saved', endpoint };
};

export const removeEndpoint = (sql: SqlStorage, endpointId: string): boolean =>
  all(sql, 'delete from webhookEndpoint where endpointId = ? returning 1', endpointId).length > 0;

export const disableEndpoint = (
  sql: SqlStorage,
  endpointId: string,
  { why, atMs }: Disabling,
): 'disabled' | 'superseded' => {
  const before = endpointById(sql, endpointId);
  if (before?.disabled) return before.disabled.atMs === atMs && before.disabled.why === why ? 'disabled' : 'superseded';
  if (!before || before.changedAtMs > atMs) return 'superseded';
  save(sql, { ...before, disabled: { why, atMs } });
  return 'disabled';
};
