/**
 * What stands in an account's ledger in place of lines that were exported and deleted: through which sequence, the totals
 * after it, and a chain of SHA-256 digests over the lines, signed by the service. Whoever has the export can compute the
 * chain again.
 */
import { hex, sha256 } from './digest.ts';
import type { LedgerEntry } from './ledger-export.ts';

/** Credits, as they were after the line `throughSequence`. `chain` is empty before the first line. */
export type LedgerCheckpoint = {
  readonly throughSequence: number;
  readonly granted: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly chain: string;
};
/** `keyId` names the secret by the first 8 hex characters of its digest, so that it can be changed. */
export type CheckpointSignature = { readonly keyId: string; readonly signature: string };

/** One exported line as the chain takes it. */
const lineOf = ({
  id,
  account_id,
  seq,
  kind,
  batch_id,
  image_id,
  images,
  credits,
  at_ms,
  balance,
}: LedgerEntry): string => {
  const { available, held, spent } = balance;
  return JSON.stringify([
    id,
    account_id,
    seq,
    kind,
    batch_id ?? null,
    image_id ?? null,
    credits,
    at_ms,
    available,
    held,
    spent,
    ...(images === undefined ? [] : [images]),
  ]);
};

/** The chain goes on from `before`: each digest is over the one before it and one line. */
export const chained = async (before: string, lines: readonly LedgerEntry[]): Promise<string> => {
  let chain = before;
  for (const line of lines) chain = await sha256(`${chain}\n${lineOf(line)}`);
  return chain;
};

const utf8 = new TextEncoder();
const hmac = { name: 'HMAC', hash: 'SHA-256' } as const;
/** The first part keeps signatures apart from whatever else the secret signs. */
const signedText = (accountId: string, checkpoint: LedgerCheckpoint): Uint8Array<ArrayBuffer> => {
  const { throughSequence, granted, available, held, spent, chain } = checkpoint;
  return utf8.encode(
    JSON.stringify(['ledger-checkpoint', accountId, throughSequence, granted, available, held, spent, chain]),
  ) as Uint8Array<ArrayBuffer>;
};

export const signCheckpoint = async (
  accountId: string,
  checkpoint: LedgerCheckpoint,
  secret: string,
): Promise<CheckpointSignature> => {
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), hmac, false, ['sign']);
  const signature = await crypto.subtle.sign(hmac, key, signedText(accountId, checkpoint));
  return { keyId: (await sha256(secret)).slice(0, 8), signature: hex(new Uint8Array(signature)) };
};
