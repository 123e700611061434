/**
 * Deletions of a batch's files, by its owner or at the end of their life, and of what else is known of it. What the saga
 * itself knows goes with the command; the rest is noted in the same transaction, tried at once, and driven by the alarm
 * until it is done. A node that is late may still store a file by a presigned URL, so everything is done once more after
 * these have ended. Each step may be repeated.
 */
import { backoffMs } from '../../shared/backoff.ts';
import { edgeLimits } from '../limits.ts';
import { all, first } from '../sqlite/rows.ts';

/** `everything`: files and all that is known. `files`: inputs and results, at the end of their life. */
export type RemovalKind = 'everything' | 'files' | 'inputs';
/** `index` null: all of the batch. */
type Removed = {
  readonly batchId: string;
  readonly accountId: string;
  readonly index: number | null;
  readonly images: number;
  readonly what: RemovalKind;
};
/** `more`: a bounded part was done. Throws where something could not be reached. */
export type Erase = (removed: Removed) => Promise<'done' | 'more'>;

type Removal = {
  readonly index: number;
  readonly what: RemovalKind;
  readonly isAgain: number;
  readonly tries: number;
};

const WHOLE = -1;
const { tryMsMax, againAfterMs, retryBaseMs, retryCapMs, perAlarm } = edgeLimits.removal;

/** The caller holds the transaction, and either tries it at once or leaves it to the alarm. */
export const noteRemoval = (
  sql: SqlStorage,
  what: RemovalKind,
  index: number | null,
  nowMs: number,
  by: 'caller' | 'alarm',
): void => {
  sql.exec(
    'insert into removal ("index", what, dueAtMs) values (?, ?, ?) on conflict do nothing',
    index ?? WHOLE,
    what,
    by === 'caller' ? nowMs + tryMsMax : nowMs,
  );
};

export const nextRemovalMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(sql, 'select min(dueAtMs) as atMs from removal')?.atMs ?? null;

/** Whether its owner's deletion is under way: false once it was done for the first time. */
export const isBeingRemoved = (sql: SqlStorage, index: number | null): boolean =>
  first(sql, `select 1 from removal where "index" = ? and what = 'everything' and isAgain = 0`, index ?? WHOLE) !==
  undefined;

type EraseIndex = (index: number | null, what: RemovalKind) => ReturnType<Erase>;

/** True where more is to be done at once. Throws nothing. */
export const runRemovals = async (sql: SqlStorage, now: () => number, erase: EraseIndex): Promise<boolean> => {
  const due = all<Removal>(
    sql,
    'select "index", what, isAgain, tries from removal where dueAtMs <= ? order by dueAtMs limit ?',
    now(),
    perAlarm,
  );
  for (const removal of due) await tryOnce(sql, removal, now, erase);
  return due.length > 0;
};

const tryOnce = async (sql: SqlStorage, removal: Removal, now: () => number, erase: EraseIndex): Promise<void> => {
  const { index, what } = removal;
  const came = await erase(index === WHOLE ? null : index, what).catch(() => 'failed' as const);
  if (came === 'failed') retryLater(sql, removal, now());
  else if (came === 'done') noteDone(sql, removal, now());
  else sql.exec('update removal set dueAtMs = ? where "index" = ? and what = ?', now(), index, what);
};

/** The first try of a deletion that was just noted, for its caller. */
export const runNewRemoval = async (
  sql: SqlStorage,
  index: number | null,
  now: () => number,
  erase: EraseIndex,
): Promise<void> => {
  const row = first<Removal>(
    sql,
    `select "index", what, isAgain, tries from removal
      where "index" = ? and what = 'everything' and isAgain = 0 and tries = 0`,
    index ?? WHOLE,
  );
  if (row) await tryOnce(sql, row, now, erase);
};

const noteDone = (sql: SqlStorage, { index, what, isAgain }: Removal, nowMs: number): void => {
  if (isAgain === 1 || what !== 'everything')
    sql.exec('delete from removal where "index" = ? and what = ?', index, what);
  else
    sql.exec(
      'update removal set isAgain = 1, tries = 0, dueAtMs = ? where "index" = ? and what = ?',
      nowMs + againAfterMs,
      index,
      what,
    );
};

const retryLater = (sql: SqlStorage, { index, what, tries }: Removal, nowMs: number): void => {
  const waitMs = backoffMs(tries, { baseMs: retryBaseMs, capMs: retryCapMs });
  sql.exec(
    'update removal set tries = ?, dueAtMs = ? where "index" = ? and what = ?',
    tries + 1,
    Math.ceil(nowMs + waitMs),
    index,
    what,
  );
};

/** Of the request: names, addresses, options. Who made the batch stays, to be told that it was deleted. */
export const forgetBatch = (sql: SqlStorage): void => {
  sql.exec(`update requestPart set images = '[]', context = case when context is null then null else json_object(
    'batchId', context ->> 'batchId', 'accountId', context ->> 'accountId', 'keyId', context ->> 'keyId',
    'mode', context ->> 'mode', 'requestId', '', 'fingerprint', '', 'webhookUrl', null) end`);
  sql.exec(`update image set outcome = json_object('status', status) where outcome is not null`);
};

/** `part` of the request has `place` as its image. */
export const forgetImage = (sql: SqlStorage, index: number, part: number, place: number, nowMs: number): void => {
  sql.exec(
    `update requestPart set images = json_set(images, ?, json('{"originalName":"","filename":"","inputUrl":null}')) where part = ?`,
    `$[${place}]`,
    part,
  );
  sql.exec(`update image set outcome = json_object('status', status) where "index" = ? and outcome is not null`, index);
  sql.exec('insert into removedImage values (?, ?) on conflict do nothing', index, nowMs);
};

export const removedImages = (sql: SqlStorage): number[] =>
  all<{ index: number }>(sql, 'select "index" from removedImage order by "index"').map(({ index }) => index);
