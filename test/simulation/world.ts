/** A whole service in one process: platform stand-ins below, the edge's own code in the middle, strangers around it. */
import { createOrigin } from './outside/origin.ts';
import { createStrangers } from './outside/strangers.ts';
import { createShelf, type Shelf } from './platform/database.ts';
import type { Faults } from './platform/faults.ts';
import { setOutbound } from './platform/globals.ts';
import { createNamespace } from './platform/namespace.ts';
import { createNetwork } from './platform/network.ts';
import { createQueues } from './platform/queue.ts';
import { createBucket } from './platform/r2.ts';
import { createScheduler, newActor, runAs } from './platform/scheduler.ts';
import { createIsolates } from './platform/worker.ts';
import {
  applySchema,
  bindings,
  evaluate,
  type Handlers,
  jobsQueue,
  type ObjectBinding,
  origins,
  queueSettings,
  schemas,
  variables,
} from './production.ts';
import type { Random } from './random.ts';
import { createDoor } from './wire.ts';

const ISOLATES = 2;
/** Clocks of machines differ by up to 10 s. */
const SKEW_MS_MAX = 5_000;
const settings = queueSettings();
/** Outlive a world: what they save is the making of tables. */
const shelves = Object.fromEntries(
  bindings.objects.map((name) => [name, createShelf((storage) => applySchema(storage, schemas[name]))]),
) as Record<ObjectBinding, Shelf>;

export type World = ReturnType<typeof createWorld>;

export const createWorld = (
  random: Random,
  faults: Faults,
  startMs: number,
  skewed: boolean,
  tracing = false,
  strange = true,
) => {
  const scheduler = createScheduler(random, faults, startMs, tracing);
  const skewMs = (): number => (skewed ? random.between(-SKEW_MS_MAX, SKEW_MS_MAX) : 0);
  const bucket = createBucket(scheduler);
  const origin = createOrigin(scheduler, bucket, origins, strange);
  const strangers = createStrangers(scheduler, strange);
  setOutbound(createNetwork(scheduler, (url) => origin.route(url) ?? strangers.route(url)));

  const env: Record<string, unknown> = { ...variables, [bindings.bucket]: bucket.binding };
  let ofObjects: Handlers | undefined;
  const objectModule = (): Handlers => (ofObjects ??= runAs(scheduler, newActor('objects'), () => evaluate(env)));
  const namespace = (binding: ObjectBinding) =>
    createNamespace(scheduler, binding, skewMs, shelves[binding], (ctx) => objectModule().make[binding](ctx));
  const namespaces = Object.fromEntries(bindings.objects.map((name) => [name, namespace(name)])) as Record<
    ObjectBinding,
    ReturnType<typeof namespace>
  >;
  for (const name of bindings.objects) env[name] = namespaces[name].binding;
  const queues = createQueues(scheduler, settings, (batch, ended, msMax) =>
    isolates.invoke(`consumer of ${batch.queue}`, (handlers) => handlers.queue(batch), ended, msMax),
  );
  env[bindings.queue] = queues.producer(jobsQueue);
  const isolates = createIsolates(scheduler, ISOLATES, skewMs, () => evaluate(env));

  const hosts = () => bindings.objects.flatMap((name) => [...namespaces[name].hosts.values()]);
  return {
    ...scheduler,
    scheduler,
    bucket,
    origin,
    strangers,
    namespaces,
    isolates,
    door: createDoor(scheduler, isolates),
    hosts,
    /** Every object is reset and every isolate replaced, with all they were doing. */
    deploy: (): void => {
      scheduler.trace(() => 'a deployment');
      scheduler.tally('deployment');
      ofObjects = undefined;
      isolates.restart();
      for (const host of hosts()) if (host.inMemory()) host.reset();
    },
    close: (): void => {
      for (const host of hosts()) host.store.close();
    },
  };
};
