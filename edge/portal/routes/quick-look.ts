/**
 * A quick look at a visitor's photo for the landing page: the small copy in, a small result out. No key, no session,
 * nothing stored; counted by client and network, and over all visitors.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { fromBase64 } from '../../../shared/base64.ts';
import { errors } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { sniffImage } from '../../../shared/image-type.ts';
import { limits } from '../../../shared/limits.ts';
import { lineOf, networkOf } from '../../../shared/network.ts';
import type { QuickLookAnswer } from '../../../shared/portal-api.ts';
import { quickLookRequestSchema } from '../../../shared/quick-look.ts';
import { clientAddress } from '../../client-address.ts';
import { readJson } from '../../http/body.ts';
import { newCall } from '../../http/call.ts';
import { edgeLimits } from '../../limits.ts';
import { countEach, type Wait } from '../counters.ts';
import type { PortalDeps } from '../deps.ts';
import { refuse, refuseForNow } from '../guard.ts';

const body = z.strictObject({ image: quickLookRequestSchema.shape.image });
/** Whose turn a node gives all visitors together. */
const VISITORS = 'visitors';
const MINUTE_MS = 60 * 1000;
const { perLineHour, perNetworkHour, perMinute } = edgeLimits.portal.quickLooks;

/** Needs no session. */
export const quickLookRoute = (deps: PortalDeps): Hono =>
  new Hono().post('/quick-look', async (c) => {
    const { db, services, settings } = deps;
    const nowMs = services.clock.nowMs();
    const wait = await waitFor(db, clientAddress(c.req.raw.headers), nowMs);
    if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many quick looks. Try again later.', wait);
    const sent = await readJson(c.req.raw, body, limits.quickLook.bodyBytesMax, services.bodies.of(VISITORS));
    if (!sent.ok || !isJpeg(sent.value.image))
      return refuse(400, 'invalid_request', 'A small JPEG in base64 is needed.');
    const { requestId, traceparent } = newCall(c.req.raw, nowMs, services.randomBytes, settings.publicBaseUrl);
    const request = {
      look_id: newId('quickLook', nowMs, services.randomBytes),
      account_id: VISITORS,
      image: sent.value.image,
      deadline_at: nowMs + limits.quickLook.waitMsMax,
    };
    // Asked once: the browser's own preview is on its way, and paid images come first.
    const reply = await services.runQuickLook(request, { requestId, traceparent });
    if (reply.kind !== 'outcome') return refuse(503, 'not_ready', errors.not_ready.title);
    if ('look' in reply.outcome) return c.json({ image: reply.outcome.look.image } satisfies QuickLookAnswer);
    const { code, retryable } = reply.outcome.failed;
    return retryable ? refuse(503, 'not_ready', errors.not_ready.title) : refuse(422, code, errors[code].title);
  });

const waitFor = (db: D1Database, address: string | undefined, nowMs: number): Promise<Wait> => {
  const counters = [
    [`looks:line:${lineOf(address)}`, perLineHour, 60 * MINUTE_MS],
    [`looks:network:${networkOf(address)}`, perNetworkHour, 60 * MINUTE_MS],
    ['looks:all', perMinute, MINUTE_MS],
  ] as const;
  return countEach(db, counters, nowMs);
};

const SNIFFED_CHARS = 64;
const isJpeg = (image: string): boolean => sniffImage(fromBase64(image.slice(0, SNIFFED_CHARS))) === 'image/jpeg';
