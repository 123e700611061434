/** Rates of the portal's own calls, in one isolate's memory: what they guard is the database behind them. */

import { createMiddleware } from 'hono/factory';
import { type Brake, createBrake } from '../../../shared/brake.ts';
import type { Clock } from '../../../shared/clock.ts';
import { lineOf } from '../../../shared/network.ts';
import { clientAddress } from '../../client-address.ts';
import { edgeLimits } from '../../limits.ts';
import { type PortalContext, refuseForNow } from '../guard.ts';

const { callsPerMinute, failuresPerMinute, namesMax } = edgeLimits.portal.rates;
const FAILED: readonly number[] = [400, 401, 429];
const tooFast = (waitMs: number): Response =>
  refuseForNow('rate_limited', 'Too many calls. Try again in a minute.', { waitMs });

/** A client whose sign-ins or mailed links keep failing is refused without a look at the database, or at a password. */
export const failedTries = (clock: Pick<Clock, 'nowMs'>) => {
  const brake: Brake = createBrake(clock, { perMinute: failuresPerMinute, namesMax });
  return createMiddleware(async (c, next) => {
    const line = lineOf(clientAddress(c.req.raw.headers));
    const waitMs = brake.waitMs(line);
    if (waitMs > 0) return tooFast(waitMs);
    await next();
    if (FAILED.includes(c.res.status)) brake.count(line);
    return;
  });
};

/** Of one user, whatever their sessions and accounts: no member uses up what another may call. */
export const signedInCalls = (clock: Pick<Clock, 'nowMs'>) => {
  const brake: Brake = createBrake(clock, { perMinute: callsPerMinute, namesMax });
  return createMiddleware<PortalContext>(async (c, next) => {
    const { userId } = c.get('user');
    const waitMs = brake.waitMs(userId);
    if (waitMs > 0) return tooFast(waitMs);
    brake.count(userId);
    return next();
  });
};
