/** Calls to the portal's own API. An expected refusal is a value with a code; a lost connection is one too. */
import { ACCOUNT_HEADER, ACCOUNT_QUERY, type PortalProblem } from '../../shared/portal-api.ts';

export const PORTAL_API = '/portal/api';

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly status: number; readonly problem: PortalProblem };

const unreachable: PortalProblem = {
  code: 'unreachable',
  detail: 'The server could not be reached. Check your connection and try again.',
};

let onSignedOut = (): void => {};
/** Told when a call was refused because nobody is signed in any more. */
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener;
};

let onAccountGone = (): void => {};
/** Told when a call was refused because the session acts for another account than the page shows, or may for none. */
export const whenAccountGone = (listener: () => void): void => {
  onAccountGone = listener;
};

let onRoleChanged = (): void => {};
/** Told when a call was refused that the page took for allowed: the role is another one now. */
export const whenRoleChanged = (listener: () => void): void => {
  onRoleChanged = listener;
};

let shownAccount: string | undefined;
/** The account that pages show: sent with every call, so that a page of one never acts in another. */
export const showAccount = (id: string | undefined): void => {
  shownAccount = id;
};
export const accountHeader = (): Readonly<Record<string, string>> =>
  shownAccount === undefined ? {} : { [ACCOUNT_HEADER]: shownAccount };
/** The address of a file of the account that is shown: nothing else in it says whose. `query`: without its `?`. */
export const fileOfAccount = (path: string, query = ''): string => {
  const search = new URLSearchParams(query);
  if (shownAccount !== undefined) search.set(ACCOUNT_QUERY, shownAccount);
  return `${PORTAL_API}${path}?${search}`;
};
/** Codes of refusals after which the page no longer shows what it acts on. */
export const isAccountGone = (code: string | undefined): boolean =>
  code === 'account_switched' || code === 'not_a_member';

export const call = async <T>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<T>> => {
  let response: Response;
  try {
    response = await fetch(`${PORTAL_API}${path}`, {
      method,
      headers: {
        ...accountHeader(),
        ...(method === 'GET' ? {} : { 'content-type': 'application/json', ...headers }),
      },
      body: method === 'GET' ? null : JSON.stringify(body ?? {}),
      credentials: 'same-origin',
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    return { ok: false, status: 0, problem: unreachable };
  }
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return { ok: true, value: answer as T };
  const problem = problemOf(response.status, answer);
  if (response.status === 401 && problem.code === 'signed_out') onSignedOut();
  if (isAccountGone(problem.code)) onAccountGone();
  if (problem.code === 'not_allowed') onRoleChanged();
  return { ok: false, status: response.status, problem };
};

export const get = <T>(path: string, signal?: AbortSignal): Promise<Answer<T>> =>
  call<T>('GET', path, undefined, signal);
export const post = <T>(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer<T>> =>
  call<T>('POST', path, body, undefined, headers);

/** Our problems say `detail`, better-auth's say `message`; both carry a `code`. */
const problemOf = (status: number, answer: unknown): PortalProblem => {
  const { code, detail, message } = (answer ?? {}) as { code?: string; detail?: string; message?: string };
  if (status === 429)
    return { code: code ?? 'rate_limited', detail: message ?? 'Too many attempts. Wait a minute and try again.' };
  return { code: code ?? `status_${status}`, detail: detail ?? message ?? 'Something went wrong. Try again.' };
};
