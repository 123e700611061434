/** Secret keys and the webhooks' signing secret. A key is made here, answered once, and only its hash is kept. */
import { Hono } from 'hono';
import { z } from 'zod';
import { issueApiKey } from '../../../shared/api-key.ts';
import { limits } from '../../../shared/limits.ts';
import type { KeyCreated, KeyRow, WebhookSecret } from '../../../shared/portal-api.ts';
import type * as ledger from '../../account/port.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';
import { bodyOf } from '../read-body.ts';
import { timeOf } from '../time.ts';

const label = z.string().trim().min(1).max(limits.keys.labelCharsMax);
const creation = z.strictObject({ label, mode: z.enum(['live', 'test']) });
const renaming = z.strictObject({ label });

const rowOf = (key: ledger.KeyRow): KeyRow => ({
  key_id: key.keyId,
  mode: key.mode,
  label: key.label,
  masked: key.masked,
  created_at: timeOf(key.createdAtMs),
  last_used_at: timeOf(key.lastUsedAtMs),
  revoked_at: timeOf(key.revokedAtMs),
});
const secretOf = ({ secret, rotatedAtMs }: ledger.WebhookSecret): WebhookSecret => ({
  secret,
  rotated_at: timeOf(rotatedAtMs),
});

const NO_KEY = 'No such key.';

export const keyRoutes = (deps: PortalDeps): Hono<PortalContext> => {
  const { services } = deps;
  return new Hono<PortalContext>()
    .get('/keys', async (c) =>
      c.json({ keys: (await (await accountOf(deps, c.get('user'))).ledger.listKeys()).map(rowOf) }),
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
      const { ledger } = await accountOf(deps, user);
      const nowMs = services.clock.nowMs();
      const { secret, keyId, masked, hash } = await issueApiKey(body.mode, user.accountId, nowMs, services.randomBytes);
      const key = { keyId, mode: body.mode, label: body.label, masked };
      const { result } = await ledger.addKey({ ...key, hash });
      if (result === 'too_many_keys')
        return refuse(
          c,
          409,
          'too_many_keys',
          `An account has at most ${limits.keys.perAccountMax} keys. Revoke one first.`,
        );
      if (result !== 'added') throw new Error(`the key was not added: ${result}`);
      return c.json(
        {
          key: rowOf({ ...key, createdAtMs: nowMs, lastUsedAtMs: null, revokedAtMs: null }),
          secret,
        } satisfies KeyCreated,
        201,
      );
    })
    .patch('/keys/:id', async (c) => {
      const body = await bodyOf(c, renaming);
      if (!body)
        return refuse(c, 400, 'invalid_request', `A label of 1 to ${limits.keys.labelCharsMax} characters is needed.`);
      const { ledger } = await accountOf(deps, c.get('user'));
      const { result } = await ledger.renameKey(c.req.param('id'), body.label);
      return result === 'renamed' ? c.json({ renamed: true }) : refuse(c, 404, 'not_found', NO_KEY);
    })
    .post('/keys/:id/revoke', async (c) => {
      const { ledger } = await accountOf(deps, c.get('user'));
      const { result } = await ledger.revokeKey(c.req.param('id'));
      return result === 'unknown_key' ? refuse(c, 404, 'not_found', NO_KEY) : c.json({ revoked: true });
    })
    .get('/webhook-secret', async (c) =>
      c.json(secretOf(await (await accountOf(deps, c.get('user'))).ledger.webhookSecret())),
    )
    .post('/webhook-secret/rotate', async (c) =>
      c.json(secretOf(await (await accountOf(deps, c.get('user'))).ledger.rotateWebhookSecret())),
    );
};
