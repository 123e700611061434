/** What the auditor remembers of a run, in words of its own. */
export class Violation extends Error {}

export type Told = {
  readonly granted: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
};
export type Line = Told & {
  readonly sequence: number;
  readonly commandId: string;
  readonly kind: string;
  readonly credits: number;
  readonly batchId: string | null;
  readonly imageIndex: number | null;
};
export type Row = {
  readonly images: number;
  readonly completed: number;
  readonly failed: number;
  readonly processing: number;
  readonly completedAtMs: number | null;
  readonly hold: string;
};
export type Picture = { readonly index: number; readonly status: string; readonly settlement: string };
export type Status = {
  readonly status: string;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly processing: number;
  readonly images: readonly string[];
};
export type Reply = { readonly status: number; readonly batchId?: string; readonly images?: readonly string[] };

export type Books = {
  granted: number;
  available: number;
  held: number;
  spent: number;
  lines: number;
  asked: Map<string, number>;
  applied: Set<string>;
};
type Place = 'pending' | 'posted' | 'voided';
export type Case = {
  readonly accountId: string;
  readonly images: number;
  readonly live: boolean;
  readonly request: string;
  /** Per image, once credits are held. */
  places: Place[] | undefined;
  released: boolean;
  refused: boolean;
  told: 'nothing' | 'accepted' | 'refused' | 'failed';
  /** Images an upload's answer called failed. */
  denied: number[];
  decided: Map<number, string>;
  endedAtMs: number | null;
  seen: Status | undefined;
  webhook: { expected: boolean; received: number; gone: boolean };
};

export type Memory = ReturnType<typeof createMemory>;

export const createMemory = () => {
  const accounts = new Map<string, Books>();
  const cases = new Map<string, Case>();
  let checks = 0;
  return {
    accounts,
    cases,
    /** Ids of stored files. */
    files: new Set<string>(),
    /** Request → the batch it was answered with. */
    answers: new Map<string, string>(),
    checks: () => checks,
    demand(holds: boolean, what: string): void {
      checks++;
      if (!holds) throw new Violation(what);
    },
    booksOf(accountId: string): Books {
      const books = accounts.get(accountId) ?? {
        granted: 0,
        available: 0,
        held: 0,
        spent: 0,
        lines: 0,
        asked: new Map(),
        applied: new Set(),
      };
      accounts.set(accountId, books);
      return books;
    },
    caseOf(batchId: string | null): Case {
      const one = cases.get(batchId ?? '');
      if (!one) throw new Violation(`nobody asked for batch ${batchId}`);
      return one;
    },
  };
};
