/** Secret keys and the webhooks' signing secret. A key is made here, answered once, and only its hash is kept. */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { limits } from '../../../shared/limits.ts';
import type { KeyCreated, KeyRow, WebhookSecret } from '../../../shared/portal-api.ts';
import { createKey } from '../../account/create.ts';
import type { KeyRow as StoredKey } from '../../account/keys/port.ts';
import type { WebhookSecret as StoredSecret } from '../../account/webhook-secret/port.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';
import { bodyOf } from '../read-body.ts';
import { tellOwner } from '../tell-owner.ts';
import { timeOf } from '../time.ts';

const { labelCharsMax, perAccountMax } = limits.keys;
const label = z.string().trim().min(1).max(labelCharsMax);
const creation = z.strictObject({ label, mode: z.enum(['live', 'test']) });
const renaming = z.strictObject({ label });

const rowOf = (key: StoredKey): KeyRow => ({
  key_id: key.keyId,
  mode: key.mode,
  label: key.label,
  masked: key.masked,
  created_at: timeOf(key.createdAtMs),
  last_used_at: timeOf(key.lastUsedAtMs),
  revoked_at: timeOf(key.revokedAtMs),
});
const secretOf = ({ secret, rotatedAtMs }: StoredSecret): WebhookSecret => ({
  secret,
  rotated_at: timeOf(rotatedAtMs),
});

const noKey = (): Response => refuse(404, 'not_found', 'No such key.');

export const keyRoutes = (deps: PortalDeps): Hono<PortalContext> => {
  const account = (c: Context<PortalContext>) => accountOf(deps, c.get('user'));
  const tell = (c: Context<PortalContext>, subject: string, what: string) =>
    tellOwner(deps, c.get('user'), subject, what);
  return new Hono<PortalContext>()
    .get('/keys', async (c) => c.json({ keys: (await (await account(c)).keys.listKeys()).map(rowOf) }))
    .post('/keys', (c) => makeKey(c, deps))
    .patch('/keys/:id', async (c) => {
      const body = await bodyOf(c, renaming);
      if (!body) return refuse(400, 'invalid_request', `A label of 1 to ${labelCharsMax} characters is needed.`);
      const { result } = await (await account(c)).keys.renameKey(c.req.param('id'), body.label);
      return result === 'renamed' ? c.json({ renamed: true }) : noKey();
    })
    .post('/keys/:id/revoke', async (c) => {
      const keyId = c.req.param('id');
      const { result } = await (await account(c)).keys.revokeKey(keyId);
      if (result === 'unknown_key') return noKey();
      if (result === 'revoked')
        await tell(c, 'A key was revoked', `The API key ${keyId} of your packshot account was revoked.`);
      return c.json({ revoked: true });
    })
    .get('/webhook-secret', async (c) => c.json(secretOf(await (await account(c)).webhookSecret.webhookSecret())))
    .post('/webhook-secret/rotate', async (c) => {
      const secret = secretOf(await (await account(c)).webhookSecret.rotateWebhookSecret());
      await tell(
        c,
        'Your webhook secret was changed',
        'The signing secret of your webhooks was replaced by a new one.',
      );
      return c.json(secret);
    });
};

const makeKey = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, creation);
  if (!body)
    return refuse(400, 'invalid_request', `A label of 1 to ${labelCharsMax} characters and a mode are needed.`);
  const user = c.get('user');
  await accountOf(deps, user);
  const created = await createKey(deps.services, user.accountId, body.mode, body.label);
  if (created.result === 'too_many_keys')
    return refuse(409, 'too_many_keys', `An account has at most ${perAccountMax} keys. Revoke one first.`);
  if (created.result !== 'added') throw new Error(`the key was not added: ${created.result}`);
  const { keyId } = created.key;
  await tellOwner(
    deps,
    user,
    'A key was made',
    `An API key (${body.mode}, "${body.label}", ${keyId}) was made for your packshot account.`,
  );
  return c.json({ key: rowOf(created.key), secret: created.apiKey } satisfies KeyCreated, 201);
};
