/**
 * A durable object's alarm: one time, saved with the rows. It fires at least once: late, twice, and again where the
 * object crashed in it.
 */
import type { Node, World } from './world.ts';
import { Unreachable } from './world.ts';

/** Alarms that were lost come with the next sign of life of the platform, hours later at worst. */
const LATE_MS_MAX = 2 * 3_600_000;
const RETRY_MS = 2_000;

export const durableAlarm = (world: World, node: Node, run: () => Promise<void>) => {
  let setMs: number | null = null;

  const arm = (atMs: number): void => {
    const lateMs = world.random.chance(world.faults.alarmLate)
      ? world.random.between(1_000, LATE_MS_MAX)
      : world.random.between(0, 50);
    world.at(atMs + lateMs, () => fire(atMs));
    if (world.random.chance(world.faults.alarmTwice)) world.at(atMs + lateMs + world.random.between(0, 5_000), start);
  };
  const fire = (atMs: number): void => {
    if (setMs !== atMs) return;
    if (world.random.chance(world.faults.crashBefore)) {
      node.crash();
      return void world.after(RETRY_MS, () => fire(atMs));
    }
    // The platform takes the alarm away before the handler runs, and brings it back if the object dies in it.
    setMs = null;
    node.onCrash(() => setMs === null && pending === atMs && set(world.now() + RETRY_MS));
    pending = atMs;
    start();
  };
  let pending: number | null = null;
  const start = (): void =>
    world.spawn(node, async () => {
      try {
        await run();
        pending = null;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        pending = null;
        if (setMs === null) set(world.now() + RETRY_MS);
      }
    });

  const set = (atMs: number | null): void => {
    if (atMs === setMs) return;
    setMs = atMs;
    if (atMs !== null) arm(atMs);
  };
  return { set };
};
