/**
 * Local mode only: accounts and keys for one's own machine, and the ledger for the tests that audit it. Guarded by
 * LOCAL_ADMIN_TOKEN.
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { failure } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import { keyCreationSchema } from '../../shared/key-api.ts';
import { limits } from '../../shared/limits.ts';
import { type CreateDeps, createKey, openAccount } from '../account/create.ts';
import { readGrants } from '../account/keys/read-grants.ts';
import type { LedgerPort } from '../account/ledger/port.ts';
import type { Entry } from '../account/ledger/types.ts';
import type { AccountParts } from '../account/port.ts';
import type { AuditAction, RecordAudit } from '../audit/record.ts';
import { readJson } from '../http/body.ts';
import type { HttpEnv } from '../http/call.ts';
import { plain, problem } from '../http/respond.ts';
import { edgeLimits } from '../limits.ts';

export type LocalAdminDeps = CreateDeps & { readonly token: string; readonly audit: RecordAudit };

const label = z.string().max(limits.keys.labelCharsMax).default('local');
const accountBody = z.strictObject({ credits: z.number().int().nonnegative().default(0), label });
const keyBody = keyCreationSchema.extend({ label });

export const localAdminRoutes = (app: Hono<HttpEnv>, deps: LocalAdminDeps): void => {
  const base = '/api/local/accounts';
  app.use('/api/local/*', async (c, next) => {
    if (c.req.header('authorization') !== `Bearer ${deps.token}`)
      return problem(failure('key_unknown', 'The local admin token is wrong'), c.get('call'));
    return next();
  });
  app.post(base, (c) => withBody(c, accountBody, (body) => newAccount(deps, body)));
  app.post(`${base}/:account_id/keys`, (c) => withBody(c, keyBody, (body) => newKey(c, deps, body)));
  app.delete(`${base}/:account_id/keys/:key_id`, async (c) => {
    const keyId = c.req.param('key_id');
    const reply = await accountOf(c, deps).keys.revokeKey(keyId);
    if (reply.result === 'revoked') await note(deps, c.req.param('account_id'), 'operator.key_revoked', keyId);
    return plain(reply);
  });
  app.get(`${base}/:account_id/ledger`, async (c) => {
    await note(deps, c.req.param('account_id'), 'operator.ledger_read');
    return plain(await wholeLedger(accountOf(c, deps).ledger));
  });
};

/** The account's owner sees who but themselves was at it. */
const note = ({ audit }: LocalAdminDeps, accountId: string, action: AuditAction, subject?: string): Promise<void> =>
  audit({ of: { accountId }, actor: 'operator', action, ...(subject === undefined ? {} : { subject }) });

const withBody = async <T>(
  c: Context<HttpEnv>,
  schema: z.ZodType<T>,
  work: (body: T) => Promise<Response>,
): Promise<Response> => {
  const body = await readJson(c.req.raw, schema, edgeLimits.localAdmin.bodyBytesMax);
  return body.ok ? work(body.value) : problem(body.failure, c.get('call'));
};

const accountOf = (c: Context<HttpEnv>, deps: LocalAdminDeps): AccountParts => {
  const accountId = c.req.param('account_id') ?? '';
  return deps.accountOf(isId('account', accountId) ? accountId : 'unknown');
};

const newAccount = async (deps: LocalAdminDeps, body: z.infer<typeof accountBody>): Promise<Response> => {
  const accountId = await openAccount(deps, body.label, body.credits, 'local');
  const key = await createKey(deps, accountId, { mode: 'live', label: body.label });
  if (key.result !== 'added') throw new Error(`the key was not added: ${key.result}`);
  await note(deps, accountId, 'operator.account_opened');
  return plain({ account_id: accountId, key_id: key.key.keyId, api_key: key.apiKey }, true);
};

const newKey = async (c: Context<HttpEnv>, deps: LocalAdminDeps, body: z.infer<typeof keyBody>): Promise<Response> => {
  const { mode, label, ...asked } = body;
  const grants = readGrants(asked, deps.clock.nowMs());
  if (!grants.ok) return problem(grants.failure, c.get('call'));
  const accountId = c.req.param('account_id') ?? '';
  const key = await createKey(deps, accountId, { mode, label, grants: grants.value });
  if (key.result !== 'added')
    return problem(failure('not_found', 'No such account, or it has as many keys as it may'), c.get('call'));
  await note(deps, accountId, 'operator.key_made', key.key.keyId);
  return plain({ key_id: key.key.keyId, api_key: key.apiKey }, true);
};

/** Oldest first. */
const wholeLedger = async (ledger: LedgerPort) => {
  const entries: Entry[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await ledger.entries({ cursor });
    entries.push(...page.rows);
    cursor = page.next;
    if (cursor === null || entries.length >= edgeLimits.localAdmin.ledgerRowsMax) break;
  }
  return { totals: await ledger.summary(), holds: await ledger.holds(), entries: entries.reverse() };
};
