/** The one row that stands for the lines of the ledger that were exported and deleted. */
import type { CheckpointSignature } from '../../../shared/ledger-checkpoint.ts';
import { first } from '../../sqlite/rows.ts';
import type { Checkpoint } from './port.ts';

/** Undefined while the ledger has all of its lines. */
export const checkpoint = (sql: SqlStorage): Checkpoint | undefined =>
  first<Checkpoint>(
    sql,
    'select throughSequence, granted, available, held, spent, chain, keyId, signature, madeAtMs from checkpoint',
  );

/** With a secret other than the one that signed it. */
export const signAnew = (sql: SqlStorage, { keyId, signature }: CheckpointSignature): void => {
  sql.exec('update checkpoint set keyId = ?, signature = ?', keyId, signature);
};
