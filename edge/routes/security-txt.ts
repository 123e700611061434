/** `/.well-known/security.txt` (RFC 9116), made with every answer, so that it never expires. */
import type { Hono } from 'hono';
import type { HttpEnv } from '../http/call.ts';
import { edgeLimits } from '../limits.ts';

type SecurityTxtDeps = {
  readonly publicBaseUrl: string;
  /** `mailto:` or https; null: the policy page says where to write. */
  readonly securityContact: string | null;
  readonly nowMs: () => number;
};

const DISCLOSURE_PATH = '/disclosure';
const PATH = '/.well-known/security.txt';

export const securityTxt = (app: Hono<HttpEnv>, { publicBaseUrl, securityContact, nowMs }: SecurityTxtDeps): void => {
  app.get(PATH, (c) => {
    const policy = publicBaseUrl + DISCLOSURE_PATH;
    const expires = new Date(nowMs() + edgeLimits.securityTxt.lifeMs).toISOString();
    const lines = [
      `Contact: ${securityContact ?? policy}`,
      `Expires: ${expires}`,
      'Preferred-Languages: en',
      `Canonical: ${publicBaseUrl}${PATH}`,
      `Policy: ${policy}`,
    ];
    return c.body(`${lines.join('\n')}\n`, 200, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': `public, max-age=${edgeLimits.securityTxt.cacheSeconds}`,
      'x-content-type-options': 'nosniff',
    });
  });
};
