/**
 * `POST /mcp`: the tools over streamable HTTP, for whoever holds a key. Each request stands for itself, as today's
 * protocol has it; older clients get a session id with their `initialize`, which does nothing but separate one
 * session's spending from another's. Without one, a key's spending of the day is the session.
 */

import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Context, Hono } from 'hono';
import { utcDay } from '../../shared/clock.ts';
import { hex } from '../../shared/digest.ts';
import { failure } from '../../shared/errors.ts';
import { authenticate } from '../account/authenticate.ts';
import { ADDRESS_HEADER, clientAddress } from '../client-address.ts';
import { readText } from '../http/body.ts';
import type { HttpEnv } from '../http/call.ts';
import { plainProblem, problem } from '../http/respond.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import type { SpendSessionPort } from './spend-session.ts';
import { mcpServer, type SpendCap } from './tools.ts';
import { workerApi } from './worker-api.ts';

const MCP_PATH = '/mcp';
/** Sent by whoever configures the agent, beside its key: credits that a session may spend. */
const CAP_HEADER = 'packshot-spend-cap';
const SESSION_HEADER = 'mcp-session-id';
const VERSION = '1.0.0';

export type McpDeps = {
  readonly services: Services;
  readonly publicBaseUrl: string;
  readonly spendSessionOf: (name: string) => SpendSessionPort;
};

export const mcpRoutes = (app: Hono<HttpEnv>, deps: McpDeps): void => {
  app.post(MCP_PATH, (c) => serve(c, app, deps));
  app.all(MCP_PATH, (c) => plainProblem(failure('method_not_allowed'), c.get('call'), { Allow: 'POST' }));
};

const serve = async (c: Context<HttpEnv>, app: Hono<HttpEnv>, deps: McpDeps): Promise<Response> => {
  const call = c.get('call');
  const { services, publicBaseUrl } = deps;
  const authorization = c.req.header('authorization') ?? '';
  const address = clientAddress(c.req.raw.headers);
  const authenticated = await authenticate(services, { authorization, address });
  if (!authenticated.ok) return problem(authenticated.failure.failure, call);
  const cap = capOf(c.req.header(CAP_HEADER));
  if (cap === undefined)
    return problem(failure('invalid_request', `${CAP_HEADER} must be a number of credits, at most ${capMax}`), call);
  const text = await readText(
    c.req.raw,
    edgeLimits.mcp.bodyBytesMax,
    services.bodies.of(authenticated.value.accountId),
  );
  if (!text.ok) return problem(text.failure, call);
  const newKey = (): string => hex(services.randomBytes(16));
  const api = workerApi(
    (request) => app.fetch(request, c.env, c.executionCtx),
    publicBaseUrl,
    { authorization, ...(address && { [ADDRESS_HEADER]: address }) },
    () => `mcp-${newKey()}`,
  );
  const session = sessionOf(c, services.clock.nowMs());
  const spend = deps.spendSessionOf(`${authenticated.value.keyId}/${session}`);
  const handler = createMcpHandler(() => mcpServer({ api, cap: spendCap(spend, cap, newKey), version: VERSION }), {
    onerror: (error) => logEvent('warn', 'mcp_failed', { request_id: call.requestId, error: errorText(error) }),
  });
  const answer = await handler.fetch(new Request(c.req.raw.url, { ...requestOf(c), body: text.value }));
  if (!isInitialize(text.value)) return answer;
  const headers = new Headers(answer.headers);
  headers.set(SESSION_HEADER, newKey());
  return new Response(answer.body, { status: answer.status, headers });
};

const requestOf = (c: Context<HttpEnv>): RequestInit => ({ method: 'POST', headers: c.req.raw.headers });

const { spendCapDefault, spendCapMax: capMax } = edgeLimits.mcp;

/** Undefined where it is no number of credits. */
const capOf = (header: string | undefined): number | undefined => {
  if (header === undefined) return spendCapDefault;
  return /^\d{1,7}$/.test(header) && Number(header) <= capMax ? Number(header) : undefined;
};

const sessionOf = (c: Context<HttpEnv>, nowMs: number): string => {
  const given = c.req.header(SESSION_HEADER) ?? '';
  return /^[0-9a-f]{32}$/.test(given) ? given : utcDay(nowMs);
};

const isInitialize = (text: string): boolean => {
  try {
    return (JSON.parse(text) as { method?: unknown } | null)?.method === 'initialize';
  } catch {
    return false;
  }
};

const spendCap = (session: SpendSessionPort, cap: number, newKey: () => string): SpendCap => ({
  takeOne: async () => {
    const callId = newKey();
    const { taken, spent } = await session.takeOne(callId, cap);
    return taken ? { taken, giveBack: () => session.giveBack(callId) } : { taken, spent, cap };
  },
});
