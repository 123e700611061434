/** Deliveries that are to be made, and how the endpoints took those before; in an account's history. */
import { limits } from '../../../shared/limits.ts';
import type { WebhookEventType } from '../../../shared/webhook-events.ts';
import { edgeLimits } from '../../limits.ts';
import { logEvent } from '../../log.ts';
import { all, first } from '../../sqlite/rows.ts';
import { nextAttemptMs } from '../../webhooks/schedule.ts';
import type { Disabling, WebhookEndpoint } from '../webhook-endpoints/port.ts';
import type { EndpointState, WebhookEvent } from './port.ts';

const { startedPerAlarm } = edgeLimits.webhookEndpoints;
const { failingMsMax, failuresMin, concurrencyMax, pendingMax } = limits.webhookEndpoints;

export type Delivery = {
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: WebhookEventType;
  readonly batchId: string | null;
  readonly body: string | null;
  readonly atMs: number;
  /** Made so far, the one under way included. */
  readonly attempts: number;
  readonly firstAtMs: number | null;
  readonly dueAtMs: number;
};

/** A history that had no room for its new tables has none of these. */
export const hasDeliveryTables = (sql: SqlStorage): boolean =>
  first(sql, `select 1 from sqlite_master where name = 'webhookDelivery'`) !== undefined;

/** Throws where there is no room: the account then keeps them. Beyond `pendingMax` of an endpoint the oldest are dropped. */
export const takeEvents = (storage: DurableObjectStorage, accountId: string, events: readonly WebhookEvent[]): void =>
  storage.transactionSync(() => {
    const { sql } = storage;
    const through = first<{ n: number }>(sql, 'select webhookEventsThrough as n from history')?.n ?? 0;
    const fresh = events.filter(({ sequence }) => sequence > through);
    for (const event of fresh) for (const endpointId of event.endpoints) insert(sql, endpointId, event);
    for (const endpointId of new Set(fresh.flatMap(({ endpoints }) => endpoints))) dropBeyond(sql, endpointId);
    const last = fresh.at(-1);
    if (last) sql.exec('update history set webhookEventsThrough = ?, accountId = ?', last.sequence, accountId);
  });

const insert = (sql: SqlStorage, endpointId: string, { eventId, type, batchId, body, atMs }: WebhookEvent): void => {
  sql.exec(
    `insert into webhookDelivery (endpointId, eventId, type, batchId, body, atMs, attempts, dueAtMs)
      values (?1, ?2, ?3, ?4, ?5, ?6, 0, ?6) on conflict do nothing`,
    endpointId,
    eventId,
    type,
    batchId,
    body,
    atMs,
  );
};

const dropBeyond = (sql: SqlStorage, endpointId: string): void => {
  const dropped = all(
    sql,
    `delete from webhookDelivery where endpointId = ?1 and eventId in
      (select eventId from webhookDelivery where endpointId = ?1 order by atMs desc, eventId desc limit -1 offset ?2) returning 1`,
    endpointId,
    pendingMax,
  ).length;
  if (dropped > 0) logEvent('warn', 'webhook_deliveries_dropped', { endpoint_id: endpointId, dropped });
};

/** Endpoints that nothing may be begun for: `concurrencyMax` deliveries are under way, or it is being disabled. */
const closed = (sql: SqlStorage, underWay: ReadonlyMap<string, number>): string[] => [
  ...[...underWay].filter(([, count]) => count >= concurrencyMax).map(([endpointId]) => endpointId),
  ...all<{ endpointId: string }>(sql, 'select endpointId from webhookHealth where disabledAtMs is not null').map(
    ({ endpointId }) => endpointId,
  ),
];

const NOT_CLOSED = 'endpointId not in (select value from json_each(?))';

/** When a delivery may be begun next; null where none may. */
export const nextDeliveryMs = (sql: SqlStorage, underWay: ReadonlyMap<string, number>): number | null =>
  first<{ dueAtMs: number }>(
    sql,
    `select dueAtMs from webhookDelivery where ${NOT_CLOSED} order by dueAtMs limit 1`,
    JSON.stringify(closed(sql, underWay)),
  )?.dueAtMs ?? null;

/** What is due, oldest first, as much as may be begun: an endpoint's full places leave the others theirs. */
export const dueDeliveries = (sql: SqlStorage, nowMs: number, underWay: ReadonlyMap<string, number>): Delivery[] => {
  const ranked = all<Delivery & { place: number }>(
    sql,
    `select * from (
       select *, row_number() over (partition by endpointId order by dueAtMs, eventId) as place
         from webhookDelivery where dueAtMs <= ? and ${NOT_CLOSED}
     ) where place <= ? order by place, dueAtMs limit ?`,
    nowMs,
    JSON.stringify(closed(sql, underWay)),
    concurrencyMax,
    startedPerAlarm,
  );
  return ranked
    .filter(({ endpointId, place }) => place <= concurrencyMax - (underWay.get(endpointId) ?? 0))
    .map(({ place: _place, ...delivery }) => delivery);
};

/**
 * Written before the call: after a crash in it another follows when that must be over, and no sooner than after an attempt
 * that failed, so that crashes of some minutes do not use up the attempts of a day. Undefined where no attempt is left or
 * the delivery is gone, which it then is.
 */
export const beginAttempt = (
  sql: SqlStorage,
  { endpointId, eventId, attempts, firstAtMs, dueAtMs }: Delivery,
  jitter: number,
  nowMs: number,
): Delivery | undefined => {
  const { attemptsMax, windowMs, timeoutMs } = limits.webhook;
  if (attempts >= attemptsMax || (firstAtMs !== null && dueAtMs > firstAtMs + windowMs)) {
    dropDelivery(sql, endpointId, eventId);
    return undefined;
  }
  const overAtMs = nowMs + timeoutMs + edgeLimits.batch.redriveAfterMs;
  const nextAtMs = nextAttemptMs({ attempts: attempts + 1, firstAtMs: firstAtMs ?? nowMs }, jitter, nowMs) ?? overAtMs;
  return first<Delivery>(
    sql,
    `update webhookDelivery set attempts = attempts + 1, firstAtMs = coalesce(firstAtMs, ?1), dueAtMs = ?2
      where endpointId = ?3 and eventId = ?4 returning *`,
    nowMs,
    Math.max(overAtMs, nextAtMs),
    endpointId,
    eventId,
  );
};

/** It is gone once the endpoint was removed or disabled by its owner. */
export const isPending = (sql: SqlStorage, { endpointId, eventId }: Delivery): boolean =>
  first(sql, 'select 1 from webhookDelivery where endpointId = ? and eventId = ?', endpointId, eventId) !== undefined;
export const dropDelivery = (sql: SqlStorage, endpointId: string, eventId: string): void => {
  sql.exec('delete from webhookDelivery where endpointId = ? and eventId = ?', endpointId, eventId);
};
const dropDeliveriesTo = (sql: SqlStorage, endpointId: string): void => {
  sql.exec('delete from webhookDelivery where endpointId = ?', endpointId);
};
/** It was removed or disabled by its owner. */
export const forgetEndpoint = (sql: SqlStorage, endpointId: string): void => {
  dropDeliveriesTo(sql, endpointId);
  sql.exec('delete from webhookHealth where endpointId = ? and disabledAtMs is null', endpointId);
};

/** The last one made failed, or nobody knows how it ended. */
export const tryLater = (sql: SqlStorage, delivery: Delivery, jitter: number, nowMs: number): void => {
  const { endpointId, eventId, attempts, firstAtMs } = delivery;
  const dueAtMs = nextAttemptMs({ attempts, firstAtMs: firstAtMs ?? nowMs }, jitter, nowMs);
  if (dueAtMs === null) dropDelivery(sql, endpointId, eventId);
  else
    sql.exec(
      'update webhookDelivery set dueAtMs = ? where endpointId = ? and eventId = ?',
      dueAtMs,
      endpointId,
      eventId,
    );
};

type Health = {
  readonly endpointId: string;
  readonly failingSinceMs: number;
  readonly failures: number;
  readonly lastFailedAtMs: number;
};

/** Also for one that was sent by hand. What is being disabled goes on being that. */
export const noteAccepted = (sql: SqlStorage, endpointId: string, eventId: string): void => {
  dropDelivery(sql, endpointId, eventId);
  sql.exec('delete from webhookHealth where endpointId = ? and disabledAtMs is null', endpointId);
};

/**
 * Failures count from its owner's last change on, and anew after a gap as long as a delivery's whole window: what fails
 * now and then, days apart, is not known to have failed in between. True where it is to be disabled for them.
 */
export const noteFailed = (
  sql: SqlStorage,
  { endpointId, changedAtMs }: Pick<WebhookEndpoint, 'endpointId' | 'changedAtMs'>,
  nowMs: number,
): boolean => {
  const before = first<Health>(sql, 'select * from webhookHealth where endpointId = ?', endpointId);
  const goesOn =
    before !== undefined &&
    before.failingSinceMs >= changedAtMs &&
    nowMs - before.lastFailedAtMs <= limits.webhook.windowMs;
  const since = goesOn ? before : { failingSinceMs: nowMs, failures: 0 };
  const failures = since.failures + 1;
  sql.exec(
    `insert into webhookHealth (endpointId, failingSinceMs, failures, lastFailedAtMs) values (?1, ?2, ?3, ?4)
      on conflict do update set failingSinceMs = ?2, failures = ?3, lastFailedAtMs = ?4`,
    endpointId,
    since.failingSinceMs,
    failures,
    nowMs,
  );
  return failures >= failuresMin && nowMs - since.failingSinceMs >= failingMsMax;
};

/** Nothing is begun for it until the account has answered, and what is pending stays till then. One that is noted already stays as it is. */
export const noteDisabling = (sql: SqlStorage, endpointId: string, url: string, { why, atMs }: Disabling): void => {
  sql.exec(
    `insert into webhookHealth (endpointId, failingSinceMs, failures, lastFailedAtMs, disabledWhy, disabledAtMs, url, dueAtMs)
      values (?1, ?2, 1, ?2, ?3, ?2, ?4, ?2)
      on conflict do update set disabledWhy = ?3, disabledAtMs = ?2, url = ?4, dueAtMs = ?2 where disabledAtMs is null`,
    endpointId,
    atMs,
    why,
    url,
  );
};

export type DueDisabling = Disabling & { readonly endpointId: string; readonly url: string; readonly tries: number };

export const dueDisablings = (sql: SqlStorage, nowMs: number): DueDisabling[] =>
  all<DueDisabling>(
    sql,
    `select endpointId, url, disabledWhy as why, disabledAtMs as atMs, tries from webhookHealth where dueAtMs <= ?`,
    nowMs,
  );
export const nextDisablingMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(sql, 'select min(dueAtMs) as atMs from webhookHealth')?.atMs ?? null;
export const retryDisabling = (sql: SqlStorage, endpointId: string, dueAtMs: number): void => {
  sql.exec('update webhookHealth set tries = tries + 1, dueAtMs = ? where endpointId = ?', dueAtMs, endpointId);
};
/** Told, or not to be told any more. What is pending goes where the endpoint is disabled. */
export const endDisabling = (sql: SqlStorage, endpointId: string, isDisabled: boolean): void => {
  sql.exec('delete from webhookHealth where endpointId = ?', endpointId);
  if (isDisabled) dropDeliveriesTo(sql, endpointId);
};

export const endpointStates = (sql: SqlStorage): EndpointState[] =>
  all<EndpointState>(
    sql,
    `select endpointId, sum(pending) as pending, max(failingSinceMs) as failingSinceMs from (
       select endpointId, 1 as pending, null as failingSinceMs from webhookDelivery
       union all select endpointId, 0, failingSinceMs from webhookHealth
     ) group by endpointId`,
  );

/** The accounts that events came from are all one: the history's. */
export const accountIdOf = (sql: SqlStorage): string =>
  first<{ accountId: string | null }>(sql, 'select accountId from history')?.accountId ?? '';

export const eraseBatchDeliveries = (sql: SqlStorage, batchId: string): void => {
  if (hasDeliveryTables(sql)) sql.exec('delete from webhookDelivery where batchId = ?', batchId);
};
/** At most as many as there are pending. */
export const eraseDeliveries = (sql: SqlStorage, throughMs: number): void => {
  if (!hasDeliveryTables(sql)) return;
  sql.exec('delete from webhookDelivery where atMs <= ?', throughMs);
};
