/**
 * What stands in an account's ledger in place of lines that were exported and deleted: through which sequence, the totals
 * after it, and a chain of SHA-256 digests over the lines, signed by the service. Whoever has the export can compute the
 * chain again.
 */
import { hex, sha256 } from './digest.ts';
import type { LedgerEntry } from './ledger-export.ts';
import type { ServicePublicKey, ServiceSigningKey } from './service-key.ts';

/** Credits, as they were after the line `throughSequence`. `chain` is empty before the first line. */
export type LedgerCheckpoint = {
  readonly throughSequence: number;
  readonly granted: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly chain: string;
};
/** `keyId` names the key by the first 8 hex characters of its digest, so that it can be changed. Both are hex. */
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

const ed25519 = { name: 'Ed25519' } as const;
const checkpointKeyId = async ({ x }: ServicePublicKey): Promise<string> => (await sha256(x)).slice(0, 8);

export const signCheckpoint = async (
  accountId: string,
  checkpoint: LedgerCheckpoint,
  signingKey: ServiceSigningKey,
): Promise<CheckpointSignature> => {
  const key = await crypto.subtle.importKey('jwk', { ...signingKey }, ed25519, false, ['sign']);
  const signature = await crypto.subtle.sign(ed25519, key, signedText(accountId, checkpoint));
  return { keyId: await checkpointKeyId(signingKey), signature: hex(new Uint8Array(signature)) };
};

/** `secrets`: shared ones, by which the releases before signed (HMAC). */
export type CheckpointKeys = { readonly publicKeys: readonly ServicePublicKey[]; readonly secrets: readonly string[] };

export const verifyCheckpoint = async (
  accountId: string,
  checkpoint: LedgerCheckpoint,
  { keyId, signature }: CheckpointSignature,
  { publicKeys, secrets }: CheckpointKeys,
): Promise<'genuine' | 'false' | 'unknown_key'> => {
  const verdict = (isGenuine: boolean) => (isGenuine ? 'genuine' : 'false');
  const text = signedText(accountId, checkpoint);
  for (const publicKey of publicKeys)
    if ((await checkpointKeyId(publicKey)) === keyId) {
      const key = await crypto.subtle.importKey('jwk', { ...publicKey }, ed25519, false, ['verify']);
      return verdict(await crypto.subtle.verify(ed25519, key, fromHex(signature), text));
    }
  for (const secret of secrets)
    if ((await sha256(secret)).slice(0, 8) === keyId) {
      const key = await crypto.subtle.importKey('raw', utf8.encode(secret), hmac, false, ['verify']);
      return verdict(await crypto.subtle.verify(hmac, key, fromHex(signature), text));
    }
  return 'unknown_key';
};

const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
