/**
 * Keeps a running system up: a tier whose process ended, or that stopped answering, is started again. A process alone says
 * too little: one may be stopped without having ended, and wrangler outlives its workerd and may then hold the port
 * without ever answering.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { paths } from '../shared/paths.ts';
import type { Child } from './child.ts';
import type { System } from './system.ts';

/** A tier that dies is started again, but not for ever: one that dies this often needs a person. */
const RESTARTS_MAX = 5;
const RESTART_WINDOW_MS = 5 * 60_000;
const CHECK_MS = 1_000;
const CHECK_MS_MAX = 16_000;
const ANSWER_MS_MAX = 5_000;
/** Longer than the slowest answer seen on two busy cores, and than wrangler takes to start its workerd again. */
const SILENT_MS_MAX = 15_000;

type Tier = { readonly child: () => Child; readonly url: string; readonly start: () => Promise<void> };
type Options = {
  readonly say?: (text: string) => void;
  /** Of both tiers within five minutes. */
  readonly restartsMax?: number;
};

/** Until `signal` is aborted. Throws where a tier keeps ending, or still cannot be started after as many tries. */
export const supervise = async (
  system: System,
  signal: AbortSignal,
  { say = console.error, restartsMax = RESTARTS_MAX }: Options = {},
): Promise<void> => {
  const [restartedAt, gaveUp]: [number[], AbortController] = [[], new AbortController()];
  const over = AbortSignal.any([signal, gaveUp.signal]);

  /** False where it could not be started. */
  const restart = async ({ child, start }: Tier, how: string): Promise<boolean> => {
    const tier = child();
    while (restartedAt.length > 0 && (restartedAt[0] ?? 0) < Date.now() - RESTART_WINDOW_MS) restartedAt.shift();
    if (restartedAt.push(Date.now()) > restartsMax)
      throw new Error(`${tier.name} keeps ending (${how}); see its log in ${join(system.settings.dataDir, 'logs')}`);
    say(`${tier.name} ${how}; starting it again …`);
    // What is left of its group, a workerd for one, would hold the port.
    await tier.kill();
    try {
      if (!over.aborted) await start();
      return true;
    } catch (error) {
      if (!over.aborted) say(`${tier.name} could not be started: ${error instanceof Error ? error.message : error}`);
      return false;
    }
  };

  const watch = async (tier: Tier): Promise<void> => {
    let [answeredAt, failures] = [Date.now(), 0];
    while (!over.aborted) {
      // What kept it from starting, a full disk for one, may pass.
      await sleep(Math.min(CHECK_MS_MAX, CHECK_MS * 2 ** failures), undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return;
      const child = tier.child();
      const isRunning = child.isRunning();
      if (isRunning && (await answers(tier.url))) answeredAt = Date.now();
      if (over.aborted || (isRunning && Date.now() - answeredAt < SILENT_MS_MAX)) continue;
      const how = isRunning ? `has not answered for ${SILENT_MS_MAX / 1_000} s` : `ended (${await child.exited})`;
      failures = (await restart(tier, how)) ? 0 : failures + 1;
      answeredAt = Date.now();
    }
  };

  const { origin, edge, restartOrigin, restartEdge } = system;
  const tiers = [
    { child: origin, url: `${system.managementUrl}/healthz`, start: restartOrigin },
    { child: edge, url: `${system.baseUrl}${paths.openapi}`, start: restartEdge },
  ];
  try {
    await Promise.all(tiers.map(watch));
  } finally {
    gaveUp.abort();
  }
};

/** True for any answer at all: a tier that says it is busy is alive. */
const answers = async (url: string): Promise<boolean> => {
  try {
    const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    await answer.body?.cancel();
    return true;
  } catch {
    return false;
  }
};
