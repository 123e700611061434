/**
 * Watches a run from outside and keeps books of its own: what was granted, which image of which batch is pending,
 * posted or voided, which file exists, what
 * each client was told. Written against the specification and shares no code with the machines. Throws a Violation at
 * the first thing that is not right.
 */
import { auditClients } from './clients.ts';
import { type Case, createMemory, type Memory } from './memory.ts';
import { auditMoney } from './money.ts';
import { auditSagas } from './sagas.ts';

export type { Reply } from './memory.ts';
export type Auditor = ReturnType<typeof createAuditor>;

/**
 * From calm to the end of every batch: an alarm two hours late, then the longest pause between dispatches, a few times.
 */
const RECOVERY_MS_MAX = 2.5 * 3_600_000;

export const createAuditor = () => {
  const memory = createMemory();
  return {
    checks: memory.checks,
    stored: (id: string): void => void memory.files.add(id),
    ...auditMoney(memory),
    ...auditSagas(memory),
    ...auditClients(memory),
    /** The world has been healthy since `calmMs` and nothing is left to happen. */
    quiet(calmMs: number): void {
      for (const [accountId, { held }] of memory.accounts)
        memory.demand(held === 0, `${accountId} still holds ${held} credits at the end`);
      for (const [batchId, one] of memory.cases) checkEnd(memory, batchId, one, calmMs);
      checkChargedOnce(memory);
    },
  };
};

const checkEnd = ({ demand }: Memory, batchId: string, one: Case, calmMs: number): void => {
  if (one.told === 'accepted') demand(one.endedAtMs !== null, `accepted batch ${batchId} never ended`);
  demand(
    (one.endedAtMs ?? 0) <= calmMs + RECOVERY_MS_MAX,
    `batch ${batchId} was not taken up again: it ended only at its deadline`,
  );
  if (!one.released) {
    for (const [index, place] of (one.places ?? []).entries()) {
      const owed = one.decided.get(index) === 'completed' ? 'posted' : 'voided';
      demand(place === owed, `${batchId}:${index} is ${place} at the end, its outcome is ${one.decided.get(index)}`);
    }
  }
  for (const index of one.denied)
    demand(one.places?.[index] !== 'posted', `${batchId}:${index} was called failed and charged`);
  if (one.told === 'failed')
    demand(!one.places?.includes('posted'), `${batchId} was answered with an error and charged`);
  // A hold that was asked for, thought lost and granted after the refusal may stand for a while; it must come back
  // whole.
  if (one.told === 'refused')
    demand(!one.places || one.places.every((place) => place === 'voided'), `refused batch ${batchId} was charged`);
  if (one.endedAtMs !== null && one.webhook.expected) demand(one.webhook.received > 0, `no webhook for ${batchId}`);
};

const checkChargedOnce = ({ cases, demand }: Memory): void => {
  const charged = new Map<string, string>();
  for (const [batchId, { request, places }] of cases) {
    if (!places?.includes('posted')) continue;
    demand(!charged.has(request), `one request charged for two batches: ${charged.get(request)} and ${batchId}`);
    charged.set(request, batchId);
  }
};
