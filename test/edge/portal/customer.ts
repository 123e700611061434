/** A customer's browser as the portal's API meets it: cookies, origin, client address. */
import { expect } from 'vitest';
import type { OutboxEntry, SessionAnswer } from '../../../shared/portal-api.ts';
import { BASE, bindings, worker } from '../support/service.ts';

export const PORTAL = '/portal/api';
export const PASSWORD = 'correct horse battery';

/** Each customer comes from a network of their own, so that limits per address and network do not reach across tests. */
let customers = 0;
const nextNetwork = (): string => {
  customers++;
  return `10.${customers >> 8}.${customers & 255}`;
};

export type Customer = {
  readonly email: string;
  readonly address: string;
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;
  cookies: () => string;
};

export const newCustomer = (
  email = `customer${customers}-${crypto.randomUUID().slice(0, 8)}@example.com`,
  address = `${nextNetwork()}.7`,
  /** Another portal than the Worker's own, such as one with other secrets. */
  send: (request: Request) => Response | Promise<Response> = (request) => worker.fetch(request),
): Customer => {
  const jar = new Map<string, string>();
  const cookies = (): string => Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
  return {
    email,
    address,
    cookies,
    call: async (method, path, body, headers = {}) => {
      const response = await send(
        new Request(`${BASE}${path.startsWith('/portal') ? '' : PORTAL}${path}`, {
          method,
          redirect: 'manual',
          headers: {
            'cf-connecting-ip': address,
            origin: BASE,
            ...(jar.size > 0 ? { cookie: cookies() } : {}),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        const at = pair.indexOf('=');
        if (/max-age=0/i.test(line)) jar.delete(pair.slice(0, at));
        else jar.set(pair.slice(0, at), pair.slice(at + 1));
      }
      return response;
    },
  };
};

export const mailsTo = async (customer: Customer): Promise<OutboxEntry[]> => {
  const { mails } = (await (await customer.call('GET', '/local/outbox')).json()) as { mails: OutboxEntry[] };
  return mails.filter((mail) => mail.to === customer.email);
};

export const linkIn = (mail: OutboxEntry | undefined): string => {
  const link = /https?:\/\/\S+/.exec(mail?.body ?? '')?.[0] ?? '';
  return link.slice(BASE.length);
};

export const signUp = (customer: Customer): Promise<Response> =>
  customer.call('POST', '/sign-up', { email: customer.email });
export const tokenIn = (mail: OutboxEntry | undefined): string =>
  new URL(linkIn(mail), BASE).searchParams.get('token') ?? '';
/** Opens the newest mail and chooses a password. */
export const completeSignUp = async (customer: Customer, password = PASSWORD): Promise<Response> =>
  customer.call('POST', '/sign-up/complete', {
    token: tokenIn((await mailsTo(customer))[0]),
    name: 'Grace Hopper',
    password,
  });
export const signIn = (customer: Customer, password = PASSWORD): Promise<Response> =>
  customer.call('POST', '/auth/sign-in/email', { email: customer.email, password });

/** Registered, address confirmed, signed in. */
export const registered = async (): Promise<Customer> => {
  const customer = newCustomer();
  expect((await signUp(customer)).status).toBe(202);
  expect((await completeSignUp(customer)).status).toBe(200);
  expect((await me(customer)).me?.user.email).toBe(customer.email);
  return customer;
};

export const me = async (customer: Customer): Promise<SessionAnswer> =>
  (await customer.call('GET', '/session')).json() as Promise<SessionAnswer>;
export const accountIdOf = async (customer: Customer): Promise<string> => (await me(customer)).me!.account.account_id;
export const balanceOf = async (customer: Customer): Promise<number> => (await me(customer)).me!.account.available;

export const answerOf = async <T>(response: Promise<Response>): Promise<T> => (await response).json() as Promise<T>;

/** Rows of a table, for what no API shows. */
export const rows = async <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  (
    await bindings.DB.prepare(sql)
      .bind(...values)
      .all<T>()
  ).results;
