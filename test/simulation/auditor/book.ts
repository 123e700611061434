/** What was asked for and what was heard, as the clients noted it: the only source beside the rows. */
import type { Actor } from '../platform/scheduler.ts';
import type { Heard, WireAnswer } from '../wire.ts';

export type Wish = {
  /** Stands in the name of every file of the wish, so that rows tell whose they are. */
  readonly id: string;
  readonly account: Account;
  readonly style: 'upload' | 'batch';
  readonly images: number;
  readonly idempotencyKey: string | undefined;
  readonly mode: 'live' | 'test';
  readonly webhookUrl: string | undefined;
  /** What each image is made for; none: the default. */
  readonly marketplaces: readonly string[];
  readonly respondAsync: boolean;
  /** Some tries carry another body under the same Idempotency-Key. */
  readonly changes: boolean;
  /** Its first body stalls and breaks off, and others are sent just before and after. */
  readonly contested: boolean;
};
export type Account = {
  readonly accountId: string;
  readonly keys: Readonly<Record<'live' | 'test', { readonly id: string; readonly text: string }>>;
  /** Credits that were bought, less those taken back, by the movements ordered so far. */
  granted: number;
  /** Credits that its live key may spend on a UTC day; null: all. */
  readonly cap: number | null;
  revoked: boolean;
};

/** One request. `tag` begins the names of its files: the same for tries that are one purchase. */
export type Try = { readonly wish: Wish; readonly tag: string; readonly heard: Heard };

/** Somebody who listens to the ends of an account's live batches. */
export type Listened = {
  readonly account: Account;
  /** When the first answer was heard. */
  sinceMs: number | null;
  /** Of the last answer that was heard. */
  next: string | undefined;
  /** An answer said that events are missing. */
  hasGap: boolean;
  readonly events: { readonly batchId: string; readonly status: string }[];
};

/** `sinceMs`: when it was added. */
export type Endpoint = { readonly account: Account; readonly url: string; readonly sinceMs: number };

export type Book = ReturnType<typeof createBook>;

export const createBook = () => {
  const tries: Try[] = [];
  const statuses = new Map<string, WireAnswer[]>();
  return {
    accounts: [] as Account[],
    /** Who asked before the run began. */
    old: [] as { readonly wish: Wish; readonly actor: Actor }[],
    wishes: [] as Wish[],
    mistakes: [] as { readonly name: string; readonly heard: Heard }[],
    /** What each account was told of its balance at the very end. */
    balances: new Map<Account, WireAnswer>(),
    /** Links of completed images, followed at the very end. */
    downloads: [] as { readonly account: Account; readonly url: string; readonly heard: Heard }[],
    listeners: [] as Listened[],
    endpoints: [] as Endpoint[],
    /** Answers to free checks. */
    checks: [] as Heard[],
    tries,
    statuses,
    tried: (one: Try): void => void tries.push(one),
    polled: (batchId: string, answer: WireAnswer): void => {
      const known = statuses.get(batchId) ?? [];
      known.push(answer);
      statuses.set(batchId, known);
    },
  };
};

export const namedBatch = (heard: Heard): string | undefined =>
  typeof heard?.body['batch_id'] === 'string' ? heard.body['batch_id'] : undefined;

/** The caller has its answer and would not ask again. */
export const isDefinite = (heard: Heard): heard is WireAnswer =>
  heard !== undefined && (heard.status < 400 || heard.body['retryable'] !== true);
