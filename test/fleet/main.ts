/**
 * `node test/fleet/main.ts [--seed 7] [--jobs 100]`: three nodes share a job store on a real PostgreSQL under load, while
 * one of them is killed with -9 every few seconds and the server crashes once. Every job must end in exactly one
 * outcome, none may be run by two live nodes at once, nothing may be lost. The seed decides which node is asked for
 * what, and which node dies when. PACKSHOT_POSTGRES_BIN is the folder with initdb and postgres.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { originClient } from '../../edge/origin/client.ts';
import { openDatabase } from '../../origin/db/database.ts';
import type { Disagreement } from '../../origin/db/reconcile/kinds.ts';
import { reconcile } from '../../origin/db/reconcile/reconcile.ts';
import { systemClock } from '../../shared/clock.ts';
import type { Outcome } from '../../shared/job.ts';
import { newJob } from '../origin/support/caller.ts';
import { drawProduct } from '../origin/support/photo.ts';
import { type Storage, startStorage } from '../origin/support/storage.ts';
import { type Random, seeded } from '../support/random.ts';
import { signingKey } from '../support/service-keys.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { type Postgres, postgresBin, startPostgres } from './postgres.ts';
import { judge } from './verdict.ts';

const NODES = 3;
const IN_FLIGHT = 9;
const LEASE_MS = 6_000;
/**
 * Longer than a job and its lease take on a busy machine: an image on which five nodes die in a row is rightly given
 * up.
 */
const KILL_EVERY_MS = [8_000, 13_000] as const;
/** Share of jobs that are asked for twice at once, of different nodes. */
const TWICE = 0.3;
const JOB_MS_MAX = 10 * 60_000;

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '7' }, jobs: { type: 'string', default: '100' } },
});
const seed = Number(values.seed);
const jobsTotal = Number(values.jobs);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const trace = { requestId: 'req_fleet', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

/** As the edge does it, by its own client, until there is an outcome that is final. */
const ask = async (fleet: Fleet, storage: Storage, jobId: string, input: string, random: Random): Promise<Outcome> => {
  const giveUpAt = Date.now() + JOB_MS_MAX;
  while (Date.now() < giveUpAt) {
    const origin = originClient(
      { urls: fleet.urls(), signingKey },
      { fetch, clock: systemClock, random: () => random.next(), log: () => undefined },
    );
    const job = newJob(storage, jobId, input, {
      account_id: `acc_${jobId.length % 2}`,
      deadline_at: giveUpAt,
      priority: random.next() < 0.5 ? 'interactive' : 'batch',
    });
    const reply = await origin.run(job, trace);
    if (reply.kind === 'failed') throw new Error(`a node failed at ${jobId}`);
    if (reply.kind === 'outcome' && (reply.outcome.status === 'completed' || !reply.outcome.retryable))
      return reply.outcome;
    await sleep(200);
  }
  throw new Error(`${jobId} had no outcome within ${JOB_MS_MAX} ms`);
};

const load = async (fleet: Fleet, storage: Storage): Promise<Map<string, Outcome[]>> => {
  const answers = new Map<string, Outcome[]>();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < jobsTotal) {
      const index = next++;
      // Each job has its own random numbers, so that the order in which jobs finish does not change those of others.
      const random = seeded(seed * 100_003 + index);
      const jobId = `job-${index}`;
      const askers = random.next() < TWICE ? 2 : 1;
      answers.set(
        jobId,
        await Promise.all(
          Array.from({ length: askers }, () => ask(fleet, storage, jobId, `photo-${index % 4}`, random)),
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return answers;
};

/** Kills and restarts until `done` is aborted; gives how often. */
const makeTrouble = async (
  fleet: Fleet,
  postgres: Postgres,
  random: Random,
  done: AbortSignal,
): Promise<{ kills: number; restarts: number }> => {
  const count = { kills: 0, restarts: 0 };
  while (!done.aborted) {
    await sleep(random.integer(...KILL_EVERY_MS), undefined, { signal: done }).catch(() => undefined);
    if (done.aborted) break;
    if (count.kills === 2 && count.restarts === 0) {
      say('PostgreSQL crashes and restarts');
      count.restarts++;
      await postgres.restart();
    }
    const index = random.integer(0, NODES - 1);
    say(`node ${index} is killed`);
    count.kills++;
    await fleet.replace(index);
  }
  return count;
};

const run = async (): Promise<string[]> => {
  const postgres = await startPostgres(postgresBin() ?? '');
  const storage = await startStorage();
  for (let i = 0; i < 4; i++)
    storage.inputs.set(`/in/photo-${i}`, await drawProduct({ width: 800, height: 600, hue: i * 90 }));
  const fleet = await startFleet(NODES, {
    STORAGE_URLS: storage.url,
    DATABASE_URL: postgres.url,
    LEASE_MS: String(LEASE_MS),
    PIPELINES: '1',
    MODEL_THREADS: '1',
  });
  try {
    const startedAt = Date.now();
    const done = new AbortController();
    const [answers, { kills, restarts }] = await Promise.all([
      load(fleet, storage).finally(() => done.abort()),
      makeTrouble(fleet, postgres, seeded(seed), done.signal),
    ]);
    const database = openDatabase({ connectionString: postgres.url }, 1, () => undefined);
    const faults = await judge(database, storage, answers, fleet.intervals());
    const disagreements: Disagreement[] = [];
    await reconcile(database, { graceMs: 0, keys: { publicKeys: [], secrets: [] } }, (disagreement) =>
      disagreements.push(disagreement),
    );
    await database.close();
    if (restarts === 0) faults.push('PostgreSQL was never restarted: more jobs are needed');
    say(
      `seed ${seed}: ${answers.size} jobs in ${Math.round((Date.now() - startedAt) / 1000)} s, ${kills} nodes killed, PostgreSQL restarted ${restarts} times, ${fleet.intervals().length} runs`,
    );
    return [...faults, ...disagreements.map(({ kind, subject }) => `${kind} ${subject}`)];
  } finally {
    await fleet.stop();
    await storage.close();
    await postgres.stop();
  }
};

const faults = await run();
for (const fault of faults) say(`FAULT ${fault}`);
say(
  faults.length === 0
    ? 'every job has exactly one outcome, none was run by two live nodes at once, nothing was lost'
    : `${faults.length} faults`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
