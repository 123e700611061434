/** What a system at rest, and one that was stopped, may have: its processes, its memory, and no temporary file. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryMiB, type Part, type Running } from './processes.ts';
import type { ChaosSystem } from './system.ts';

/** MiB of each tier, and its processes. */
export type Footprint = {
  readonly origin: number;
  readonly workerd: number;
  readonly parts: ReadonlyMap<Part, number>;
};

/** Against what both tiers took after the same load in calm. */
export const MEMORY_FACTOR_MAX = 1.5;
const SETTLE_MS_MAX = 90_000;
const POLL_MS = 2_000;
const ORIGIN: readonly Part[] = ['origin', 'model', 'decoder'];
/** A server's backends come and go with its clients, and wrangler's builder with its wish. */
const COUNTED: readonly Part[] = [...ORIGIN, 'workerd', 'wrangler'];

export const footprintOf = (processes: readonly Running[]): Footprint => {
  const of = (...parts: readonly Part[]): Running[] => processes.filter(({ part }) => parts.includes(part));
  return {
    origin: Math.round(memoryMiB(of(...ORIGIN))),
    workerd: Math.round(memoryMiB(of('workerd'))),
    parts: new Map(COUNTED.map((part) => [part, of(part).length])),
  };
};

const faultsBetween = (before: Footprint, now: Footprint): string[] => [
  ...(['origin', 'workerd'] as const)
    .filter((tier) => now[tier] > MEMORY_FACTOR_MAX * before[tier])
    .map((tier) => `${tier} takes ${now[tier]} MiB, and took ${before[tier]} before`),
  ...COUNTED.filter((part) => now.parts.get(part) !== before.parts.get(part)).map(
    (part) => `${now.parts.get(part)} processes of ${part}, and there were ${before.parts.get(part)}`,
  ),
];

/** As before, or what is not after a while: memory is given back in its own time, and a process may just be ending. */
export const untilAsBefore = async (
  chaos: ChaosSystem,
  before: Footprint,
): Promise<{ readonly now: Footprint; readonly faults: readonly string[] }> => {
  for (const giveUpAt = Date.now() + SETTLE_MS_MAX; ; await sleep(POLL_MS)) {
    const now = footprintOf(chaos.processes());
    const faults = faultsBetween(before, now);
    if (faults.length === 0 || Date.now() > giveUpAt) return { now, faults };
  }
};

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** After the end of it all. */
export const leftBehind = (chaos: ChaosSystem): string[] => [
  ...chaos.processes().map(({ pid, part }) => `process ${pid} (${part}) runs on`),
  ...[chaos.temporary, join(chaos.system.settings.dataDir, 'tmp')]
    .flatMap(namesIn)
    .map((name) => `${name} is left in the folder of temporary files`),
  ...readdirSync(chaos.system.settings.dataDir, { recursive: true })
    .map(String)
    .filter((name) => /\.(tmp|new)$/.test(name))
    .map((name) => `${name} is left in the folder of data`),
];

const WRANGLER_DRAFTS = join(import.meta.dirname, '..', '..', '.wrangler', 'tmp');

/** Builds that wrangler keeps in the project's folder for the time of a run; one that is killed leaves its own there. */
export const wranglerBuilds = (): string[] => namesIn(WRANGLER_DRAFTS).map((name) => join(WRANGLER_DRAFTS, name));
