/**
 * The checkpoint of one account beside its lines: they are chained again as they are read, and must come to what the edge
 * signed. A line that was changed, added or removed since changes the chain.
 */
import { type CheckpointKeys, chained, verifyCheckpoint } from '../../../shared/ledger-checkpoint.ts';
import type { LedgerEntry } from '../../../shared/ledger-export.ts';
import type { Disagreement } from './kinds.ts';
import { afterLine, type LinesBefore, noLines } from './lines.ts';
import type { Line, StoredCheckpoint } from './rows.ts';

export type CheckpointChecks = {
  /** What a checkpoint may be signed with. */
  readonly keys: CheckpointKeys;
  /** Lines of before belong under a checkpoint: the edge keeps them no longer. */
  readonly foldedBeforeMs: number;
};

const entryOf = ({
  id,
  accountId,
  seq,
  kind,
  batchId,
  imageId,
  images,
  credits,
  atMs,
  ...balance
}: Line): LedgerEntry => ({
  id,
  account_id: accountId,
  seq,
  kind,
  ...(batchId === null ? {} : { batch_id: batchId }),
  ...(imageId === null ? {} : { image_id: imageId }),
  ...(images === null ? {} : { images }),
  credits,
  at_ms: atMs,
  balance: { available: balance.available, held: balance.held, spent: balance.spent },
});

/** Takes an account's lines in their order; `end` says what is wrong with its checkpoint. */
export const createCheckpointCheck = (
  accountId: string,
  checkpoint: StoredCheckpoint | undefined,
  { keys, foldedBeforeMs }: CheckpointChecks,
) => {
  const throughSequence = checkpoint?.throughSequence ?? 0;
  let through: LinesBefore = noLines(accountId);
  let chain = '';
  let unfolded: Line | undefined;
  return {
    take: async (line: Line): Promise<void> => {
      if (line.seq <= throughSequence) {
        through = afterLine(through, line);
        chain = await chained(chain, [entryOf(line)]);
      } else if (line.atMs < foldedBeforeMs) unfolded ??= line;
    },
    end: async (): Promise<Disagreement[]> => {
      const found: Disagreement[] = [];
      if (checkpoint) found.push(...compared(checkpoint, through, chain), ...(await signed(checkpoint, keys)));
      if (unfolded) {
        const detail = `seq ${unfolded.seq} is old, but the checkpoint goes through ${throughSequence}`;
        found.push({ kind: 'checkpoint_missing', subject: accountId, detail });
      }
      return found;
    },
  };
};

const compared = (checkpoint: StoredCheckpoint, through: LinesBefore, chain: string): Disagreement[] => {
  const { accountId: subject, throughSequence } = checkpoint;
  const mismatch = (detail: string): Disagreement[] => [{ kind: 'checkpoint_mismatch', subject, detail }];
  if (through.seq !== throughSequence)
    return mismatch(`goes through ${throughSequence}, but the last line up to there is ${through.seq}`);
  if (chain !== checkpoint.chain) return mismatch(`lines up to ${throughSequence} are not those that were signed`);
  const differs = (['granted', 'available', 'held', 'spent'] as const).filter(
    (name) => checkpoint[name] !== through[name],
  );
  return differs.length > 0 ? mismatch(`totals after ${throughSequence} differ: ${differs.join(', ')}`) : [];
};

const signed = async (checkpoint: StoredCheckpoint, keys: CheckpointKeys): Promise<Disagreement[]> => {
  const { accountId: subject, keyId } = checkpoint;
  switch (await verifyCheckpoint(subject, checkpoint, checkpoint, keys)) {
    case 'genuine':
      return [];
    case 'false':
      return [{ kind: 'checkpoint_mismatch', subject, detail: 'its signature is false' }];
    case 'unknown_key': {
      const detail = `signed with the key ${keyId}, which is none of SERVICE_PUBLIC_KEYS`;
      return [{ kind: 'checkpoint_unverified', subject, detail }];
    }
  }
};
