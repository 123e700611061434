/** People of one account as the portal's API meets them: owners, and whom they invite. */
import { expect } from 'vitest';
import type { MemberRow } from '../../../shared/portal-api.ts';
import type { Role } from '../../../shared/roles.ts';
import { bindings } from '../support/service.ts';
import {
  accountIdOf,
  answerOf,
  type Customer,
  mailsTo,
  me,
  newCustomer,
  PASSWORD,
  registered,
  tokenIn,
} from './customer.ts';

/** Making an owner needs the password. */
export const invite = (owner: Customer, email: string, role: Role): Promise<Response> =>
  owner.call('POST', '/invitations', { email, role, ...(role === 'owner' ? { password: PASSWORD } : {}) });

/** The link in the newest mail. */
export const invitationOf = async (customer: Customer): Promise<string> => {
  const mail = (await mailsTo(customer)).find(({ subject }) => subject === 'You are invited to a packshot account');
  return tokenIn(mail);
};
export const accept = (customer: Customer, token: string): Promise<Response> =>
  customer.call('POST', '/invitations/accept', { token });

/** Somebody who has an account of their own and was let into another one; their session is in that one. */
export const joined = async (owner: Customer, role: Role): Promise<Customer> => {
  const member = await registered();
  expect((await invite(owner, member.email, role)).status).toBe(201);
  expect((await accept(member, await invitationOf(member))).status).toBe(200);
  expect((await me(member)).me).toMatchObject({ role, account: { account_id: await accountIdOf(owner) } });
  return member;
};

/** Somebody who registers by the link of an invitation. */
export const registeredByLink = async (owner: Customer, role: Role): Promise<Customer> => {
  const customer = newCustomer();
  expect((await invite(owner, customer.email, role)).status).toBe(201);
  const body = { token: await invitationOf(customer), name: 'Ada Lovelace', password: PASSWORD };
  expect((await customer.call('POST', '/invitations/sign-up', body)).status).toBe(200);
  return customer;
};

export const idOf = async (customer: Customer): Promise<string> => (await me(customer)).me?.user.id ?? '';
export const membersOf = async (customer: Customer): Promise<readonly MemberRow[]> =>
  (await answerOf<{ members: readonly MemberRow[] }>(customer.call('GET', '/members'))).members;
export const setRole = async (owner: Customer, member: Customer, role: Role, password = PASSWORD): Promise<Response> =>
  owner.call('POST', `/members/${await idOf(member)}/role`, { role, password });
export const remove = async (owner: Customer, member: Customer): Promise<Response> =>
  owner.call('POST', `/members/${await idOf(member)}/remove`, { password: PASSWORD });
export const leave = (member: Customer): Promise<Response> =>
  member.call('POST', '/members/leave', { password: PASSWORD });
export const choose = (customer: Customer, accountId: string): Promise<Response> =>
  customer.call('POST', '/session/account', { account_id: accountId });
export const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { readonly code?: string }).code ?? '';

/** Does `deed` when `event` happens in the database, which is between two steps of a call. Both are SQL with literals. */
export const meanwhile = async <T>(event: string, deed: string, work: () => Promise<T>): Promise<T> => {
  await bindings.DB.prepare(`create trigger meanwhile ${event} begin ${deed}; end`).run();
  try {
    return await work();
  } finally {
    await bindings.DB.prepare('drop trigger meanwhile').run();
  }
};
