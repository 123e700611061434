/**
 * Cloudflare Turnstile, where it is configured, in front of what a stranger can make us do: guess passwords and send
 * mails. Its answer is asked of Cloudflare; one that cannot be had lets nobody through.
 */
import type { MiddlewareHandler } from 'hono';
import { clientAddress } from '../../client-address.ts';
import { edgeLimits } from '../../limits.ts';
import { errorText, logEvent } from '../../log.ts';
import { refuse } from '../guard.ts';
import type { PortalSettings } from '../settings.ts';

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify';
/** The page's script sends the visitor's token so. */
const HEADER = 'x-captcha-response';

type Verdict = { readonly success: boolean; readonly hostname?: string; readonly 'error-codes'?: readonly string[] };

const verdictOf = async (secretKey: string, token: string, address: string | undefined): Promise<Verdict> => {
  const response = await fetch(VERIFY_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret: secretKey, response: token, ...(address ? { remoteip: address } : {}) }),
    signal: AbortSignal.timeout(edgeLimits.portal.turnstileMsMax),
  });
  return response.json();
};

/** Passes every call where Turnstile is off. */
export const turnstile =
  ({ turnstile: keys, publicBaseUrl }: Pick<PortalSettings, 'turnstile' | 'publicBaseUrl'>): MiddlewareHandler =>
  async (c, next) => {
    if (keys === null) return next();
    const token = c.req.header(HEADER);
    if (!token) return refuse(400, 'challenge_missing', 'Wait for the check that you are human, then try again.');
    const verdict = await verdictOf(keys.secretKey, token, clientAddress(c.req.raw.headers)).catch((error: unknown) => {
      logEvent('error', 'challenge_not_verified', { error: errorText(error) });
      return undefined;
    });
    if (!verdict)
      return refuse(503, 'challenge_unavailable', 'The check that you are human cannot be made now. Try again soon.');
    // A token of another site's widget, though bought with the same secret, is none.
    if (verdict.success && verdict.hostname === new URL(publicBaseUrl).hostname) return next();
    logEvent('warn', 'challenge_failed', {
      codes: verdict['error-codes']?.join(' ') ?? '',
      hostname: verdict.hostname,
    });
    return refuse(403, 'challenge_failed', 'The check that you are human failed. Reload the page and try again.');
  };
