/**
 * `npm run chaos [-- --minutes 20] [--seed 1]`: the whole system, with the real model, under load of every kind while its
 * processes are killed and stopped, its disk is filled and the connections between its tiers are cut, slowed and silenced,
 * several at a time. Then that ends, and within REST_MS_MAX every image must be decided, every charge have its file, and
 * nothing be left over: no held credit, no process, no temporary file, no memory.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPhotoServer } from '../support/photo-server.ts';
import { seeded } from '../support/random.ts';
import { createClient, newTraffic } from './client.ts';
import { newCustomer } from './customer.ts';
import { deckOf, leftOut } from './faults.ts';
import { readBooks, untilAtRest } from './ledger.ts';
import { footprintOf, leftBehind, MEMORY_FACTOR_MAX, untilAsBefore, wranglerBuilds } from './leftovers.ts';
import { type Load, runLoad } from './load.ts';
import { type ChaosSystem, startChaosSystem } from './system.ts';
import { add, newTold } from './told.ts';
import { judge } from './verdict.ts';

/** From one fault to the next; the one before need not be over. */
const FAULT_EVERY_MS = [5_000, 13_000] as const;
/** The local queue is lost with its workerd, and its images are handed over again after two to five minutes. */
const REST_MS_MAX = 10 * 60_000;
const REPORT_EVERY_MS = 15_000;
const WARM_MS = 5_000;
/** Of seeds, so that the load before the faults is another one. */
const WARM_SEED = 1_000_000;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const begunMs = Date.now();
const say = (text: string): void =>
  void process.stdout.write(`${String(Math.round((Date.now() - begunMs) / 1_000)).padStart(5)} s  ${text}\n`);
const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([what, times]) => `${what} ${times}`)
    .join(', ') || 'none';

/** Until `over`; resolves when all that was done is undone. Gives how often each was done. */
const inflict = async (chaos: ChaosSystem, over: AbortSignal): Promise<Map<string, number>> => {
  const [random, done, running] = [seeded(seed), new Map<string, number>(), [] as Promise<void>[]];
  for (const fault of deckOf(chaos, random)) {
    await sleep(random.integer(...FAULT_EVERY_MS), undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) break;
    say(fault.name);
    add(done, fault.name);
    running.push(fault.inflict(chaos, seeded(random.integer(0, 2 ** 31))));
  }
  await Promise.all(running);
  return done;
};

const run = async (chaos: ChaosSystem, shop: Awaited<ReturnType<typeof startPhotoServer>>): Promise<string[]> => {
  const { system } = chaos;
  const [traffic, told] = [newTraffic(), newTold()];
  let giveUpAt = Infinity;
  const customer = await newCustomer(system.baseUrl, traffic, () => giveUpAt);
  const send = createClient(system.baseUrl, customer.apiKey, traffic, () => giveUpAt);
  const load: Load = { customer, send, shop, seed, told };

  const note = (open: readonly string[]): void =>
    say(`  not at rest: ${open[0]}${open.length > 1 ? ` and ${open.length - 1} more` : ''}`);
  const reporting = setInterval(
    () =>
      say(
        `  ${traffic.requests} requests, sent again ${traffic.sentAgain} times, waiting: ${[...traffic.waiting.values()].join(', ') || 'none'}`,
      ),
    REPORT_EVERY_MS,
  ).unref();
  await runLoad({ ...load, seed: seed + WARM_SEED }, AbortSignal.timeout(WARM_MS));
  await untilAtRest(system, customer.accountId, told, shop, Date.now() + REST_MS_MAX, note);
  const before = footprintOf(chaos.processes());
  say(`in calm: origin and its children ${before.origin} MiB, workerd ${before.workerd} MiB`);

  const over = AbortSignal.timeout(minutes * 60_000);
  const loading = runLoad(load, over);
  const faults = await inflict(chaos, over);
  const restFromMs = Date.now();
  giveUpAt = restFromMs + REST_MS_MAX;
  say('faults are over');
  await loading;
  say(`every client has its last answer`);
  const open = await untilAtRest(system, customer.accountId, told, shop, giveUpAt, note);
  clearInterval(reporting);
  const restSeconds = Math.round((Date.now() - restFromMs) / 1_000);
  say(`at rest after ${restSeconds} s`);

  const ledger = await readBooks(system, customer.accountId);
  const judged = await judge(chaos, ledger, { told, customer, send, shop });
  const after = await untilAsBefore(chaos, before);
  const kinds = [...faults.values()].reduce((sum, times) => sum + times, 0);
  const lost = open.length + judged.faults.length;
  say(`seed ${seed}, ${minutes} minutes, ${kinds} faults: ${listed(faults)}`);
  say(`started again by the launcher: ${chaos.said.filter((text) => text.endsWith('again …')).length} times`);
  say(
    `${traffic.requests} requests (${listed(told.calls)}), sent again ${traffic.sentAgain} times; slowest answer ${Math.round(traffic.slowestMs)} ms`,
  );
  say(`answers: ${listed(traffic.answers)}`);
  say(
    `${told.asked} images asked for; ${judged.completed} completed, charged and downloaded; refused with their request: ${listed(told.refused)}; failed in theirs: ${listed(judged.failed)}`,
  );
  say(`${ledger.totals.spent} credits spent of ${ledger.totals.granted}, held ${ledger.totals.held}`);
  say(`${told.batches.size} batches, ${told.hooked.size} with a webhook, ${shop.hooks.length} deliveries`);
  say(`reconcile: ${judged.reconciled}`);
  say(
    `at rest ${restSeconds} s after the last fault; origin ${after.now.origin} MiB (${before.origin} in calm), workerd ${after.now.workerd} MiB (${before.workerd}), at most ${MEMORY_FACTOR_MAX} times; lost: ${lost}`,
  );
  const gaveUp = chaos.gaveUp();
  return [
    ...told.faults,
    ...open,
    ...judged.faults,
    ...after.faults,
    ...(gaveUp ? [`launcher: ${gaveUp.message}`] : []),
  ];
};

const faults: string[] = [];
const builds = new Set(wranglerBuilds());
const shop = await startPhotoServer();
const chaos = await startChaosSystem(shop.hostPort, say);
const interrupted = new Promise<never>((_, reject) => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => reject(new Error(`ended by ${name}`)));
});
try {
  for (const reason of leftOut(chaos)) say(`left out: ${reason}`);
  faults.push(...(await Promise.race([run(chaos, shop), interrupted])));
} catch (error) {
  faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
} finally {
  await chaos.stop();
  await shop.close();
}
faults.push(...leftBehind(chaos));
const unbuilt = wranglerBuilds().filter((build) => !builds.has(build));
if (unbuilt.length > 0) say(`wrangler, when it was killed, left ${unbuilt.length} builds of its own in .wrangler/tmp`);
if (faults.length > 0) {
  const logs = `${chaos.disk.folder}-logs`;
  cpSync(join(chaos.system.settings.dataDir, 'logs'), logs, { recursive: true });
  say(`logs of both tiers are kept in ${logs}`);
}
await chaos.disk.remove();
for (const fault of faults) say(`FAULT ${fault}`);
say(faults.length === 0 ? 'Nothing was lost, nothing charged twice, nothing left behind.' : `${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);
