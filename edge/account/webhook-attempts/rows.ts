/** Attempts at an account's webhooks, in its history. Bounded in number and age, and gone with what they tell of. */
import { firstId } from '../../../shared/ids.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first, put } from '../../sqlite/rows.ts';
import type { Page, PageRequest } from '../page.ts';
import { hasDeliveryTables } from '../webhook-deliveries/rows.ts';
import type { AttemptFilter, KeptAttempt, WebhookAttempt } from './port.ts';

const { rowsMax, keptMs, bodyCharsMax, pageRowsMax, sweepRowsMax } = edgeLimits.webhookAttempts;
/** All but the body. */
const SHOWN = 'attemptId, atMs, batchId, eventId, url, sentBy, outcome, status, failure, ms, bodyBytes';
/** With what a history that had no room for its columns has not. */
const shownOf = (sql: SqlStorage): string => (hasDeliveryTables(sql) ? `${SHOWN}, endpointId, type` : SHOWN);

/** A history that had no room for its new tables has none of these, nor the columns that came with them. */
export const hasAttemptTable = (sql: SqlStorage): boolean =>
  first(sql, `select 1 from sqlite_master where name = 'webhookAttempt'`) !== undefined;

export const hasAttempts = (sql: SqlStorage): boolean =>
  hasAttemptTable(sql) && first(sql, 'select 1 from webhookAttempt limit 1') !== undefined;

/** The same attempt again changes nothing. What is beyond the account's number goes with the next one. */
export const addAttempt = (storage: DurableObjectStorage, attempt: KeptAttempt): void => {
  const { sql } = storage;
  storage.transactionSync(() => {
    // Its body may have been forgotten since.
    if (first(sql, 'select 1 from webhookAttempt where attemptId = ?', attempt.attemptId)) return;
    put(sql, 'webhookAttempt', { ...attempt, body: attempt.body?.slice(0, bodyCharsMax) ?? null });
    sql.exec(
      `delete from webhookAttempt where attemptId in
        (select attemptId from webhookAttempt order by attemptId desc limit ? offset ?)`,
      sweepRowsMax,
      rowsMax,
    );
  });
};

const filters = ({
  batchId,
  endpointId,
  outcome,
}: AttemptFilter): { readonly where: string; readonly values: string[] } => ({
  where: [
    batchId === undefined ? '' : ' and batchId = ?',
    endpointId === undefined ? '' : ' and endpointId = ?',
    outcome === 'delivered' ? ` and outcome = 'delivered'` : outcome === 'failed' ? ` and outcome <> 'delivered'` : '',
  ].join(''),
  values: [batchId, endpointId].filter((value) => value !== undefined),
});

export const attemptPage = (
  sql: SqlStorage,
  { cursor, max: asked, ...filter }: PageRequest & AttemptFilter,
): Page<WebhookAttempt> => {
  if (!hasAttemptTable(sql) || (filter.endpointId !== undefined && !hasDeliveryTables(sql)))
    return { rows: [], next: null };
  const max = Math.min(asked ?? pageRowsMax, pageRowsMax);
  const { where, values } = filters(filter);
  const rows = all<WebhookAttempt>(
    sql,
    `select ${shownOf(sql)} from webhookAttempt where attemptId < ?${where} order by attemptId desc limit ?`,
    cursor ?? '~',
    ...values,
    max + 1,
  );
  const shown = rows.slice(0, max);
  return { rows: shown, next: rows.length > max ? (shown.at(-1)?.attemptId ?? null) : null };
};

export const attemptById = (sql: SqlStorage, attemptId: string): KeptAttempt | undefined =>
  hasAttemptTable(sql)
    ? first<KeptAttempt>(sql, `select ${shownOf(sql)}, body from webhookAttempt where attemptId = ?`, attemptId)
    : undefined;

export const eraseBatchAttempts = ({ sql }: DurableObjectStorage, batchId: string): void => {
  if (hasAttemptTable(sql)) sql.exec('delete from webhookAttempt where batchId = ?', batchId);
};
/** A body names every image of its batch: with one of them deleted, none of the bodies stays. */
export const forgetBodies = (sql: SqlStorage, batchId: string): void => {
  if (hasAttemptTable(sql)) sql.exec('update webhookAttempt set body = null where batchId = ?', batchId);
};

/** Those made up to then, a bounded number. True where more may be left. */
export const eraseAttempts = ({ sql }: DurableObjectStorage, throughMs: number): boolean =>
  hasAttemptTable(sql) &&
  all(
    sql,
    `delete from webhookAttempt where attemptId in
      (select attemptId from webhookAttempt where attemptId < ? order by attemptId limit ?) returning 1`,
    firstId('webhookAttempt', throughMs + 1),
    sweepRowsMax,
  ).length === sweepRowsMax;

/** True where more may be left. */
export const sweepAttempts = (storage: DurableObjectStorage, nowMs: number): boolean =>
  eraseAttempts(storage, nowMs - keptMs);
