/** The machines under test as the shells call them, so that a planted bug can take the place of one. */

import * as idempotency from '../../../edge/account/idempotency/record.ts';
import * as ledger from '../../../edge/account/ledger/machine.ts';
import * as batch from '../../../edge/batch/machine/batch.ts';

export type Machines = {
  readonly ledger: typeof ledger.decide;
  readonly batch: typeof batch.decide;
  readonly nextWakeMs: typeof batch.nextWakeMs;
  readonly begin: typeof idempotency.begin;
  readonly finish: typeof idempotency.finish;
  /** How the shells around the machines behave; each is a rule of theirs that a planted bug breaks. */
  readonly rules: {
    /** Effects are carried out after the rows are saved. */
    readonly saveBeforeEffects: boolean;
    /** A hold is returned only once its saga has said that it does not know the batch. */
    readonly releaseAfterMs: number | null;
    /** Origin answers "completed" only once the file is stored. */
    readonly storeBeforeAnswer: boolean;
    /** The edge looks for the file before it believes "completed". */
    readonly lookForFile: boolean;
    /** Batches of test keys hold no credits. */
    readonly testKeysAreFree: boolean;
  };
};

export const realMachines: Machines = {
  ledger: ledger.decide,
  batch: batch.decide,
  nextWakeMs: batch.nextWakeMs,
  begin: idempotency.begin,
  finish: idempotency.finish,
  rules: {
    saveBeforeEffects: true,
    releaseAfterMs: null,
    storeBeforeAnswer: true,
    lookForFile: true,
    testKeysAreFree: true,
  },
};
