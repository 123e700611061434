/** How the account was used, how long its files are kept, and its deletion. */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { utcDay } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type { DataErasure, Retention, Usage } from '../../../shared/portal-api.ts';
import { retentionText } from '../../account/data-port.ts';
import type { KeysPort } from '../../account/keys/port.ts';
import type { LedgerPort } from '../../account/ledger/port.ts';
import type { AccountParts } from '../../account/port.ts';
import { quietDay, type UsageDay, usageByDay } from '../../account/requests/usage.ts';
import type { WebhookEndpointsPort } from '../../account/webhook-endpoints/port.ts';
import { edgeLimits } from '../../limits.ts';
import { errorText, logEvent } from '../../log.ts';
import { closeStripeCheckouts } from '../../payments/close-checkouts.ts';
import { closeTestCheckouts } from '../../payments/test-checkout.ts';
import { checkPassword } from '../access/passwords.ts';
import { forgetAccount } from '../access/sign-in-limit.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse, type SignedIn } from '../guard.ts';
import { sendAll } from '../mail.ts';
import { accountDeletedMail } from '../mail-texts.ts';
import { ownerDid } from '../owner-did.ts';
import { changedMeanwhile } from '../permissions.ts';
import { bodyOf } from '../read-body.ts';
import { endLastMembership, endOtherMemberships, leaveOthers } from '../team/leave.ts';
import { timeOf } from '../time.ts';
import { noteMember, noteWithdrawn } from './members.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const { usageDaysMax } = edgeLimits.portal;

/** Every day of the range, those without a request as zeros, so that the chart's axis is time. */
const usageOf = (rows: readonly UsageDay[], days: number, nowMs: number): Usage => {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  return {
    days: Array.from({ length: days }, (_, i) => utcDay(nowMs - (days - 1 - i) * DAY_MS))
      .map((day) => byDay.get(day) ?? quietDay(day))
      .map(({ day, posted, voided, requests, errors, p50Ms, p95Ms }) => ({
        day,
        completed: posted,
        failed: voided,
        requests,
        errors,
        p50_ms: p50Ms,
        p95_ms: p95Ms,
      })),
  };
};

const password = z.string().max(limits.portal.passwordCharsMax);
const retention = z.strictObject({ days: z.number().int().min(0).max(limits.retention.daysMax).nullable() });
const dataDeletion = z.strictObject({ password });
const deletion = z.strictObject({
  password,
  forfeited_credits: z.number().int().min(0),
});

export const accountRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/usage', async (c) => {
      const days = Math.min(usageDaysMax, Math.max(1, Math.trunc(Number(c.req.query('days') ?? 30)) || 30));
      const account = await accountOf(deps, c.get('user'));
      const nowMs = deps.services.clock.nowMs();
      const sinceMs = Math.floor(nowMs / DAY_MS) * DAY_MS - (days - 1) * DAY_MS;
      return c.json(usageOf(await usageByDay(account, sinceMs, nowMs), days, nowMs));
    })
    .get('/account/data', async (c) => {
      const erasure = await (await accountOf(deps, c.get('user'))).data.erasure();
      return c.json({
        asked_at: timeOf(erasure?.askedAtMs ?? null),
        done_at: timeOf(erasure?.doneAtMs ?? null),
      } satisfies DataErasure);
    })
    .get('/account/retention', async (c) =>
      c.json({ days: await (await accountOf(deps, c.get('user'))).data.retention() } satisfies Retention),
    )
    .post('/account/retention', async (c) => {
      const body = await bodyOf(c, retention);
      if (!body) return refuse(400, 'invalid_request', `days is 0 to ${limits.retention.daysMax}, or null.`);
      await (await accountOf(deps, c.get('user'))).data.setRetention(body.days);
      await ownerDid(deps, c, { action: 'data.retention_changed', detail: retentionText(body.days) });
      return c.json({ days: body.days } satisfies Retention);
    })
    .post('/account/data/delete', (c) => deleteData(c, deps))
    .post('/account/delete', (c) => deleteAccount(c, deps));

/** Everything but the account, its keys and its ledger. */
const deleteData = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, dataDeletion);
  if (!body) return refuse(400, 'invalid_request', 'The password is needed.');
  const refused = await checkPassword(deps, c.get('user'), body.password, c.req.raw.headers);
  if (refused) return refused;
  const { result } = await (await accountOf(deps, c.get('user'))).data.eraseData();
  if (result === 'in_progress')
    return refuse(409, 'images_in_progress', 'Images are still being processed. Wait until they are done.');
  await ownerDid(deps, c, { action: 'data.deleted', detail: 'everything' });
  return c.json({ deleting: true }, 202);
};

/**
 * Ends the account for good, and everybody's access to it; of the own account its user too, who leaves all others. The
 * caller names the credits that are given up, so that nobody loses more than was shown.
 */
const deleteAccount = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, deletion);
  if (!body) return refuse(400, 'invalid_request', 'Password and forfeited_credits are needed.');
  const user = c.get('user');
  const { headers } = c.req.raw;
  const nowMs = deps.services.clock.nowMs();
  const refused = await checkPassword(deps, user, body.password, headers);
  if (refused) return refused;
  const { summary, ...account } = await accountOf(deps, user);
  if (summary.held > 0)
    return refuse(
      409,
      'images_in_progress',
      `${summary.held} images are still being processed. Wait until they are done.`,
    );
  if ((await account.topUps.topUp()).isCharging) return refuseWhileCharged();
  const unused = Math.max(0, summary.available);
  if (unused !== body.forfeited_credits)
    return refuse(409, 'credits_changed', `The account has ${unused} unused credits now. Confirm again.`);
  const checkouts = await closeCheckouts(deps, user.accountId);
  if (checkouts === 'paid') return refuse(409, 'payment_in_progress', PAYMENT_ON_ITS_WAY);
  if (checkouts === 'unknown') return refuse(503, 'checkouts_not_closed', CHECKOUTS_NOT_CLOSED);
  if (isOwn(user) && !(await leave(c, deps))) return refuse(409, 'last_owner', LAST_OWNER);
  const of = { accountId: user.accountId, ownerId: user.userId };
  const others = await endOtherMemberships(deps.db, of, () => newAccountId(deps), nowMs);
  if (!others) return changedMeanwhile();
  if ((await account.topUps.closeTopUp()) === 'charging') return refuseWhileCharged();
  await empty(account, user.userId, unused);
  if (unused > 0) await ownerDid(deps, c, { action: 'money.forfeited', detail: `${unused} credits` });
  await ownerDid(deps, c, { action: 'data.account_deleted' });
  const mails = others.map(({ email }) => accountDeletedMail(email, user.email));
  await deps.afterResponse(sendAll(deps.sendMail, mails));
  if (isOwn(user)) {
    // Once more: with the user go their memberships, also one in which they are the last owner since a moment ago.
    if (!(await leave(c, deps))) return refuse(409, 'last_owner', LAST_OWNER);
    await forgetAccount(deps.db, user.email);
    const deleted = await deps.auth.api.deleteUser({ body: { password: body.password }, headers, asResponse: true });
    // Whom they invited meanwhile.
    if (deleted.ok) await endLastMembership(deps.db, user.accountId);
    return deleted;
  }
  await endLastMembership(deps.db, user.accountId);
  return c.json({ deleted: true });
};

/** Every account but the own one, whose owners are told. False where one would be left without an owner. */
const leave = async (c: Context<PortalContext>, deps: PortalDeps): Promise<boolean> => {
  const user = c.get('user');
  const { left, kept } = await leaveOthers(deps.db, user, newAccountId(deps), deps.services.clock.nowMs());
  for (const { accountId, role, withdrawn } of left) {
    await noteMember(c, deps, 'members.left', user, `${user.email}, ${role}`, accountId);
    await noteWithdrawn(c, deps, withdrawn, accountId);
  }
  return kept.length === 0;
};

/** A checkout stays open for a day, in another tab or on somebody's desk. */
const closeCheckouts = async (
  { db, services, settings: { checkout } }: PortalDeps,
  accountId: string,
): Promise<'closed' | 'paid' | 'unknown'> => {
  const close =
    checkout.kind === 'stripe' ? closeStripeCheckouts(checkout, services.clock.nowMs()) : closeTestCheckouts(db);
  try {
    return await close(accountId);
  } catch (error) {
    logEvent('error', 'checkouts_not_closed', { account_id: accountId, error: errorText(error) });
    return 'unknown';
  }
};

const PAYMENT_ON_ITS_WAY = 'A pack has just been paid and its credits are on their way. Try again in a minute.';
const CHECKOUTS_NOT_CLOSED =
  'A checkout may still be open, and Stripe does not say. Nothing was deleted; try again in a few minutes.';
const LAST_OWNER =
  'You are the only owner of another account. Make somebody else an owner there, or delete that account first.';
const refuseWhileCharged = (): Response =>
  refuse(409, 'top_up_in_progress', 'A pack is being bought by automatic top-up. Try again in a few minutes.');
const isOwn = ({ accountId, ownAccountId }: SignedIn): boolean => accountId === ownAccountId;
const newAccountId = ({ services: { clock, randomBytes } }: PortalDeps): string =>
  newId('account', clock.nowMs(), randomBytes);

const empty = async (account: AccountParts, userId: string, unused: number): Promise<void> => {
  await revokeAll(account.keys);
  await account.alerts.setBalanceAlert(null);
  await removeEndpoints(account.webhookEndpoints);
  await forfeit(account.ledger, userId, unused);
  await account.data.eraseData(true);
};

const revokeAll = async (keys: KeysPort): Promise<void> => {
  for (const key of await keys.listKeys()) if (key.revokedAtMs === null) await keys.revokeKey(key.keyId);
};

const removeEndpoints = async (endpoints: WebhookEndpointsPort): Promise<void> => {
  for (const { endpointId } of await endpoints.webhookEndpoints()) await endpoints.removeWebhookEndpoint(endpointId);
};

const forfeit = async (ledger: LedgerPort, userId: string, credits: number): Promise<void> => {
  if (credits > 0)
    await ledger.adjust({
      id: `forfeit:${userId}`,
      credits: -credits,
      reason: 'correction',
      reference: 'account deleted',
    });
};
