/**
 * The checkpoint of one account beside its lines: they are chained again as they are read, and must come to what the edge
 * signed. A line that was changed, added or removed since changes the chain.
 */
import { chained, type LedgerCheckpoint, signCheckpoint } from '../../../shared/ledger-checkpoint.ts';
import type { LedgerEntry } from '../../../shared/ledger-export.ts';
import type { Disagreement } from './kinds.ts';
import { afterLine, type LinesBefore, noLines } from './lines.ts';
import type { Line, StoredCheckpoint } from './rows.ts';

export type CheckpointChecks = {
  /** Secrets of the service that a checkpoint may be signed with. */
  readonly secrets: readonly string[];
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
  { secrets, foldedBeforeMs }: CheckpointChecks,
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
      if (checkpoint) found.push(...compared(checkpoint, through, chain), ...(await signed(checkpoint, secrets)));
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

const signed = async (checkpoint: StoredCheckpoint, secrets: readonly string[]): Promise<Disagreement[]> => {
  const { accountId: subject, keyId, signature } = checkpoint;
  const signatures = await Promise.all(
    secrets.map((secret) => signCheckpoint(subject, checkpoint satisfies LedgerCheckpoint, secret)),
  );
  const own = signatures.find((candidate) => candidate.keyId === keyId);
  if (!own) {
    const detail = `signed with the secret ${keyId}, which ORIGIN_SERVICE_SECRET is not`;
    return [{ kind: 'checkpoint_unverified', subject, detail }];
  }
  const detail = 'its signature is false';
  return own.signature === signature ? [] : [{ kind: 'checkpoint_mismatch', subject, detail }];
};
