/**
 * In some seeds an owner's program makes, changes, rolls and revokes keys by the API, while calls and objects fail, and
 * tries what each may do: a key does what it was given, from where and until when it was given it, and nothing else.
 */
import { issueApiKey } from '../../shared/api-key.ts';
import { API_PREFIX, paths } from '../../shared/paths.ts';
import type { Account, Book } from './auditor/book.ts';
import { isDefinite } from './auditor/book.ts';
import type { Finding } from './auditor/laws.ts';
import { type KeyRow, keysOf, readRows } from './auditor/rows.ts';
import { sleep } from './client.ts';
import { hashOf } from './outside/origin.ts';
import { buy, inWorld, makeKey } from './owner.ts';
import { type Faults, noFaults } from './platform/faults.ts';
import { newActor } from './platform/scheduler.ts';
import type { Heard, Json } from './wire.ts';
import type { World } from './world.ts';

const SEEDS_PER_SEED_WITH_KEYS = 64;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TRIES_MAX = 60;
const CREDITS = 20;
const CAP = 2;
const HOME = '203.0.113.9';
const AWAY = '198.51.100.7';
const MADE_UP = 14;
const text = new TextEncoder();

/** By the seed alone, so that other seeds are what they were before. */
export const hasKeys = (seed: number): boolean => hashOf(`keys ${seed}`) % SEEDS_PER_SEED_WITH_KEYS === 0;

type Demand = (holds: boolean, what: () => string) => void;
type Made = { readonly id: string; readonly secret: string };
type Request = {
  readonly method: string;
  readonly path: string;
  readonly by: string;
  readonly body?: Json;
  readonly address?: string;
  readonly idempotencyKey?: string;
};
/** The world, as one account's program sees it. */
type Program = {
  readonly once: (request: Request) => Promise<Heard>;
  /** Until the answer is definite. */
  readonly insist: (request: Request) => Promise<Heard>;
  readonly make: (by: string, body: Json) => Promise<Made>;
  /** Asks, and demands the code, `ok` for what is done. */
  readonly expect: (code: string, request: Request) => Promise<Json>;
};

export const useKeys = async (
  world: World,
  book: Book,
  faults: Faults,
  trouble: Partial<Faults>,
): Promise<Finding[]> => {
  const findings: Finding[] = [];
  const demand: Demand = (holds, what) => {
    world.tally('law keys');
    if (!holds) findings.push({ law: 'keys', what: what() });
  };
  const account = book.accounts.find(({ revoked }) => !revoked);
  if (!account) return findings;
  const program = programOf(world, demand);
  const admin = await inWorld(world, async () => {
    await buy(world, account, 'keys', CREDITS);
    return makeKey(world, account, ['admin', 'images:write', 'batches:read', 'account:read']);
  });
  Object.assign(faults, trouble);
  const child = await inWorld(world, () => makeAndSpend(program, admin, world.now()));
  Object.assign(faults, noFaults());
  await world.run(world.now() + 5 * MINUTE);
  const reader = await inWorld(world, () => tryLimits(program, admin, child));
  await inWorld(world, () => changeAndRoll(world, program, account, admin, child, demand));
  await inWorld(world, () => guess(world, program, account, demand));
  await inWorld(world, () => endKeys(program, admin, child, reader));
  await listLaws(world, program, account, admin, demand);
  await world.run(world.now() + 8 * HOUR);
  spendingLaws(world, account, child, demand);
  return findings;
};

const programOf = (world: World, demand: Demand): Program => {
  const actor = newActor('program with keys');
  const once = ({ method, path, by, body, address = HOME, idempotencyKey }: Request): Promise<Heard> =>
    world.door.send(actor, {
      method,
      path,
      headers: {
        authorization: `Bearer ${by}`,
        'cf-connecting-ip': address,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { body: { contentType: 'application/json', bytes: text.encode(JSON.stringify(body)) } }),
    });
  const insist = async (request: Request): Promise<Heard> => {
    let heard: Heard;
    for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
      heard = await once(request);
      if (isDefinite(heard) && heard.status < 500) return heard;
      await sleep(world.random.between(1_000, MINUTE / 2));
    }
    return heard;
  };
  const expect = async (code: string, request: Request): Promise<Json> => {
    const heard = await insist(request);
    const told = heard?.status === undefined || heard.status >= 300 ? heard?.body['code'] : 'ok';
    demand(told === code, () => `${request.method} ${request.path} answers ${heard?.status} ${told}, not ${code}`);
    return heard?.body ?? {};
  };
  const make = async (by: string, body: Json): Promise<Made> => {
    const answer = await expect('ok', { method: 'POST', path: paths.keys, by, body });
    const key = answer['key'] as { readonly key_id?: string } | undefined;
    return { id: String(key?.key_id), secret: String(answer['secret']) };
  };
  return { once, insist, make, expect };
};

const keyPath = (id: string, deed = ''): string => `${API_PREFIX}/keys/${id}${deed}`;
const batchBody = (images: number): Json => ({
  images: Array.from({ length: images }, (_, i) => ({ input_url: `https://a.shop-images.com/keys-${i}.jpg` })),
});
const EVENTS = `${paths.webhookEvents}?wait=0`;

/** Batches of one image up to the cap and beyond, while there is trouble. */
const makeAndSpend = async ({ make, insist }: Program, admin: string, nowMs: number): Promise<Made> => {
  const child = await make(admin, {
    label: 'child',
    scopes: ['images:write', 'batches:read'],
    daily_credit_cap: CAP,
    allowed_ips: ['203.0.113.0/24'],
    expires_at: new Date(nowMs + 6 * HOUR).toISOString(),
  });
  for (let i = 0; i < CAP + 2; i++)
    await insist({
      method: 'POST',
      path: paths.hero,
      by: child.secret,
      body: batchBody(1),
      idempotencyKey: `keys ${i}`,
    });
  return child;
};

/** What keys may not do, and what keys that manage others may not give. */
const tryLimits = async ({ make, expect }: Program, admin: string, child: Made): Promise<Made> => {
  const reader = await make(admin, { label: 'reader', scopes: ['account:read'] });
  const hero = { method: 'POST', path: paths.hero, body: batchBody(CAP + 1) };
  await expect('ok', { method: 'GET', path: paths.account, by: reader.secret });
  await expect('key_scope_missing', { ...hero, by: reader.secret });
  await expect('key_scope_missing', { method: 'GET', path: paths.keys, by: child.secret });
  await expect('key_address_not_allowed', { ...hero, by: child.secret, address: AWAY });
  await expect('key_spending_cap_reached', { ...hero, by: child.secret });
  const scopes = ['admin', 'account:read'];
  const manager = await make(admin, { label: 'manager', scopes, daily_credit_cap: 3, allowed_ips: ['203.0.113.0/24'] });
  const wider: readonly Json[] = [
    { scopes: ['images:write'] },
    { scopes: ['account:read'], daily_credit_cap: 5 },
    { scopes: ['account:read'], allowed_ips: null },
  ];
  for (const more of wider)
    await expect('key_grants_exceeded', {
      method: 'POST',
      path: paths.keys,
      by: manager.secret,
      body: { label: 'wider', ...more },
    });
  await make(manager.secret, { label: 'narrower', scopes: ['account:read'], daily_credit_cap: 1 });
  const tester = await make(admin, { label: 'tester', mode: 'test', scopes: ['admin'] });
  const live = { label: 'live', mode: 'live', scopes: ['admin'] };
  await expect('key_grants_exceeded', { method: 'POST', path: paths.keys, by: tester.secret, body: live });
  return reader;
};

const changeAndRoll = async (
  world: World,
  { expect }: Program,
  { accountId }: Account,
  admin: string,
  child: Made,
  demand: Demand,
): Promise<void> => {
  const change = (body: Json) => expect('ok', { method: 'PATCH', path: keyPath(child.id), by: admin, body });
  await change({ daily_credit_cap: null });
  const { key } = (await change({ daily_credit_cap: CAP, label: 'changed' })) as { key?: Record<string, unknown> };
  const used = heldBy(world, accountId, child.id);
  // A cap that is set later counts the day's holds, unless a day has begun since.
  demand(
    key?.['credits_used_today'] === used || used === 0,
    () => `${child.id} has ${used}, is told ${key?.['credits_used_today']}`,
  );
  const unknownId = child.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  await expect('key_not_found', { method: 'PATCH', path: keyPath(unknownId), by: admin, body: { label: 'x' } });
  const roll = (overlap_hours: number) =>
    expect('ok', { method: 'POST', path: keyPath(child.id, '/roll'), by: admin, body: { overlap_hours } });
  const second = String((await roll(1))['secret']);
  for (const secret of [child.secret, second]) await expect('ok', { method: 'GET', path: EVENTS, by: secret });
  const third = String((await roll(0))['secret']);
  for (const secret of [child.secret, second]) await expect('key_expired', { method: 'GET', path: EVENTS, by: secret });
  await expect('ok', { method: 'GET', path: EVENTS, by: third });
};

/** Keys with a right checksum that nobody made. */
const guess = async (world: World, { once }: Program, { accountId }: Account, demand: Demand): Promise<void> => {
  const told = new Map<unknown, number>();
  for (let i = 0; i < MADE_UP; i++) {
    const { secret } = await issueApiKey('live', accountId, world.now(), (n) => world.random.bytes(n));
    const heard = await once({ method: 'GET', path: paths.account, by: secret, address: AWAY });
    told.set(heard?.body['code'], (told.get(heard?.body['code']) ?? 0) + 1);
  }
  const [unknown = 0, waits = 0] = [told.get('key_unknown'), told.get('rate_limited')];
  demand(unknown + waits === MADE_UP && waits > 0, () => `made-up keys were answered with ${[...told]}`);
};

const endKeys = async ({ expect }: Program, admin: string, child: Made, reader: Made): Promise<void> => {
  for (let i = 0; i < 2; i++) await expect('ok', { method: 'POST', path: keyPath(reader.id, '/revoke'), by: admin });
  await expect('key_revoked', { method: 'GET', path: paths.account, by: reader.secret });
  const rename = { method: 'PATCH', by: admin, body: { label: 'again' } };
  await expect('key_not_usable', { ...rename, path: keyPath(reader.id) });
  await sleep(7 * HOUR);
  await expect('key_not_usable', { ...rename, path: keyPath(child.id) });
};

type Listed = Readonly<Record<'key_id' | 'label' | 'daily_credit_cap' | 'revoked_at', unknown>> & {
  readonly scopes: readonly string[];
};

const listLaws = async (
  world: World,
  { expect }: Program,
  { accountId }: Account,
  admin: string,
  demand: Demand,
): Promise<void> => {
  const { keys = [] } = (await inWorld(world, () => expect('ok', { method: 'GET', path: paths.keys, by: admin }))) as {
    keys?: readonly Listed[];
  };
  const shown = keys.map((key) => [
    key.key_id,
    key.label,
    key.scopes.join(' '),
    key.daily_credit_cap,
    key.revoked_at !== null,
  ]);
  const rows = keysOf(world, accountId).map((key: KeyRow) => [
    key.keyId,
    key.label,
    key.scopes,
    key.creditsPerDayMax,
    key.revokedAtMs !== null,
  ]);
  demand(String(shown.toSorted()) === String(rows.toSorted()), () => `${accountId} lists ${shown}, has ${rows}`);
};

const heldBy = (world: World, accountId: string, keyId: string): number => {
  const { holds } = readRows(world).accounts.find((account) => account.accountId === accountId) ?? {};
  return [...(holds?.values() ?? [])]
    .filter((hold) => hold.keyId === keyId)
    .reduce((sum, { pending, posted }) => sum + pending + posted, 0);
};

const spendingLaws = (world: World, { accountId }: Account, child: Made, demand: Demand): void => {
  const account = readRows(world).accounts.find((one) => one.accountId === accountId);
  const { granted = 0, available = 0, held = 0, spent = 0 } = account ?? {};
  const used = heldBy(world, accountId, child.id);
  demand(used <= CAP, () => `${child.id} has ${used} credits of a day, its cap is ${CAP}`);
  demand(
    held === 0 && granted === available + spent,
    () => `${accountId}: ${granted}, ${available}, ${held}, ${spent}`,
  );
};
