/** The cookie of a device that has signed in: an id of its own, bound to the account's mail address, signed by better-auth. */
import type { GenericEndpointContext } from 'better-auth';
import { edgeLimits } from '../../limits.ts';
import { emailHash } from './email-hash.ts';

const NAME = 'device';
const { knownDeviceMs } = edgeLimits.portal.signIn;

const cookieOf = (ctx: GenericEndpointContext) =>
  ctx.context.createAuthCookie(NAME, { maxAge: Math.floor(knownDeviceMs / 1000) });

/** The device's id where it has signed in to this account; undefined for any other device, account or altered cookie. */
export const knownDevice = async (
  ctx: GenericEndpointContext,
  email: string,
  nowMs: number,
): Promise<string | undefined> => {
  const value = await ctx.getSignedCookie(cookieOf(ctx).name, ctx.context.secret);
  const [account, id, endsAtMs] = typeof value === 'string' ? value.split('.') : [];
  return id !== undefined && account === (await emailHash(email)) && Number(endsAtMs) > nowMs ? id : undefined;
};

/** Keeps the device's id where it is known already, so that what was counted against it stays. */
export const rememberDevice = async (ctx: GenericEndpointContext, email: string, nowMs: number): Promise<void> => {
  const id = (await knownDevice(ctx, email, nowMs)) ?? crypto.randomUUID();
  const { name, attributes } = cookieOf(ctx);
  const value = `${await emailHash(email)}.${id}.${nowMs + knownDeviceMs}`;
  await ctx.setSignedCookie(name, value, ctx.context.secret, attributes);
};
