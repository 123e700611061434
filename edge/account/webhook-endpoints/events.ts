/**
 * Events for the account's webhook endpoints, written in the transaction of what they tell of, and their outbox to the
 * history, which delivers them. Each goes to the endpoints that were enabled at that moment; with none, nothing is
 * written. The history knows an event by its number here, so that it takes each once.
 */
import type { KeyMode } from '../../../shared/api-key.ts';
import { newId, webhookEventId } from '../../../shared/ids.ts';
import type { WebhookEventType } from '../../../shared/webhook-events.ts';
import { edgeLimits } from '../../limits.ts';
import { errorText, logEvent } from '../../log.ts';
import { all, first } from '../../sqlite/rows.ts';
import { balanceLowBody } from '../../webhooks/balance-low.ts';
import type { Crossing } from '../ledger/balance-crossing.ts';
import type { WebhookDeliveriesPort, WebhookEvent } from '../webhook-deliveries/port.ts';
import { listEndpoints } from './rows.ts';

const { eventsMax, eventsPerCall, handOverAfterMs, handOverRetryMs } = edgeLimits.webhookEndpoints;

const endpointsFor = (sql: SqlStorage, type: WebhookEventType, mode: KeyMode): string[] =>
  listEndpoints(sql)
    .filter((endpoint) => endpoint.disabled === null && endpoint.mode === mode && endpoint.events.includes(type))
    .map(({ endpointId }) => endpointId);

type Noted = Pick<WebhookEvent, 'eventId' | 'type' | 'batchId' | 'body'>;

const note = (sql: SqlStorage, event: Noted, endpoints: readonly string[], nowMs: number): void => {
  sql.exec(
    'insert into webhookEvent (eventId, type, batchId, body, endpoints, atMs, dueAtMs) values (?, ?, ?, ?, ?, ?, ?)',
    event.eventId,
    event.type,
    event.batchId,
    event.body,
    endpoints.join(' '),
    nowMs,
    nowMs + handOverAfterMs,
  );
  const dropped = all<{ eventId: string }>(
    sql,
    'delete from webhookEvent where sequence <= (select max(sequence) from webhookEvent) - ? returning eventId',
    eventsMax,
  );
  for (const { eventId } of dropped) logEvent('error', 'webhook_event_dropped', { event_id: eventId });
};

/** The caller holds the transaction that closed the batch's hold. */
export const noteBatchEnd = (sql: SqlStorage, batchId: string, mode: KeyMode, nowMs: number): void => {
  const endpoints = endpointsFor(sql, 'batch.completed', mode);
  if (endpoints.length === 0) return;
  // Of a batch only its id is kept: what is sent is made when it is sent.
  note(sql, { eventId: webhookEventId(batchId), type: 'batch.completed', batchId, body: null }, endpoints, nowMs);
};

/** The caller holds the transaction of the movement that crossed. */
export const noteLowBalance = (sql: SqlStorage, crossing: Crossing, nowMs: number): void => {
  const endpoints = endpointsFor(sql, 'balance.low', 'live');
  if (endpoints.length === 0) return;
  const accountId = first<{ accountId: string }>(sql, 'select accountId from account')?.accountId ?? '';
  const eventId = newId('event', nowMs, (n) => crypto.getRandomValues(new Uint8Array(n)));
  const body = JSON.stringify(balanceLowBody({ eventId, accountId, atMs: nowMs, ...crossing }));
  note(sql, { eventId, type: 'balance.low', batchId: null, body }, endpoints, nowMs);
};

/** When events are to be handed over next; null where there are none. */
export const nextHandOverMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(sql, 'select min(dueAtMs) as atMs from webhookEvent')?.atMs ?? null;

type EventRow = Omit<WebhookEvent, 'endpoints'> & { readonly endpoints: string };

/** A bounded number, oldest first; true where more are left. Throws nothing: a history that is away is asked later. */
export const handOverEvents = async (
  sql: SqlStorage,
  now: () => number,
  deliveriesOf: (accountId: string) => Pick<WebhookDeliveriesPort, 'takeWebhookEvents'>,
): Promise<boolean> => {
  if ((nextHandOverMs(sql) ?? Number.POSITIVE_INFINITY) > now()) return false;
  const rows = all<EventRow>(
    sql,
    'select sequence, eventId, type, batchId, body, endpoints, atMs from webhookEvent order by sequence limit ?',
    eventsPerCall,
  );
  const last = rows.at(-1);
  const accountId = first<{ accountId: string }>(sql, 'select accountId from account')?.accountId;
  if (!last || accountId === undefined) return false;
  const events = rows.map((row) => ({ ...row, endpoints: row.endpoints.split(' ') }));
  try {
    await deliveriesOf(accountId).takeWebhookEvents(accountId, events);
  } catch (error) {
    logEvent('warn', 'webhook_events_handed_over_later', { account_id: accountId, error: errorText(error) });
    sql.exec('update webhookEvent set dueAtMs = ?', now() + handOverRetryMs);
    return false;
  }
  sql.exec('delete from webhookEvent where sequence <= ?', last.sequence);
  return rows.length === eventsPerCall;
};

/** The owner has deleted all data: nothing is told any more of what was before. */
export const forgetEvents = (sql: SqlStorage): void => {
  sql.exec('delete from webhookEvent');
};
