/**
 * One run of the whole service under one seed: some minutes of trouble, then two days of peace, then the last look at
 * the books.
 */
import { newId } from '../../../shared/ids.ts';
import { type Random, seededRandom } from '../random.ts';
import { createAuditor } from './auditor/auditor.ts';
import { runClient } from './client.ts';
import { createEdge, type Submission } from './edge.ts';
import { createLedgerNode, type LedgerNode } from './ledger-node.ts';
import { type Machines, realMachines } from './machines.ts';
import { createBucket, createOrigin } from './origin.ts';
import { createQueue } from './queue.ts';
import { createSagaNode, type SagaNode } from './saga-node.ts';
import { createWorld, type Faults, type World } from './world.ts';

export type Report = {
  readonly seed: number;
  readonly failure: string | null;
  readonly trace: readonly string[];
  readonly events: number;
  readonly checks: number;
  readonly digest: string;
  readonly tallies: ReadonlyMap<string, number>;
};

const START_MS = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export const runSeed = async (seed: number, machines: Machines = realMachines): Promise<Report> => {
  const random = seededRandom(seed);
  const faults = drawFaults(random);
  const world = createWorld(random, faults, START_MS);
  const auditor = createAuditor();
  let failure: string | null = null;
  try {
    const troubleEndsMs = START_MS + random.between(2, 40) * MINUTE;
    populate(world, machines, auditor, troubleEndsMs);
    await world.run(troubleEndsMs);
    for (const name of Object.keys(faults) as (keyof Faults)[]) faults[name] = 0;
    world.trace('the world calms down');
    await world.run(START_MS + 2 * DAY);
    auditor.quiet(troubleEndsMs);
  } catch (error) {
    failure = error instanceof Error ? `${error.constructor.name}: ${error.message}` : String(error);
  }
  return {
    seed,
    failure,
    trace: world.lines(),
    events: world.events(),
    checks: auditor.checks(),
    digest: digestOf(world.lines()),
    tallies: world.tallies,
  };
};

/** Every kind of trouble alone, all at once, or none at all: a quiet world must work too. */
const drawFaults = (random: Random): Faults => {
  const level = random.pick([0, 0.02, 0.08, 0.2]);
  const draw = (share: number): number => (random.chance(0.6) ? level * share : 0);
  return {
    requestLost: draw(1),
    replyLost: draw(1),
    doubled: draw(1),
    crashBefore: draw(0.5),
    crashAfter: draw(0.7),
    alarmLate: draw(2),
    alarmTwice: draw(1.5),
    messageLost: draw(1.5),
    messageDoubled: draw(2),
    storeFails: draw(1),
    originBusy: draw(2),
    slow: draw(1),
  };
};

const populate = (
  world: World,
  machines: Machines,
  auditor: ReturnType<typeof createAuditor>,
  untilMs: number,
): void => {
  const { random } = world;
  const sagas = new Map<string, SagaNode>();
  const sagaOf = (batchId: string): SagaNode => sagas.get(batchId)!;
  const bucket = createBucket(world, auditor);
  const origin = createOrigin(world, machines, bucket);
  const receiver = createReceiver(world, auditor);
  const queue = createQueue(
    world,
    (message, worker) => edge.consume(message, worker),
    (message, worker) => edge.deadLetter(message, worker),
  );
  const saga = (batchId: string, ledger: LedgerNode): SagaNode => {
    const known =
      sagas.get(batchId) ??
      createSagaNode(world, batchId, { machines, auditor, ledger, send: queue.send, ...receiver });
    sagas.set(batchId, known);
    return known;
  };
  const ledgers = Array.from({ length: random.between(1, 2) }, () =>
    createLedgerNode(world, newId('account', world.now(), random.bytes), machines, auditor, (from, batchId) => {
      const known = sagas.get(batchId);
      return known ? world.call(from, known.node, () => known.settleNow()) : Promise.resolve('unknown');
    }),
  );
  const flaws = new Map<string, 'none' | 'no_product' | 'bad_url'>();
  const flaw = (batchId: string, index: number): 'none' | 'no_product' | 'bad_url' => {
    const key = `${batchId}:${index}`;
    const drawn =
      flaws.get(key) ?? random.pick(['none', 'none', 'none', 'none', 'none', 'none', 'no_product', 'bad_url'] as const);
    flaws.set(key, drawn);
    return drawn;
  };
  const edge = createEdge(world, {
    machines,
    auditor,
    origin,
    newBatchId: () => newId('batch', world.now(), random.bytes),
    saga,
    sagaOf,
    hasFile: bucket.has,
    flaw,
  });

  for (const ledger of ledgers) fund(world, auditor, ledger, untilMs);
  const wishes = random.between(1, 5);
  for (let i = 0; i < wishes; i++) {
    const wish = drawWish(random, random.pick(ledgers), i);
    world.at(world.now() + random.between(100, (untilMs - world.now()) / 2), () =>
      runClient(world, wish, { auditor, bucket, submit: edge.submit, sagaOf }),
    );
  }
  scheduleDisasters(
    world,
    untilMs,
    () => [...ledgers, ...sagas.values()].forEach(({ node }) => node.crash()),
    queue.restart,
    origin.crash,
  );
};

/** Credits arrive now and later; every order is given until it is confirmed. */
const fund = (world: World, auditor: ReturnType<typeof createAuditor>, ledger: LedgerNode, untilMs: number): void => {
  const bank = world.node('bank');
  for (let i = 0; i < world.random.between(1, 3); i++) {
    const id = `${ledger.accountId}-${i}`;
    const credits = world.random.between(1, 12);
    auditor.creditsOrdered(ledger.accountId, id, credits);
    const order = async (): Promise<void> => {
      const done = await world
        .call(bank, ledger.node, () => ledger.handle({ type: 'grant', id, credits, reason: 'local' }))
        .catch(() => undefined);
      if (done) return;
      await world.sleep(bank, 3_000);
      return order();
    };
    world.at(i === 0 ? world.now() : world.now() + world.random.between(0, untilMs - world.now()), () =>
      world.spawn(bank, order),
    );
  }
};

const drawWish = (random: Random, ledger: LedgerNode, i: number): Submission => ({
  request: `wish ${i}`,
  ledger,
  style: random.pick(['upload', 'batch', 'batch']),
  images: random.chance(0.05) ? random.between(33, 40) : random.between(1, 6),
  live: random.chance(0.85),
  idempotencyKey: random.chance(0.6) ? `key ${i}` : undefined,
  webhook: random.chance(0.5),
});

const createReceiver = (world: World, auditor: ReturnType<typeof createAuditor>) => {
  const mood = world.random.pick(['fine', 'fine', 'flaky', 'gone'] as const);
  const receive = (batchId: string): 'delivered' | 'gone' | 'failed' => {
    const answer = mood === 'gone' ? 'gone' : mood === 'flaky' && world.random.chance(0.6) ? 'failed' : 'delivered';
    auditor.webhookReceived(batchId);
    return answer;
  };
  return { receive, receiver: world.node('webhook receiver') };
};

/** `kill -9` of the whole edge, of origin, or of both. */
const scheduleDisasters = (
  world: World,
  untilMs: number,
  crashObjects: () => void,
  restartQueue: () => void,
  crashOrigin: (downMs: number) => void,
): void => {
  if (world.faults.crashAfter === 0 && world.faults.crashBefore === 0) return;
  for (let i = 0; i < world.random.between(0, 3); i++) {
    const what = world.random.pick(['edge', 'origin', 'both'] as const);
    world.at(world.random.between(world.now(), untilMs), () => {
      world.trace(`disaster: ${what}`);
      if (what !== 'origin') {
        crashObjects();
        restartQueue();
      }
      if (what !== 'edge') crashOrigin(world.random.between(100, 4 * MINUTE));
    });
  }
};

/** FNV-1a over the trace: two runs are the same run exactly when these agree. */
const digestOf = (lines: readonly string[]): string => {
  let hash = 0x811c9dc5;
  for (const line of lines)
    for (let i = 0; i < line.length; i++) hash = Math.imul(hash ^ line.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
};
