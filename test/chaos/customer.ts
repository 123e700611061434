/** Somebody who registers in the portal, buys packs, makes a key and looks at what became of it all. */
import { PACK } from '../../shared/credits.ts';
import { PORTAL_API_PREFIX } from '../../shared/paths.ts';
import type { OutboxEntry } from '../../shared/portal-api.ts';
import { createClient, type Final, type Send, type Traffic } from './client.ts';

export type Customer = {
  readonly accountId: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** A call of the portal's API, signed in, repeated as a page would. */
  readonly portal: (method: string, path: string, body?: unknown) => Promise<Final>;
  /** Credits that were paid for. */
  bought(): number;
  buy(): Promise<void>;
};

const PASSWORD = 'correct horse battery';
const EMAIL = 'chaos@example.com';

/** What a page asks for again. Paying twice credits once; everything else here only reads. */
const isPassing = ({ status }: Final): boolean => status === 429 || status >= 500;

const portalClient = (baseUrl: string, send: Send): Customer['portal'] => {
  const jar = new Map<string, string>();
  return async (method, path, body) => {
    const answer = await send(`${PORTAL_API_PREFIX}${path}`, {
      method,
      headers: {
        origin: baseUrl,
        cookie: Array.from(jar, ([name, value]) => `${name}=${value}`).join('; '),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return answer;
  };
};

/** Registered, with one pack and a key. Throws where the system, still whole, does not take that. */
export const newCustomer = async (baseUrl: string, traffic: Traffic, giveUpAt: () => number): Promise<Customer> => {
  const portal = portalClient(baseUrl, createClient(baseUrl, 'none', traffic, giveUpAt, isPassing));
  const need = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await portal(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  };
  await need('POST', '/sign-up', { email: EMAIL });
  const { mails } = await need<{ mails: OutboxEntry[] }>('GET', '/local/outbox');
  const link = /https?:\/\/\S+/.exec(mails.find((mail) => mail.to === EMAIL)?.body ?? '')?.[0] ?? baseUrl;
  const token = new URL(link).searchParams.get('token');
  await need('POST', '/sign-up/complete', { token, name: 'Grace Hopper', password: PASSWORD });
  const { me } = await need<{ me: { account: { account_id: string } } }>('GET', '/session');

  let bought = 0;
  const buy = async (): Promise<void> => {
    const { url } = await need<{ url: string }>('POST', '/checkout', { attempt_id: crypto.randomUUID() });
    const id = new URL(url, baseUrl).searchParams.get('id');
    // Counted before it is told: what was paid for is there, whether its answer arrives or not.
    bought += PACK.credits;
    await need('POST', `/local/checkouts/${id}/pay`, {});
  };
  await buy();
  const made = await need<{ secret: string }>('POST', '/keys', { label: 'chaos', mode: 'live' });
  const { secret } = await need<{ secret: string }>('GET', '/webhook-secret');
  return {
    accountId: me.account.account_id,
    apiKey: made.secret,
    webhookSecret: secret,
    portal,
    bought: () => bought,
    buy,
  };
};
