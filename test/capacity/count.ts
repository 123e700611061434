/**
 * Counts what an image costs on Cloudflare, by running the edge's own code in a calm simulated world: calls and alarms of
 * each class of object, rows they write, operations of the queue and of R2, and how much an object's database grows.
 */
import { type Book, createBook, type Wish } from '../simulation/auditor/book.ts';
import { scheduleChecks } from '../simulation/checks.ts';
import { startClient } from '../simulation/client.ts';
import { openAccounts } from '../simulation/owner.ts';
import { drawPlan } from '../simulation/plan.ts';
import { noFaults } from '../simulation/platform/faults.ts';
import { meter } from '../simulation/platform/meter.ts';
import { bindings, type ObjectBinding } from '../simulation/production.ts';
import { seededRandom } from '../simulation/random.ts';
import { createWorld } from '../simulation/world.ts';

/** Per image of one request style, shares of what belongs to the whole request in it; or per photo that is checked. */
export type PerImage = {
  readonly style: 'upload' | 'batch' | 'check';
  readonly imagesPerRequest: number;
  /** Of the Worker: requests of clients, and of consumers of the queue. */
  readonly requests: number;
  readonly consumers: number;
  /** Calls, alarms included. */
  readonly calls: Readonly<Record<ObjectBinding, number>>;
  readonly rowsWritten: Readonly<Record<ObjectBinding, number>>;
  readonly queueOperations: number;
  readonly queueMessages: number;
  readonly r2ClassA: number;
  readonly r2ClassB: number;
  /** By which the databases of its objects have grown a day later, bytes, without lines of the ledger. */
  readonly bytes: Readonly<Record<ObjectBinding, number>>;
  readonly objects: number;
  /** Rows of the ledger's export that all images brought to origin. */
  readonly exported: readonly object[];
  readonly images: number;
};

const IMAGES_TOTAL = 1_000;
const CHECKS_TOTAL = 400;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2030, 0, 1, 6);

/** A thousand images, one request after the other, and the day that follows; every image comes out well. */
export const countPerImage = (style: 'upload' | 'batch', imagesPerRequest: number): Promise<PerImage> => {
  const requests = Math.ceil(IMAGES_TOTAL / imagesPerRequest);
  return count(style, imagesPerRequest, requests * imagesPerRequest, async (world, book, images) => {
    for (let i = 0; i < requests; i++) {
      const [account] = book.accounts;
      if (!account) throw new Error('no account');
      startClient(world, book, { ...plain, id: `w${i}`, account, style, images: imagesPerRequest });
      await world.run(world.now() + SPACING_MS);
    }
    await world.run(world.now() + DAY_MS);
    const posted = world.tallies.get('settle posted');
    if (posted !== images) throw new Error(`${posted} of ${images} images were charged`);
  });
};

/** Free checks over a day, half of them by URL; no photo is refused. */
export const countPerCheck = (): Promise<PerImage> =>
  count('check', 1, CHECKS_TOTAL, async (world, book, photos) => {
    scheduleChecks(world, book, photos, DAY_MS);
    await world.run(world.now() + 2 * DAY_MS);
    const checked = world.tallies.get('check 200');
    if (checked !== photos) throw new Error(`${checked} of ${photos} photos were checked`);
  });

type World = ReturnType<typeof createWorld>;

const count = async (
  style: PerImage['style'],
  imagesPerRequest: number,
  images: number,
  ask: (world: World, book: Book, images: number) => Promise<void>,
): Promise<PerImage> => {
  const random = seededRandom(1);
  const world = createWorld(random, noFaults(), START_MS, false, false, false);
  const book = createBook();
  const wishes = [() => ({ images }) as Wish];
  await openAccounts(world, book, { ...drawPlan(random), accounts: 1, oldRelease: false, caps: false, wishes });
  meter.rows.clear();
  meter.isOn = true;
  const before = new Map(world.tallies);
  const bytesBefore = bytesOf(world);
  const known = new Set(world.origin.exported.keys());
  await ask(world, book, images);
  meter.isOn = false;
  const per = (what: string): number => ((world.tallies.get(what) ?? 0) - (before.get(what) ?? 0)) / images;
  const byClass = (of: (name: ObjectBinding) => number) =>
    Object.fromEntries(bindings.objects.map((name) => [name, of(name)])) as Record<ObjectBinding, number>;
  const bytesAfter = bytesOf(world);
  const result: PerImage = {
    style,
    imagesPerRequest,
    requests: per('requests'),
    consumers: per('queue consumers'),
    calls: byClass((name) => per(`calls of ${name}`) + per(`alarms of ${name}`)),
    rowsWritten: byClass((name) => (meter.rows.get(name) ?? 0) / images),
    queueOperations: per('queue messages written') + per('queue messages read') + per('queue messages deleted'),
    queueMessages: per('queue messages written'),
    r2ClassA: per('r2 class A'),
    r2ClassB: per('r2 class B'),
    bytes: byClass((name) => (bytesAfter[name] - bytesBefore[name]) / images),
    objects: style === 'check' ? 0 : 1 / imagesPerRequest,
    exported: [...world.origin.exported].filter(([id]) => !known.has(id)).map(([, row]) => JSON.parse(row) as object),
    images,
  };
  world.close();
  return result;
};

const plain = {
  idempotencyKey: undefined,
  mode: 'live',
  webhookUrl: undefined,
  marketplaces: [],
  respondAsync: false,
  changes: false,
  contested: false,
} as const;
/** Long enough for one request of many images to be over, so that nobody waits for another. */
const SPACING_MS = 10 * 60_000;

/** Lines of the ledger leave an account beyond 10,000, so they are no growth. */
const PAGES =
  "select coalesce(sum(pgsize), 0) as bytes from dbstat where name not in ('entry', 'sqlite_autoindex_entry_1')";

const bytesOf = (world: World): Record<ObjectBinding, number> =>
  Object.fromEntries(
    bindings.objects.map((name) => [
      name,
      [...world.namespaces[name].hosts.values()].reduce(
        (sum, { store }) => sum + store.read<{ bytes: number }>(PAGES)[0]!.bytes,
        0,
      ),
    ]),
  ) as Record<ObjectBinding, number>;
