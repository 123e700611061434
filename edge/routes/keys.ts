/** `/api/v1/keys`: an `admin` key lists, makes, changes, rolls and revokes keys of its account. */
import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { keyChangeSchema, keyCreationSchema, keyRollSchema, overlapMsOf } from '../../shared/key-api.ts';
import { paths } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import type { Caller } from '../account/authenticate.ts';
import { createKey, rollKey } from '../account/create.ts';
import { readGrants } from '../account/keys/read-grants.ts';
import type { RecordAudit } from '../audit/record.ts';
import { auditDeed } from '../http/audit-deed.ts';
import { authenticated } from '../http/authenticated.ts';
import { readJson } from '../http/body.ts';
import type { HttpEnv } from '../http/call.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { keyChangedAnswer, keyListAnswer, keyRevokedAnswer, keySecretAnswer } from '../responses/keys.ts';

type KeyRouteDeps = { readonly services: Services; readonly audit: RecordAudit };

export const keyRoutes = (app: Hono<HttpEnv>, deps: KeyRouteDeps): void => {
  const { services } = deps;
  app.get(paths.keys, (c) =>
    authenticated(c, services, routeScopes.keys, async ({ account }, { requestId }) =>
      keyListAnswer(await account.keys.listKeys(), requestId),
    ),
  );
  app.post(paths.keys, (c) =>
    authenticated(c, services, routeScopes.keys, (caller, { requestId }) => make(c, deps, caller, requestId)),
  );
  app.patch(paths.key, (c) =>
    authenticated(c, services, routeScopes.key, (caller, { requestId }) => change(c, deps, caller, requestId)),
  );
  app.post(paths.keyRoll, (c) =>
    authenticated(c, services, routeScopes.keyRoll, (caller, { requestId }) => roll(c, deps, caller, requestId)),
  );
  app.post(paths.keyRevoke, (c) =>
    authenticated(c, services, routeScopes.keyRevoke, (caller, { requestId }) => revoke(c, deps, caller, requestId)),
  );
};

const keyIdOf = (c: Context<HttpEnv>): string => c.req.param('key_id') ?? '';

type Deed = { readonly action: 'keys.made' | 'keys.changed' | 'keys.rolled' | 'keys.revoked'; readonly keyId: string };

/** For the owner's audit log, where it was done, and for our own log in any case. */
const note = async (
  c: Context<HttpEnv>,
  { audit }: KeyRouteDeps,
  caller: Caller,
  { action, keyId }: Deed,
  { kind }: Answer,
): Promise<void> => {
  const isDone = kind !== 'failed';
  logEvent('info', action, { account_id: caller.accountId, by: caller.keyId, key_id: keyId, is_done: isDone });
  if (isDone) await auditDeed(audit, c, caller, { action, subject: keyId });
};

const withBody = async <T>(
  c: Context<HttpEnv>,
  { services }: KeyRouteDeps,
  { accountId }: Caller,
  schema: z.ZodType<T>,
  work: (body: T) => Promise<Answer>,
): Promise<Answer> => {
  const body = await readJson(c.req.raw, schema, edgeLimits.keys.bodyBytesMax, services.bodies.of(accountId));
  return body.ok ? work(body.value) : failed(body.failure);
};

const make = (c: Context<HttpEnv>, deps: KeyRouteDeps, caller: Caller, requestId: string): Promise<Answer> =>
  withBody(c, deps, caller, keyCreationSchema, async ({ label, mode, ...asked }) => {
    const grants = readGrants(asked, deps.services.clock.nowMs());
    if (!grants.ok) return failed(grants.failure);
    const wanted = { mode, label, grants: grants.value, by: caller.keyId };
    const created = await createKey(deps.services, caller.accountId, wanted);
    const answer = keySecretAnswer(created, requestId);
    const keyId = created.result === 'added' ? created.key.keyId : '';
    await note(c, deps, caller, { action: 'keys.made', keyId }, answer);
    return answer;
  });

const change = (c: Context<HttpEnv>, deps: KeyRouteDeps, caller: Caller, requestId: string): Promise<Answer> =>
  withBody(c, deps, caller, keyChangeSchema, async ({ label, ...asked }) => {
    const grants = readGrants(asked, deps.services.clock.nowMs());
    if (!grants.ok) return failed(grants.failure);
    const { keys } = caller.account;
    const changed = await keys.changeKey(keyIdOf(c), { label, grants: grants.value }, caller.keyId);
    const answer = keyChangedAnswer(changed, requestId);
    await note(c, deps, caller, { action: 'keys.changed', keyId: keyIdOf(c) }, answer);
    return answer;
  });

const roll = (c: Context<HttpEnv>, deps: KeyRouteDeps, caller: Caller, requestId: string): Promise<Answer> =>
  withBody(c, deps, caller, keyRollSchema, async (body) => {
    const rolled = await rollKey(deps.services, caller.accountId, keyIdOf(c), overlapMsOf(body), caller.keyId);
    const answer = keySecretAnswer(rolled, requestId);
    await note(c, deps, caller, { action: 'keys.rolled', keyId: keyIdOf(c) }, answer);
    return answer;
  });

const revoke = async (c: Context<HttpEnv>, deps: KeyRouteDeps, caller: Caller, requestId: string): Promise<Answer> => {
  const keyId = keyIdOf(c);
  const { keys } = caller.account;
  const revoked = await keys.revokeKey(keyId, caller.keyId);
  const key = (await keys.listKeys()).find((row) => row.keyId === keyId);
  const answer = keyRevokedAnswer(revoked, key, requestId);
  await note(c, deps, caller, { action: 'keys.revoked', keyId }, answer);
  return answer;
};
