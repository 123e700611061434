/**
 * Takes out of the history what it has of deleted batches: lines of the log, and stored answers. What was counted stays
 * counted. An Idempotency-Key goes on naming its batch, so that a repetition is told of the deletion and opens no other.
 */
import { type ErrorCode, failure } from '../../../shared/errors.ts';
import { imageId } from '../../../shared/ids.ts';
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import { addToDays, countedColumns } from '../requests/days.ts';
import { firstLogId } from '../requests/log.ts';
import { hasAttemptTable } from '../webhook-attempts/rows.ts';

type LogRow = Parameters<typeof addToDays>[1][number] & { readonly logId: string };

/** Lines that are in no day's sum yet are added to it first. */
const deleteLines = (sql: SqlStorage, rows: readonly LogRow[]): void => {
  const through = first<{ logId: string }>(sql, 'select rolledThrough as logId from history')?.logId ?? '';
  const uncounted = rows.filter(({ logId }) => logId > through);
  if (uncounted.length > 0) addToDays(sql, uncounted);
  for (const { logId } of rows) sql.exec('delete from request where logId = ?', logId);
  sql.exec('update history set requests = requests - ?', rows.length);
};

/** `fingerprint` is of what was sent, so it goes with the answer. */
const FORGET_ANSWERS = `
  update idempotency set answer = json_object('fingerprint', '', 'requestId', answer ->> 'requestId', 'answer', ?)
   where answer is not null`;
/** As responses/answer.ts has it. */
const deletedAnswer = (): string => JSON.stringify({ kind: 'failed', failure: failure('batch_deleted') });

/** Reads the log and the records of a day once: both are bounded. */
export const eraseBatch = (storage: DurableObjectStorage, batchId: string): void =>
  storage.transactionSync(() => {
    const { sql } = storage;
    const lines = all<LogRow>(
      sql,
      `select ${countedColumns(sql)} from request where batchId = ?1 or instr(path, ?1) > 0`,
      batchId,
    );
    deleteLines(sql, lines);
    sql.exec(`${FORGET_ANSWERS} and batchId = ?`, deletedAnswer(), batchId);
  });

type Result = { readonly image_id?: string; readonly batch_id?: string };
type FileError = { readonly code: ErrorCode; readonly detail: string };
type Stored = { readonly answer: string };
/** As much of responses/answer.ts' as says something of single images. */
type KeptAnswer = {
  readonly body?: { readonly results?: readonly Result[] };
  readonly failure?: { readonly errors?: readonly FileError[] };
};

/** Undefined where the answer says nothing of the image. */
const withoutImage = (answer: KeptAnswer, batchId: string, id: string): KeptAnswer | undefined => {
  const { body, failure: found } = answer;
  if (body?.results) {
    const { code, detail } = failure('result_deleted');
    const deleted = { original_name: '', image_id: id, batch_id: batchId, error: { code, detail } };
    return {
      ...answer,
      body: { ...body, results: body.results.map((result) => (result.image_id === id ? deleted : result)) },
    };
  }
  if (!found?.errors) return undefined;
  // Every file failed, and which of them the image was is not said: none keeps its name.
  const nameless = found.errors.map((row) => ({ ...row, detail: failure(row.code).detail }));
  return { ...answer, failure: { ...found, errors: nameless } };
};

/** Only the answer to an upload says more of an image than its id. */
export const eraseImage = (storage: DurableObjectStorage, batchId: string, index: number): void =>
  storage.transactionSync(() => {
    const { sql } = storage;
    // Which of the names was the image's is not said: none stays.
    if (hasAttemptTable(sql))
      sql.exec('update request set names = null where batchId = ? and names is not null', batchId);
    const rows = all<{ keyId: string; idempotencyKey: string; answer: string }>(
      sql,
      'select keyId, idempotencyKey, answer from idempotency where batchId = ? and answer is not null',
      batchId,
    );
    for (const { keyId, idempotencyKey, answer: text } of rows) {
      const stored = JSON.parse(text) as Stored;
      const without = withoutImage(JSON.parse(stored.answer) as KeptAnswer, batchId, imageId(batchId, index));
      if (!without) continue;
      sql.exec(
        'update idempotency set answer = ? where keyId = ? and idempotencyKey = ?',
        JSON.stringify({ ...stored, answer: JSON.stringify(without) }),
        keyId,
        idempotencyKey,
      );
    }
  });

/** Everything up to `throughMs`, a bounded number of lines at a time. True where more are left. */
export const eraseThrough = (storage: DurableObjectStorage, throughMs: number): boolean =>
  storage.transactionSync(() => {
    const { sql } = storage;
    const { sweepRowsMax } = edgeLimits.requestLog;
    const lines = all<LogRow>(
      sql,
      `select ${countedColumns(sql)} from request where logId < ? order by logId limit ?`,
      firstLogId(throughMs + 1),
      sweepRowsMax,
    );
    deleteLines(sql, lines);
    sql.exec(`${FORGET_ANSWERS} and createdAtMs <= ?`, deletedAnswer(), throughMs);
    return lines.length === sweepRowsMax;
  });
