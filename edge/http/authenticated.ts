/**
 * Around every route that needs a key: who calls, what it cost, the answer, and a line in the account's request log.
 */

import type { Context } from 'hono';
import { failure } from '../../shared/errors.ts';
import { marketplacesOf, type ResolvedOptions } from '../../shared/options.ts';
import type { KeyScope } from '../../shared/scopes.ts';
import { authenticate, authenticateOwner, type Caller, type KeyOfOwner } from '../account/authenticate.ts';
import type { RequestRow } from '../account/requests/port.ts';
import { clientAddress } from '../client-address.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { notReadyAnswer } from '../responses/accepted.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { isUnreachable } from '../stores/reliable.ts';
import type { Call, HttpEnv } from './call.ts';
import { answerStatus, type Facts, respond } from './respond.ts';

export type Handler = (caller: Caller, call: Call) => Promise<Answer>;

/** How an endpoint's callers show their key, and how they are answered. */
export type HttpDialect = {
  readonly authorization: (c: Context<HttpEnv>) => string | undefined;
  /** In place of it: the key that somebody who is signed in uses. */
  readonly owner?: KeyOfOwner;
  readonly respond: (answer: Answer, facts: Facts, c: Context<HttpEnv>) => Response | Promise<Response>;
  /** For the request log. */
  readonly status: (answer: Answer) => number;
};
const ownDialect: HttpDialect = { authorization: (c) => c.req.header('authorization'), respond, status: answerStatus };

/**
 * The work goes on when the client disconnects: what was begun is finished and settled. `scope`: what the key must have,
 * by `routeScopes`. `slot`: the id of the upload
 * slot that the request takes while it runs.
 */
export const authenticated = async (
  c: Context<HttpEnv>,
  services: Services,
  scope: KeyScope,
  handler: Handler,
  slot?: string,
  dialect: HttpDialect = ownDialect,
): Promise<Response> => {
  const call = c.get('call');
  const asked = { address: clientAddress(c.req.raw.headers), slot, scope };
  const authenticating = await (dialect.owner
    ? authenticateOwner(services, dialect.owner, asked)
    : authenticate(services, { ...asked, authorization: dialect.authorization(c) })
  ).catch(asFailure);
  if ('kind' in authenticating) return dialect.respond(authenticating, call, c);
  if (!authenticating.ok) {
    const { failure: refusal, caller } = authenticating.failure;
    const answer = failed(refusal);
    if (caller) c.executionCtx.waitUntil(log(services, caller, call, answer, dialect.status(answer)));
    return dialect.respond(answer, { ...call, rate: caller?.rate }, c);
  }
  let held = slot;
  const noteSlotFree = (): void => {
    held = undefined;
  };
  let sent: Sent | undefined;
  const noteSent: Caller['noteSent'] = (names, options) => {
    sent = sentOf(names, options);
  };
  const caller = { ...authenticating.value, noteSlotFree, noteSent };
  const work = handled(handler, caller, call);
  c.executionCtx.waitUntil(
    work.then(async (answer) => {
      if (held !== undefined) await caller.account.access.releaseSlot(held).catch(() => {});
      await log(services, caller, call, answer, dialect.status(answer), sent);
    }),
  );
  return dialect.respond(await work, { ...call, rate: caller.rate }, c);
};

type Sent = Pick<RequestRow, 'names' | 'marketplaces'>;

const sentOf = (names: readonly string[], options: ResolvedOptions): Sent => ({
  names: names.join('\n').slice(0, edgeLimits.requestLog.namesCharsMax),
  marketplaces: marketplacesOf(options),
});

/**
 * A bug becomes internal_error; its text stays in our own log. Flows answer for themselves once a batch may have been
 * opened: what they throw was not charged.
 */
const handled = async (handler: Handler, caller: Caller, call: Call): Promise<Answer> => {
  try {
    return await handler(caller, call);
  } catch (error) {
    logEvent('error', 'request_threw', {
      request_id: call.requestId,
      path: call.path,
      error: errorText(error),
    });
    return isUnreachable(error) ? notReadyAnswer() : failed(failure('internal_error'));
  }
};

/** Before the caller is known nothing can have been charged. */
const asFailure = (error: unknown): Answer => {
  if (!isUnreachable(error)) throw error;
  return notReadyAnswer();
};

const log = (
  services: Services,
  { account, keyId }: Pick<Caller, 'account' | 'keyId'>,
  call: Call,
  answer: Answer,
  status: number,
  sent?: Sent,
): Promise<void> =>
  account.requests
    .logRequest({
      requestId: call.requestId,
      atMs: call.startedAtMs,
      keyId,
      method: call.method,
      path: call.path,
      status,
      images: answer.images ?? 0,
      credits: answer.replayOf === undefined ? (answer.account?.charged ?? 0) : 0,
      latencyMs: services.clock.nowMs() - call.startedAtMs,
      errorCode: answer.kind === 'failed' ? answer.failure.code : null,
      batchId: answer.batchId ?? null,
      ...sent,
    })
    .catch((error: unknown) =>
      logEvent('warn', 'request_not_logged', { request_id: call.requestId, error: errorText(error) }),
    );
