/** What is charged, as the ledger itself has it, and how long until nothing is open any more. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, Totals } from '../../edge/account/ledger/types.ts';
import type { System } from '../../local/system.ts';
import { webhookEventId } from '../../shared/ids.ts';
import { imagesIn } from '../../shared/image-list.ts';
import { readLedger } from '../support/ledger.ts';
import type { PhotoServer } from '../support/photo-server.ts';
import type { Told } from './told.ts';

/** Read off the ledger's lines. `resolved`: one letter an image, in order: p posted, v voided, a point neither. */
export type Hold = { readonly batchId: string; readonly pending: number; readonly resolved: string };
export type Books = { readonly totals: Totals; readonly holds: readonly Hold[] };

const POLL_MS = 5_000;

export const readBooks = async (system: System, accountId: string): Promise<Books> => {
  const { totals, entries } = await readLedger(system, accountId);
  return { totals, holds: holdsOf(entries) };
};

/** Oldest line first. */
export const holdsOf = (entries: readonly Pick<Entry, 'kind' | 'batchId' | 'credits' | 'images'>[]): Hold[] => {
  const letters = new Map<string, string[]>();
  for (const { kind, batchId, credits, images } of entries) {
    if (batchId === null) continue;
    if (kind === 'hold') letters.set(batchId, Array(-credits).fill('.'));
    const of = letters.get(batchId);
    for (const index of images === null ? [] : imagesIn(images)) if (of) of[index] = kind === 'post' ? 'p' : 'v';
    if (kind === 'release' && of)
      letters.set(
        batchId,
        of.map((letter) => (letter === '.' ? 'v' : letter)),
      );
  }
  return Array.from(letters, ([batchId, of]) => ({
    batchId,
    resolved: of.join(''),
    pending: of.filter((letter) => letter === '.').length,
  }));
};

/** One text for each thing that is not over. */
const openThings = ({ totals, holds }: Books, told: Told, shop: PhotoServer): string[] => {
  const known = new Map(holds.map((hold) => [hold.batchId, hold]));
  const delivered = new Set(shop.hooks.map(({ headers }) => headers['webhook-id']));
  return [
    ...(totals.held === 0 ? [] : [`${totals.held} credits are held`]),
    ...holds.filter(({ pending }) => pending > 0).map(({ batchId, pending }) => `${batchId}: ${pending} images open`),
    ...[...told.batches.keys()].filter((id) => !known.has(id)).map((id) => `${id} was accepted and is not known`),
    ...[...told.hooked].filter((id) => !delivered.has(webhookEventId(id))).map((id) => `${id}: no webhook came`),
  ];
};

/** What is still open at `giveUpAt`, Unix time in ms: nothing, where the system came to rest. */
export const untilAtRest = async (
  system: System,
  accountId: string,
  told: Told,
  shop: PhotoServer,
  giveUpAt: number,
  progress: (open: readonly string[]) => void = () => undefined,
): Promise<readonly string[]> => {
  for (;;) {
    const open = await readBooks(system, accountId).then(
      (ledger) => openThings(ledger, told, shop),
      (error: unknown) => [`the ledger cannot be read: ${error}`],
    );
    if (open.length === 0 || Date.now() > giveUpAt) return open;
    progress(open);
    await sleep(POLL_MS);
  }
};
