/** One run under one seed: accounts are opened, some minutes of trouble, peace, the last answers, the auditor. */
import { type Book, createBook } from './auditor/book.ts';
import { audit, type Finding } from './auditor/laws.ts';
import { isQuiet, readRows } from './auditor/rows.ts';
import { checksOf, scheduleChecks, sweepLater } from './checks.ts';
import { askAtLast, askBalance, type Client, download, poll, startClient } from './client.ts';
import { deleteAndLook, hasDeletions } from './deletions.ts';
import { addEndpoint, hasEndpoint } from './endpoints.ts';
import { hasKeys, useKeys } from './keys.ts';
import { hasListener, listenAtLast, startListener } from './listening.ts';
import { makeMistake } from './mistakes.ts';
import { hasMonth, passMonth } from './month.ts';
import { openAccounts, scheduleMoney } from './owner.ts';
import { drawPlan, type Plan } from './plan.ts';
import { type Faults, noFaults } from './platform/faults.ts';
import { newActor, runAs } from './platform/scheduler.ts';
import { seededRandom } from './random.ts';
import { createWorld, type World } from './world.ts';

export type Result = {
  readonly seed: number;
  readonly findings: readonly Finding[];
  /** A mistake in the simulation, or a run that did not come to rest. */
  readonly broken: string | null;
  readonly events: number;
  readonly checks: number;
  readonly digest: string;
  readonly tallies: ReadonlyMap<string, number>;
  readonly trace: readonly string[];
};

const START_MS = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PEACE_MS_MAX = 30 * HOUR;

/** `certain` are faults that this run has whatever the seed draws. */
export const runSeed = async (seed: number, tracing = false, certain: Partial<Faults> = {}): Promise<Result> => {
  const random = seededRandom(seed);
  const plan = drawPlan(random);
  const faults = noFaults();
  const world = createWorld(random, faults, START_MS, plan.skewed, tracing);
  const book = createBook();
  let [findings, demands, broken]: [Finding[], number, string | null] = [[], 0, null];
  try {
    await openAccounts(world, book, plan);
    if (hasEndpoint(seed)) await addEndpoint(world, book);
    Object.assign(faults, plan.faults, certain);
    const clients = schedule(world, book, plan);
    const checks = checksOf(seed);
    scheduleChecks(world, book, checks, plan.troubleMs);
    if (hasListener(seed)) startListener(world, book, world.now() + plan.troubleMs);
    await world.run(world.now() + plan.troubleMs);
    Object.assign(faults, noFaults());
    for (const host of world.hosts()) host.isFull.value = false;
    world.trace(() => 'the world calms down');
    await rest(world, book, clients);
    if (checks > 0) await sweepFiles(world);
    const rows = readRows(world);
    ({ findings, checks: demands } = audit(world, book, rows));
    const trouble = { ...plan.faults, ...certain, diskFull: 0, originClaims: 0 };
    if (hasDeletions(seed)) findings.push(...(await deleteAndLook(world, book, rows, faults, trouble)));
    else if (hasMonth(seed)) findings.push(...(await passMonth(world, book, faults, trouble)));
    else if (hasKeys(seed)) findings.push(...(await useKeys(world, book, faults, trouble)));
  } catch (error) {
    broken = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const { digest } = world;
  world.close();
  return {
    seed,
    findings,
    broken,
    events: world.events(),
    checks: demands,
    digest: digest(),
    tallies: world.tallies,
    trace: world.lines(),
  };
};

const sweepFiles = async (world: World): Promise<void> => {
  sweepLater(world);
  await world.run(world.now() + HOUR);
};

const schedule = (world: World, book: Book, plan: Plan): Client[] => {
  const clients: Client[] = [...book.old];
  const { random } = world;
  for (const draw of plan.wishes) {
    const wish = draw(book.accounts);
    book.wishes.push(wish);
    world.after(random.between(0, plan.troubleMs / 2), () => clients.push(startClient(world, book, wish)));
  }
  for (const name of plan.mistakes)
    world.after(random.between(0, plan.troubleMs), () => makeMistake(world, book, random.pick(book.accounts), name));
  scheduleMoney(world, book, plan);
  for (let i = 0; i < plan.deployments; i++) world.after(random.between(0, plan.troubleMs), world.deploy);
  for (let i = 0; i < plan.originOutages; i++)
    world.after(random.between(0, plan.troubleMs / 2), () => world.origin.die(random.between(1_000, longest(random))));
  if (plan.faults.diskFull > 0) world.after(random.between(0, plan.troubleMs), () => fillDisks(world, plan));
  return clients;
};

/** Of an outage of the whole origin. Most are short: a long one is many calls that all go the same way. */
const longest = (random: World['random']): number => random.pick([MINUTE / 2, 5 * MINUTE, 30 * MINUTE]);

const fillDisks = (world: World, plan: Plan): void => {
  for (const host of world.hosts()) if (world.random.chance(plan.faults.diskFull)) host.isFull.value = true;
};

/** Peace: callers ask what became of theirs, time passes until nothing is on its way, then they look once more. */
const rest = async (world: World, book: Book, clients: readonly Client[]): Promise<void> => {
  const look = (work: (client: Client) => Promise<void>): void => {
    for (const client of clients)
      runAs(world.scheduler, newActor(client.actor.name), () => void work(client).catch(world.broken));
  };
  const askAfterAll = async (client: Client, follows: boolean): Promise<void> => {
    const named = book.tries.filter(({ wish }) => wish === client.wish).map(({ heard }) => heard?.body['batch_id']);
    for (const batchId of new Set(named)) {
      if (typeof batchId !== 'string') continue;
      const heard = await poll(world, book, client, batchId);
      if (follows) await download(world, book, client, heard);
    }
  };
  look((client) => askAtLast(world, book, client));
  await world.run(world.now() + 15 * MINUTE);
  look((client) => askAfterAll(client, false));
  await world.run(world.now() + 15 * MINUTE);
  const endsMs = world.now() + PEACE_MS_MAX;
  while (world.now() < endsMs && !isQuiet(readRows(world))) await world.run(world.now() + HOUR / 2);
  look((client) => askAfterAll(client, true));
  for (const account of book.accounts) askBalance(world, book, account);
  listenAtLast(world, book);
  await world.run(world.now() + 5 * MINUTE);
};
