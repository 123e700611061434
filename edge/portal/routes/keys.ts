/** Secret keys and the webhooks' signing secret. A key is made here, answered once, and only its hash is kept. */
import { Hono } from 'hono';
import { z } from 'zod';
import { limits } from '../../../shared/limits.ts';
import type { KeyCreated, KeyRow, WebhookSecret } from '../../../shared/portal-api.ts';
import { createKey } from '../../account/create.ts';
import type * as account from '../../account/keys/port.ts';
import type * as webhook from '../../account/webhook-secret/port.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';
import { bodyOf } from '../read-body.ts';
import { timeOf } from '../time.ts';

const label = z.string().trim().min(1).max(limits.keys.labelCharsMax);
const creation = z.strictObject({ label, mode: z.enum(['live', 'test']) });
const renaming = z.strictObject({ label });

const rowOf = (key: account.KeyRow): KeyRow => ({
  key_id: key.keyId,
  mode: key.mode,
  label: key.label,
  masked: key.masked,
  created_at: timeOf(key.createdAtMs),
  last_used_at: timeOf(key.lastUsedAtMs),
  revoked_at: timeOf(key.revokedAtMs),
});
const secretOf = ({ secret, rotatedAtMs }: webhook.WebhookSecret): WebhookSecret => ({
  secret,
  rotated_at: timeOf(rotatedAtMs),
});

const NO_KEY = 'No such key.';

export const keyRoutes = (deps: PortalDeps): Hono<PortalContext> => {
  const { services } = deps;
  return new Hono<PortalContext>()
    .get('/keys', async (c) =>
      c.json({ keys: (await (await accountOf(deps, c.get('user'))).keys.listKeys()).map(rowOf) }),
    )
    .post('/keys', async (c) => {
      const body = await bodyOf(c, creation);
      if (!body)
        return refuse(
          c,
          400,
          'invalid_request',
          `A label of 1 to ${limits.keys.labelCharsMax} characters and a mode are needed.`,
        );
      const user = c.get('user');
      await accountOf(deps, user);
      const created = await createKey(services, user.accountId, body.mode, body.label);
      if (created.result === 'too_many_keys')
        return refuse(
          c,
          409,
          'too_many_keys',
          `An account has at most ${limits.keys.perAccountMax} keys. Revoke one first.`,
        );
      if (created.result !== 'added') throw new Error(`the key was not added: ${created.result}`);
      return c.json({ key: rowOf(created.key), secret: created.apiKey } satisfies KeyCreated, 201);
    })
    .patch('/keys/:id', async (c) => {
      const body = await bodyOf(c, renaming);
      if (!body)
        return refuse(c, 400, 'invalid_request', `A label of 1 to ${limits.keys.labelCharsMax} characters is needed.`);
      const { keys } = await accountOf(deps, c.get('user'));
      const { result } = await keys.renameKey(c.req.param('id'), body.label);
      return result === 'renamed' ? c.json({ renamed: true }) : refuse(c, 404, 'not_found', NO_KEY);
    })
    .post('/keys/:id/revoke', async (c) => {
      const { keys } = await accountOf(deps, c.get('user'));
      const { result } = await keys.revokeKey(c.req.param('id'));
      return result === 'unknown_key' ? refuse(c, 404, 'not_found', NO_KEY) : c.json({ revoked: true });
    })
    .get('/webhook-secret', async (c) =>
      c.json(secretOf(await (await accountOf(deps, c.get('user'))).webhookSecret.webhookSecret())),
    )
    .post('/webhook-secret/rotate', async (c) =>
      c.json(secretOf(await (await accountOf(deps, c.get('user'))).webhookSecret.rotateWebhookSecret())),
    );
};
