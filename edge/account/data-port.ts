/** What an account does with the data of its owner, beside its money. */
/** Times of a deletion; `doneAtMs` null: it is under way. */
export type Erasure = { readonly askedAtMs: number; readonly doneAtMs: number | null };

/** For people. */
export const retentionText = (days: number | null): string =>
  days === null ? 'as the service keeps them' : `${days} days`;

export type DataPort = {
  /**
   * Deletes what was sent and made until now. `in_progress`: images of the account are still being processed, and nothing
   * is deleted, unless `evenRunning`: then what runs is waited for. Asked again while it is under way, it goes on as it
   * was asked for.
   */
  eraseData(evenRunning?: boolean): Promise<{ readonly result: 'erasing' | 'in_progress' | 'unknown_account' }>;
  /** Days that files are kept, 0 for until their first complete download, null for the default. */
  retention(): Promise<number | null>;
  /** For batches opened from now on. */
  setRetention(days: number | null): Promise<void>;
  /** The last one asked for. */
  erasure(): Promise<Erasure | null>;
};
