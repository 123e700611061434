/** `/api/v1/keys`: an `admin` key lists, makes, changes, rolls and revokes keys of its account. */
import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { keyChangeSchema, keyCreationSchema, keyRollSchema } from '../../shared/key-api.ts';
import { paths } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import type { Caller } from '../account/authenticate.ts';
import { createKey, rollKey } from '../account/create.ts';
import { readGrants } from '../account/keys/read-grants.ts';
import { authenticated } from '../http/authenticated.ts';
import { readJson } from '../http/body.ts';
import type { HttpEnv } from '../http/call.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { keyChangedAnswer, keyListAnswer, keyRevokedAnswer, keySecretAnswer } from '../responses/keys.ts';

const HOUR_MS = 3_600_000;

export const keyRoutes = (app: Hono<HttpEnv>, services: Services): void => {
  app.get(paths.keys, (c) =>
    authenticated(c, services, routeScopes.keys, async ({ account }, { requestId }) =>
      keyListAnswer(await account.keys.listKeys(), requestId),
    ),
  );
  app.post(paths.keys, (c) =>
    authenticated(c, services, routeScopes.keys, (caller, { requestId }) => make(c, services, caller, requestId)),
  );
  app.patch(paths.key, (c) =>
    authenticated(c, services, routeScopes.key, (caller, { requestId }) => change(c, services, caller, requestId)),
  );
  app.post(paths.keyRoll, (c) =>
    authenticated(c, services, routeScopes.keyRoll, (caller, { requestId }) => roll(c, services, caller, requestId)),
  );
  app.post(paths.keyRevoke, (c) =>
    authenticated(c, services, routeScopes.keyRevoke, (caller, { requestId }) => revoke(keyIdOf(c), caller, requestId)),
  );
};

const keyIdOf = (c: Context<HttpEnv>): string => c.req.param('key_id') ?? '';

const note = (event: string, caller: Caller, keyId: string, { kind }: Answer): void =>
  logEvent('info', event, {
    account_id: caller.accountId,
    by: caller.keyId,
    key_id: keyId,
    is_done: kind !== 'failed',
  });

const withBody = async <T>(
  c: Context<HttpEnv>,
  schema: z.ZodType<T>,
  work: (body: T) => Promise<Answer>,
): Promise<Answer> => {
  const body = await readJson(c.req.raw, schema, edgeLimits.keys.bodyBytesMax);
  return body.ok ? work(body.value) : failed(body.failure);
};

const make = (c: Context<HttpEnv>, services: Services, caller: Caller, requestId: string): Promise<Answer> =>
  withBody(c, keyCreationSchema, async ({ label, mode, ...asked }) => {
    const grants = readGrants(asked, services.clock.nowMs());
    if (!grants.ok) return failed(grants.failure);
    const wanted = { mode, label, grants: grants.value, by: caller.keyId };
    const created = await createKey(services, caller.accountId, wanted);
    const answer = keySecretAnswer(created, requestId);
    note('key_created', caller, created.result === 'added' ? created.key.keyId : '', answer);
    return answer;
  });

const change = (c: Context<HttpEnv>, services: Services, caller: Caller, requestId: string): Promise<Answer> =>
  withBody(c, keyChangeSchema, async ({ label, ...asked }) => {
    const grants = readGrants(asked, services.clock.nowMs());
    if (!grants.ok) return failed(grants.failure);
    const { keys } = caller.account;
    const changed = await keys.changeKey(keyIdOf(c), { label, grants: grants.value }, caller.keyId);
    const answer = keyChangedAnswer(changed, requestId);
    note('key_changed', caller, keyIdOf(c), answer);
    return answer;
  });

const roll = (c: Context<HttpEnv>, services: Services, caller: Caller, requestId: string): Promise<Answer> =>
  withBody(c, keyRollSchema, async ({ overlap_hours }) => {
    const overlapMs = Math.round(overlap_hours * HOUR_MS);
    const rolled = await rollKey(services, caller.accountId, keyIdOf(c), overlapMs, caller.keyId);
    const answer = keySecretAnswer(rolled, requestId);
    note('key_rolled', caller, keyIdOf(c), answer);
    return answer;
  });

const revoke = async (keyId: string, caller: Caller, requestId: string): Promise<Answer> => {
  const { keys } = caller.account;
  const revoked = await keys.revokeKey(keyId, caller.keyId);
  const key = (await keys.listKeys()).find((row) => row.keyId === keyId);
  const answer = keyRevokedAnswer(revoked, key, requestId);
  note('key_revoked', caller, keyId, answer);
  return answer;
};
