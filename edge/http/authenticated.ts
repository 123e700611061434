/**
 * Around every route that needs a key: who calls, what it cost, the answer, and a line in the account's request log.
 */
import type { Context } from 'hono';
import { failure } from '../../shared/errors.ts';
import { authenticate, type Caller } from '../account/authenticate.ts';
import { logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import type { Call, HttpEnv } from './call.ts';
import { answerStatus, respond } from './respond.ts';

export type Handler = (caller: Caller, call: Call) => Promise<Answer>;

/**
 * The work goes on when the client leaves: what was begun is finished and settled. `counted`: the request takes an
 * upload slot while it runs.
 */
export const authenticated = async (
  c: Context<HttpEnv>,
  services: Services,
  handler: Handler,
  counted = false,
): Promise<Response> => {
  const call = c.get('call');
  const known = await authenticate(
    services.accountOf,
    c.req.header('authorization'),
    counted ? call.requestId : undefined,
  );
  if (!known.ok) {
    const { failure: turnedAway, caller } = known.failure;
    const answer = failed(turnedAway);
    if (caller) c.executionCtx.waitUntil(log(services, caller, call, answer));
    return respond(answer, { requestId: call.requestId, rate: caller?.rate });
  }
  const caller = known.value;
  const work = handled(handler, caller, call);
  c.executionCtx.waitUntil(
    work.then(async (answer) => {
      if (counted) await caller.account.access.releaseSlot(call.requestId);
      await log(services, caller, call, answer);
    }),
  );
  return respond(await work, { requestId: call.requestId, rate: caller.rate });
};

/** A bug becomes internal_error; its text stays in our own log. */
const handled = async (handler: Handler, caller: Caller, call: Call): Promise<Answer> => {
  try {
    return await handler(caller, call);
  } catch (error) {
    logEvent('error', 'request_threw', {
      request_id: call.requestId,
      path: call.path,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    return failed(failure('internal_error'));
  }
};

const log = (
  services: Services,
  { account, keyId }: Pick<Caller, 'account' | 'keyId'>,
  call: Call,
  answer: Answer,
): Promise<void> =>
  account.requests.logRequest({
    requestId: call.requestId,
    atMs: call.startedAtMs,
    keyId,
    method: call.method,
    path: call.path,
    status: answerStatus(answer),
    images: answer.images ?? 0,
    credits: answer.replayOf === undefined ? (answer.account?.charged ?? 0) : 0,
    latencyMs: services.clock.nowMs() - call.startedAtMs,
    errorCode: answer.kind === 'failed' ? answer.failure.code : null,
    batchId: answer.batchId ?? null,
  });
