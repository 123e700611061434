/**
 * Ends of batches, for a developer who listens (`packshot webhooks listen`). They are noted only while somebody does, and
 * for a day after: nobody else pays a row for it. Bounded in number and age; a batch is noted once.
 */
import type { KeyMode } from '../../shared/api-key.ts';
import { limits } from '../../shared/limits.ts';
import { edgeLimits } from '../limits.ts';
import { all, first } from '../sqlite/rows.ts';
import type { EventPage } from './events-port.ts';

const { keptMs, eventsMax } = limits.webhookEvents;
const { pageMax, listeningStepMs } = edgeLimits.webhookEvents;

const listenedUntilMs = (sql: SqlStorage): number =>
  first<{ atMs: number | null }>(sql, 'select listenedUntilMs as atMs from account')?.atMs ?? 0;

export const isListenedTo = (sql: SqlStorage, nowMs: number): boolean => listenedUntilMs(sql) > nowMs;

/** Only where somebody listens. */
export const noteEvent = (sql: SqlStorage, batchId: string, mode: KeyMode, nowMs: number): void => {
  sql.exec('insert into event (batchId, mode, atMs) values (?, ?, ?) on conflict do nothing', batchId, mode, nowMs);
  sql.exec(
    'delete from event where atMs < ? or sequence <= (select max(sequence) from event) - ?',
    nowMs - keptMs,
    eventsMax,
  );
};

/** Nobody's end since: the number of the last event there ever was. */
const lastSequence = (sql: SqlStorage): number =>
  first<{ seq: number }>(sql, "select seq from sqlite_sequence where name = 'event'")?.seq ?? 0;

/** Also says that somebody listens. `after` null: from now on. */
export const readEvents = (sql: SqlStorage, after: number | null, mode: KeyMode, nowMs: number): EventPage => {
  const until = listenedUntilMs(sql);
  if (until < nowMs + keptMs - listeningStepMs) sql.exec('update account set listenedUntilMs = ?', nowMs + keptMs);
  const last = lastSequence(sql);
  if (after === null) return { events: [], next: last, isMissing: false };
  const oldest = first<{ sequence: number | null }>(sql, 'select min(sequence) as sequence from event')?.sequence;
  const events = all<{ sequence: number; batchId: string }>(
    sql,
    'select sequence, batchId from event where sequence > ? and mode = ? order by sequence limit ?',
    after,
    mode,
    pageMax,
  );
  const isMissing = until <= nowMs || after < (oldest ?? last + 1) - 1;
  return { events, next: events.at(-1)?.sequence ?? last, isMissing };
};
