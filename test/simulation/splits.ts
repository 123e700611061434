/** Usage by key and marketplaces as the portal shows it, against the ledger's lines, the batches and the log. */
import type { AccountRows, BatchRows, LogLine } from './auditor/rows.ts';
import { inPortal } from './owner.ts';
import type { Demand } from './reading.ts';
import type { World } from './world.ts';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** All days, of which the clocks of a run see a few. */
const EVER = { from: '2000-01-01', to: '2999-12-31' } as const;

const counter = () => {
  const counts = new Map<string, [number, number]>();
  return {
    add: (group: readonly unknown[], first: number, second: number): void => {
      const name = JSON.stringify(group);
      const [a, b] = counts.get(name) ?? [0, 0];
      if (first !== 0 || second !== 0) counts.set(name, [a + first, b + second]);
    },
    text: (): string => JSON.stringify([...counts].sort()),
  };
};

/** Of live keys day by day by the ledger's lines; of test keys, which leave none, in all, by what became of their images. */
export const imageSplitLaw = async (
  world: World,
  { accountId, lines, holds }: AccountRows,
  batches: readonly BatchRows[],
  demand: Demand,
): Promise<void> => {
  const known = new Map(batches.map((batch) => [batch.batchId, batch]));
  const [right, shown] = [counter(), counter()];
  for (const { kind, credits, batchId, createdAtMs } of lines) {
    if (kind !== 'post' && kind !== 'void') continue;
    const { keyId, marketplaces } = known.get(batchId ?? '') ?? {};
    // Holds of the first release name no key.
    const isNoted = (holds.get(batchId ?? '')?.keyId ?? null) !== null;
    const group = isNoted ? [keyId, marketplaces] : ['', '?'];
    right.add(['live', dayOf(createdAtMs), ...group], kind === 'post' ? credits : 0, kind === 'void' ? credits : 0);
  }
  for (const { accountId: owner, mode, hold, keyId, marketplaces, completed, failed } of batches)
    if (owner === accountId && mode === 'test' && hold === 'held')
      right.add(['test', '', keyId, marketplaces], completed, failed);
  const groups = await inPortal(world, (portal) => portal.images(accountId, EVER));
  for (const { start, mode, keyId, marketplaces, completed, failed } of groups)
    shown.add([mode, mode === 'live' ? start : '', keyId, marketplaces], completed, failed);
  demand(right.text() === shown.text(), () => `${accountId}: images are split ${shown.text()}, are ${right.text()}`);
};

export const requestSplitLaw = async (
  world: World,
  accountId: string,
  log: readonly LogLine[],
  demand: Demand,
): Promise<void> => {
  const [right, shown] = [counter(), counter()];
  for (const { atMs, keyId, marketplaces, status } of log)
    right.add([dayOf(atMs), keyId, (marketplaces ?? '').split(',').sort().join()], 1, status >= 400 ? 1 : 0);
  const { groups } = await inPortal(world, (portal) => portal.requestSplit(accountId, EVER));
  for (const { start, keyId, marketplaces, requests, errors } of groups)
    shown.add([start, keyId, marketplaces], requests, errors);
  demand(right.text() === shown.text(), () => `${accountId}: requests are split ${shown.text()}, are ${right.text()}`);
};
