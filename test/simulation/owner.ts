/** The owner of an account: opens it, buys, is refunded, disputes, revokes keys. */
import type { Account, Book } from './auditor/book.ts';
import { sleep } from './client.ts';
import { openOldAccount } from './old-release.ts';
import type { Plan } from './plan.ts';
import { newActor, runAs } from './platform/scheduler.ts';
import { adminToken, type Movement, type Portal } from './production.ts';
import type { Json, WireAnswer } from './wire.ts';
import type { World } from './world.ts';

const SETUP_MS = 2_000;
const MINUTE = 60_000;
/** One account in so many has a key with a cap: by a number that is drawn anyway. */
const CAPPED_OF = 3;
const owner = newActor('owner');

const admin = async (world: World, method: string, path: string, body: Json = {}): Promise<WireAnswer> => {
  for (;;) {
    const heard = await world.door.send(owner, {
      method,
      path: `/api/local/accounts${path}`,
      headers: { authorization: `Bearer ${adminToken}` },
      ...(method === 'POST'
        ? { body: { contentType: 'application/json', bytes: new TextEncoder().encode(JSON.stringify(body)) } }
        : {}),
    });
    if (heard && heard.status < 300) return heard;
    await sleep(2_000);
  }
};

/** Before any trouble. */
export const openAccounts = async (world: World, book: Book, plan: Plan): Promise<void> => {
  const open = async (): Promise<void> => {
    const wanted = Math.max(...plan.wishes.map((draw) => draw([{} as Account]).images));
    const credits = wanted + world.random.between(0, 12);
    const { body } = await admin(world, 'POST', '', { credits, label: 'simulated' });
    const accountId = String(body['account_id']);
    const test = await admin(world, 'POST', `/${accountId}/keys`, { mode: 'test', label: 'test' });
    const cap = plan.caps && credits % CAPPED_OF === 0 ? Math.ceil(credits / 2) : null;
    const live =
      cap === null
        ? body
        : (await admin(world, 'POST', `/${accountId}/keys`, { label: 'capped', daily_credit_cap: cap })).body;
    await inPortal(world, (portal) => portal.setBalanceAlert(accountId, Math.ceil(credits / 2)));
    book.accounts.push({
      accountId,
      keys: {
        live: { id: String(live['key_id']), text: String(live['api_key']) },
        test: { id: String(test.body['key_id']), text: String(test.body['api_key']) },
      },
      granted: credits,
      cap,
      revoked: false,
    });
  };
  const old = plan.oldRelease ? 1 : 0;
  if (old)
    runAs(
      world.scheduler,
      owner,
      () => void openOldAccount(world, book, world.random.between(0, 12)).catch(world.broken),
    );
  for (let i = 0; i < plan.accounts; i++) runAs(world.scheduler, owner, () => void open().catch(world.broken));
  await world.run(world.now() + SETUP_MS);
  if (book.accounts.length !== plan.accounts + old) throw new Error('the accounts were not opened in time');
};

/** The text of another key of the account. */
export const makeKey = async (world: World, { accountId }: Account, scopes: readonly string[]): Promise<string> =>
  String((await admin(world, 'POST', `/${accountId}/keys`, { label: 'another', scopes })).body['api_key']);

/** Money moves at any time; each movement is told until it is taken, sometimes once more. */
export const scheduleMoney = (world: World, book: Book, plan: Plan): void => {
  const { random } = world;
  for (let i = 0; i < plan.movements; i++) {
    const account = random.pick(book.accounts);
    const bought = random.between(1, 10);
    const story: Movement[] = [{ id: `purchase:${i}`, kind: 'purchase', credits: bought, reference: `pay_${i}` }];
    if (random.chance(0.5))
      story.push({ id: `refund:${i}`, kind: 'refund', credits: -random.between(1, bought), reference: `pay_${i}` });
    if (random.chance(0.3))
      story.push({ id: `dispute:${i}`, kind: 'dispute', credits: -bought, reference: `pay_${i}` });
    for (const movement of story) {
      account.granted += movement.credits;
      const repeats = random.chance(0.3) ? 2 : 1;
      for (let said = 0; said < repeats; said++)
        world.after(random.between(0, plan.troubleMs), () => tell(world, account, movement));
    }
  }
  for (let i = 0; i < plan.revocations; i++)
    world.after(random.between(0, plan.troubleMs), () => {
      const account = random.pick(book.accounts);
      account.revoked = true;
      runAs(
        world.scheduler,
        owner,
        () => void admin(world, 'DELETE', `/${account.accountId}/keys/${account.keys.live.id}`).catch(world.broken),
      );
    });
};

/** Stripe delivers an event again until it is answered well. */
const tell = (world: World, account: Account, movement: Movement): void => {
  world.isolates.invoke(
    `payment ${movement.id}`,
    (handlers) => handlers.recordCredits(account.accountId, movement),
    (end) => {
      if (end.kind !== 'returned')
        world.after(world.random.between(5_000, 60_000), () => tell(world, account, movement));
    },
  );
};

/** What somebody does while time goes on, to its end. */
export const inWorld = async <T>(world: World, work: () => Promise<T>): Promise<T> => {
  let done: { readonly value: T } | undefined;
  runAs(world.scheduler, newActor('owner'), () => void work().then((value) => (done = { value }), world.broken));
  while (!done) await world.run(world.now() + MINUTE);
  return done.value;
};

/** Until it is answered, as one reloads a page. */
export const inPortal = <T>(world: World, ask: (portal: Portal) => Promise<T>): Promise<T> =>
  new Promise((resolve) =>
    world.isolates.invoke(
      'page of the portal',
      ({ portal }) => ask(portal),
      (end) => {
        if (end.kind === 'returned') resolve(end.value);
        else world.after(MINUTE / 10, () => void inPortal(world, ask).then(resolve), owner);
      },
    ),
  );

/** A payment for what comes after the audit, in calm. */
export const buy = (world: World, account: Account, purpose: string, credits: number): Promise<void> =>
  new Promise((resolve) => {
    account.granted += credits;
    const movement = { id: `purchase:${purpose}`, kind: 'purchase', credits, reference: `pay_${purpose}` } as const;
    world.isolates.invoke(
      `payment for ${purpose}`,
      ({ recordCredits }) => recordCredits(account.accountId, movement),
      () => resolve(),
    );
  });
