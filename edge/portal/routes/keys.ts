/** Secret keys and the webhooks' signing secret. A key is made here, answered once, and only its hash is kept. */
import { type Context, Hono } from 'hono';
import { keyChangeSchema, keyCreationSchema, keyRollSchema, overlapMsOf } from '../../../shared/key-api.ts';
import { limits } from '../../../shared/limits.ts';
import type { KeyCreated, WebhookSecret } from '../../../shared/portal-api.ts';
import { createKey, rollKey } from '../../account/create.ts';
import type { KeyRow as StoredKey } from '../../account/keys/port.ts';
import { readGrants } from '../../account/keys/read-grants.ts';
import type { WebhookSecret as StoredSecret } from '../../account/webhook-secret/port.ts';
import { apiKeyOf } from '../../responses/keys.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';
import { ownerDid } from '../owner-did.ts';
import { refusedMeanwhile } from '../permissions.ts';
import { bodyOf } from '../read-body.ts';
import { timeOf } from '../time.ts';

const { labelCharsMax, perAccountMax } = limits.keys;

const secretOf = ({ secret, rotatedAtMs }: StoredSecret): WebhookSecret => ({
  secret,
  rotated_at: timeOf(rotatedAtMs),
});

const noKey = (): Response => refuse(404, 'not_found', 'No such key.');
const invalid = (detail: string): Response => refuse(400, 'invalid_request', detail);
const ended = (): Response => refuse(409, 'key_not_usable', 'The key was revoked or has expired.');

export const keyRoutes = (deps: PortalDeps): Hono<PortalContext> => {
  const account = (c: Context<PortalContext>) => accountOf(deps, c.get('user'));
  return new Hono<PortalContext>()
    .get('/keys', async (c) => c.json({ keys: (await (await account(c)).keys.listKeys()).map(apiKeyOf) }))
    .post('/keys', (c) => makeKey(c, deps))
    .patch('/keys/:id', (c) => changeKey(c, deps))
    .post('/keys/:id/roll', (c) => roll(c, deps))
    .post('/keys/:id/revoke', async (c) => {
      const keyId = c.req.param('id');
      const { result } = await (await account(c)).keys.revokeKey(keyId);
      if (result === 'unknown_key') return noKey();
      if (result === 'revoked')
        await ownerDid(
          deps,
          c,
          { action: 'keys.revoked', subject: keyId },
          { subject: 'A key was revoked', what: `The API key ${keyId} of your packshot account was revoked.` },
        );
      return c.json({ revoked: true });
    })
    .get('/webhook-secret', async (c) => c.json(secretOf(await (await account(c)).webhookSecret.webhookSecret())))
    .post('/webhook-secret/rotate', async (c) => {
      const secret = secretOf(await (await account(c)).webhookSecret.rotateWebhookSecret());
      await ownerDid(
        deps,
        c,
        { action: 'keys.webhook_secret_rotated' },
        {
          subject: 'Your webhook secret was changed',
          what: 'The signing secret of your webhooks was replaced by a new one.',
        },
      );
      return c.json(secret);
    });
};

const makeKey = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, keyCreationSchema);
  if (!body) return invalid(`A label of 1 to ${labelCharsMax} characters and a mode are needed.`);
  const { label, mode, ...asked } = body;
  const grants = readGrants(asked, deps.services.clock.nowMs());
  if (!grants.ok) return invalid(grants.failure.detail);
  const user = c.get('user');
  await accountOf(deps, user);
  const created = await createKey(deps.services, user.accountId, { mode, label, grants: grants.value });
  if (created.result === 'too_many_keys')
    return refuse(409, 'too_many_keys', `An account has at most ${perAccountMax} keys. Revoke one first.`);
  if (created.result !== 'added') throw new Error(`the key was not added: ${created.result}`);
  const { keyId } = created.key;
  await ownerDid(
    deps,
    c,
    { action: 'keys.made', subject: keyId, detail: `${mode}: ${label}` },
    {
      subject: 'A key was made',
      what: `An API key (${mode}, "${label}", ${keyId}) was made for your packshot account.`,
    },
  );
  // Noted first: whoever removed the member meanwhile is told of the key, or nobody is given it.
  const late = await refusedMeanwhile(c, deps, 'keys');
  if (late) {
    await deps.services.accountOf(user.accountId).keys.revokeKey(keyId);
    return late;
  }
  return c.json({ key: apiKeyOf(created.key), secret: created.apiKey } satisfies KeyCreated, 201);
};

const changeKey = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, keyChangeSchema);
  if (!body) return invalid(`A label of 1 to ${labelCharsMax} characters is needed, and at least one permission.`);
  const { label, ...asked } = body;
  const grants = readGrants(asked, deps.services.clock.nowMs());
  if (!grants.ok) return invalid(grants.failure.detail);
  const { keys } = await accountOf(deps, c.get('user'));
  const keyId = c.req.param('id') ?? '';
  const before = (await keys.listKeys()).find((key) => key.keyId === keyId);
  const changed = await keys.changeKey(keyId, { label, grants: grants.value });
  if (changed.result !== 'changed') return changed.result === 'not_usable' ? ended() : noKey();
  const isLimitedOtherwise = before !== undefined && limitsOf(before) !== limitsOf(changed.key);
  await ownerDid(
    deps,
    c,
    { action: 'keys.changed', subject: keyId, detail: label ?? changed.key.label },
    isLimitedOtherwise
      ? {
          subject: 'A key was changed',
          what: `What the API key ${keyId} of your packshot account may do was changed.`,
        }
      : undefined,
  );
  return c.json({ key: apiKeyOf(changed.key) });
};

/** To compare: a new label alone is no news. */
const limitsOf = ({ scopes, expiresAtMs, allowedIps, creditsPerDayMax }: StoredKey): string =>
  JSON.stringify([scopes, expiresAtMs, allowedIps, creditsPerDayMax]);

const roll = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, keyRollSchema);
  if (!body) return invalid('The overlap is 0 to 168 hours.');
  const user = c.get('user');
  const rolled = await rollKey(deps.services, user.accountId, c.req.param('id') ?? '', overlapMsOf(body));
  if (rolled.result !== 'rolled') return rolled.result === 'not_usable' ? ended() : noKey();
  await ownerDid(
    deps,
    c,
    { action: 'keys.rolled', subject: rolled.key.keyId },
    {
      subject: 'A key has a new secret',
      what: `The API key ${rolled.key.keyId} of your packshot account was given another secret.`,
    },
  );
  const late = await refusedMeanwhile(c, deps, 'keys');
  if (late) return late;
  return c.json({ key: apiKeyOf(rolled.key), secret: rolled.apiKey } satisfies KeyCreated);
};
