/**
 * Tries to sign in. They are counted for an account together with where they come from: a device that has signed in to
 * it, or a network. After a few, each next one has to wait longer than the last. Networks from which the account was
 * never signed in to share a number of tries a day besides, so that guessing from a thousand of them stays bounded;
 * when that is used up they wait, and the owner's own device and networks do not. Addresses without an account are
 * counted alike.
 */
import { sha256 } from '../../../shared/digest.ts';
import { networkOf } from '../../../shared/network.ts';
import { edgeLimits } from '../../limits.ts';
import { countWithin, type Wait } from '../counters.ts';
import { emailHash } from './email-hash.ts';

const { freeTries, waitMsBase, waitMsCap, forgetMs, strangersPerDay, knownNetworksMax, knownNetworkMs } =
  edgeLimits.portal.signIn;
const DAY_MS = 24 * 60 * 60 * 1000;

/** `device`: the id in the cookie of a device that has signed in to this account before. */
export type Try = {
  readonly email: string;
  readonly address: string | undefined;
  readonly device?: string | undefined;
};

/** No row comes back while the trail has to wait: the statement is one, so parallel tries cannot pass together. */
const COUNT = `
  insert into sign_in_trails (trail, tries, waits_until, last_at) values (?1, 1, ?2, ?2)
  on conflict (trail) do update set
    tries = case when last_at <= ?3 then 1 else tries + 1 end,
    waits_until = case
      when last_at <= ?3 or tries + 1 < ?4 then ?2
      else ?2 + min(?6, ?5 << min(tries + 1 - ?4, 20)) end,
    last_at = ?2
  where waits_until <= ?2
  returning tries`;

const networkHash = (account: string, address: string | undefined): Promise<string> =>
  sha256(`${account}|${networkOf(address)}`);

const trailWait = async (db: D1Database, trail: string, nowMs: number): Promise<Wait> => {
  const counted = await db
    .prepare(COUNT)
    .bind(trail, nowMs, nowMs - forgetMs, freeTries, waitMsBase, waitMsCap)
    .first();
  if (counted) return { waitMs: 0 };
  const row = await db
    .prepare('select waits_until as untilMs from sign_in_trails where trail = ?')
    .bind(trail)
    .first<{ untilMs: number }>();
  return { waitMs: Math.max(1, (row?.untilMs ?? nowMs) - nowMs) };
};

const isKnownNetwork = async (db: D1Database, account: string, network: string, nowMs: number): Promise<boolean> =>
  (await db
    .prepare('select 1 from known_networks where account_sha256 = ? and network_sha256 = ? and seen_at > ?')
    .bind(account, network, nowMs - knownNetworkMs)
    .first()) !== null;

/** Counts this try, before the password is looked at. */
export const signInWait = async (db: D1Database, { email, address, device }: Try, nowMs: number): Promise<Wait> => {
  const account = await emailHash(email);
  if (device !== undefined) return trailWait(db, `${account}:${await sha256(device)}`, nowMs);
  const network = await networkHash(account, address);
  const wait = await trailWait(db, `${account}:${network}`, nowMs);
  if (wait.waitMs > 0 || (await isKnownNetwork(db, account, network, nowMs))) return wait;
  return countWithin(db, `strangers:${account}`, { max: strangersPerDay, windowMs: DAY_MS }, nowMs);
};

/** Counts a try at the password by somebody signed in: whoever holds a stolen session must not be able to guess it. */
export const passwordWait = (db: D1Database, userId: string, nowMs: number): Promise<Wait> =>
  countWithin(db, `password:${userId}`, edgeLimits.portal.passwordTries, nowMs);

/** The right password ends the count of where it came from. */
export const forgetTries = async (db: D1Database, { email, address, device }: Try): Promise<void> => {
  const account = await emailHash(email);
  const origins = [await networkHash(account, address), ...(device === undefined ? [] : [await sha256(device)])];
  await db.batch(
    origins.map((origin) => db.prepare('delete from sign_in_trails where trail = ?').bind(`${account}:${origin}`)),
  );
};

const ADD_NETWORK = `
  insert into known_networks (account_sha256, network_sha256, seen_at) values (?1, ?2, ?3)
  on conflict do update set seen_at = ?3`;
const KEEP_NEWEST = `
  delete from known_networks where account_sha256 = ?1 and network_sha256 not in
    (select network_sha256 from known_networks where account_sha256 = ?1 order by seen_at desc limit ?2)`;

/** The owner was here: signed in with every factor, or read a mail of ours. */
export const rememberNetwork = async (
  db: D1Database,
  { email, address }: Pick<Try, 'email' | 'address'>,
  nowMs: number,
): Promise<void> => {
  const account = await emailHash(email);
  await db.batch([
    db.prepare(ADD_NETWORK).bind(account, await networkHash(account, address), nowMs),
    db.prepare(KEEP_NEWEST).bind(account, knownNetworksMax),
  ]);
};

/** With the account, or its mail address, goes what is known of it. */
export const forgetAccount = async (db: D1Database, email: string): Promise<void> => {
  const account = await emailHash(email);
  await db.batch([
    db.prepare('delete from known_networks where account_sha256 = ?').bind(account),
    db.prepare("delete from sign_in_trails where trail >= ?1 || ':' and trail < ?1 || ';'").bind(account),
  ]);
};
