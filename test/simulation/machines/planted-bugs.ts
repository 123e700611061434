/**
 * Bugs that must not live long: each breaks one rule of the machines or of the shells around them. The simulation is
 * only worth something if it finds them all.
 */
import type { LedgerView } from '../../../edge/account/ledger/machine.ts';
import { type Machines, realMachines } from './machines.ts';

const real = realMachines;
const rules = (change: Partial<Machines['rules']>): Machines => ({ ...real, rules: { ...real.rules, ...change } });

/** A hold big enough that the machine's own assertions do not notice at once. */
const forgetful = (view: LedgerView): LedgerView => ({
  ...view,
  hold: (batchId) => {
    const hold = view.hold(batchId);
    return hold && { ...hold, resolved: hold.resolved.replaceAll(/[pv]/g, '.') };
  },
});

export const plantedBugs: Readonly<Record<string, Machines>> = {
  'a settlement said twice is booked twice': {
    ...real,
    ledger: (view, command, nowMs) => real.ledger(command.type === 'resolve' ? forgetful(view) : view, command, nowMs),
  },
  'a grant said twice is booked twice': {
    ...real,
    ledger: (view, command, nowMs) =>
      real.ledger(command.type === 'grant' ? { ...view, entry: () => undefined } : view, command, nowMs),
  },
  'a hold said twice takes credits twice': {
    ...real,
    ledger: (view, command, nowMs) =>
      real.ledger(command.type === 'hold' ? { ...view, hold: () => undefined } : view, command, nowMs),
  },
  'a hold ends by itself after a minute': rules({ releaseAfterMs: 60_000 }),
  'an outcome is settled before it is saved': rules({ saveBeforeEffects: false }),
  'a second delivery decides an image again': {
    ...real,
    batch: (view, command, nowMs) => {
      if (command.type !== 'record' && command.type !== 'start') return real.batch(view, command, nowMs);
      return real.batch({ ...view, image: (index) => open(view.image(index)) }, command, nowMs);
    },
  },
  'an image is called completed before its file is stored': rules({ storeBeforeAnswer: false, lookForFile: false }),
  'batches of test keys are charged': rules({ testKeysAreFree: false }),
  'a settlement that was lost is not said again': {
    ...real,
    batch: (view, command, nowMs) => {
      const decision = real.batch(view, command, nowMs);
      return command.type === 'tick'
        ? { ...decision, effects: decision.effects.filter(({ type }) => type !== 'settle') }
        : decision;
    },
  },
  'a message that was lost is not sent again': {
    ...real,
    batch: (view, command, nowMs) => {
      const decision = real.batch(view, command, nowMs);
      return command.type === 'tick'
        ? { ...decision, effects: decision.effects.filter(({ type }) => type !== 'dispatch') }
        : decision;
    },
  },
  'nobody wakes the batch': { ...real, nextWakeMs: () => null },
  'a batch is opened before its credits are held': {
    ...real,
    batch: (view, command, nowMs) =>
      real.batch(view, command.type === 'hold_answered' ? { ...command, answer: 'held' } : command, nowMs),
  },
  'a batch whose caller was told of an error is opened all the same': {
    ...real,
    batch: (view, command, nowMs) =>
      command.type === 'give_up'
        ? { reply: { result: 'refused', available: null }, effects: [] }
        : real.batch(view, command, nowMs),
  },
  'a lost image is sent again ever more rarely': {
    ...real,
    batch: (view, command, nowMs) => {
      const decision = real.batch(view, command, nowMs);
      if (command.type !== 'tick') return decision;
      return {
        ...decision,
        ...(decision.images && {
          images: decision.images.map((image) =>
            image.dueAtMs === null ? image : { ...image, dueAtMs: nowMs + 120_000 * 4 ** image.dispatches },
          ),
        }),
      };
    },
  },
  'a retry after a death opens a batch of its own': {
    ...real,
    begin: (earlier, batchId, nowMs) => {
      const begun = real.begin(earlier, batchId, nowMs);
      return begun.reply.result === 'taken_over' ? real.begin(undefined, batchId, nowMs) : begun;
    },
  },
  'the answer to an idempotency key is forgotten': {
    ...real,
    finish: () => undefined,
    begin: (_earlier, batchId, nowMs) => real.begin(undefined, batchId, nowMs),
  },
};

const open = <T extends { readonly outcome: unknown; readonly status: string }>(image: T | undefined): T | undefined =>
  image && image.outcome !== null ? { ...image, outcome: null, status: 'queued' as T['status'] } : image;
