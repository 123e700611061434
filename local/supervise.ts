/**
 * Keeps a running system up: a tier whose process ended, or that stopped answering, is started again. wrangler outlives
 * the death of its workerd and may then hold the port without ever answering, so its process alone says too little.
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
const ANSWER_MS_MAX = 5_000;
/** Longer than the slowest answer seen on two busy cores, and than wrangler takes to start its workerd again. */
const SILENT_MS_MAX = 15_000;

/** Until `signal` is aborted. Throws where a tier keeps ending. */
export const supervise = async (
  system: System,
  signal: AbortSignal,
  say: (text: string) => void = console.error,
): Promise<void> => {
  const restartedAt: number[] = [];
  let answeredAt = Date.now();

  const restart = async (tier: Child, how: string, start: () => Promise<void>): Promise<void> => {
    while (restartedAt.length > 0 && (restartedAt[0] ?? 0) < Date.now() - RESTART_WINDOW_MS) restartedAt.shift();
    if (restartedAt.push(Date.now()) > RESTARTS_MAX)
      throw new Error(`${tier.name} keeps ending (${how}); see its log in ${join(system.settings.dataDir, 'logs')}`);
    say(`${tier.name} ${how}; starting it again …`);
    // What is left of its group, a workerd for one, would hold the port.
    await tier.kill();
    if (!signal.aborted) await start();
    answeredAt = Date.now();
  };

  while (!signal.aborted) {
    await sleep(CHECK_MS);
    if (signal.aborted) return;
    const [origin, edge] = [system.origin(), system.edge()];
    if (!origin.isRunning()) await restart(origin, `ended (${await origin.exited})`, system.restartOrigin);
    if (!edge.isRunning()) await restart(edge, `ended (${await edge.exited})`, system.restartEdge);
    else if (await answers(`${system.baseUrl}${paths.openapi}`)) answeredAt = Date.now();
    else if (Date.now() - answeredAt > SILENT_MS_MAX)
      await restart(edge, `has not answered for ${SILENT_MS_MAX / 1_000} s`, system.restartEdge);
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
