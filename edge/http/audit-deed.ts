/** What an API key did to its account, for the owner's audit log. */
import type { Context } from 'hono';
import type { Caller } from '../account/authenticate.ts';
import { type AuditAction, clientOf, type RecordAudit } from '../audit/record.ts';
import type { HttpEnv } from './call.ts';

type Deed = {
  readonly action: AuditAction;
  /** The id of a batch, an image or a key, or `everything`. */
  readonly subject?: string;
  /** For people. */
  readonly detail?: string;
};

export const auditDeed = (
  audit: RecordAudit,
  c: Context<HttpEnv>,
  { accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>,
  { detail, ...deed }: Deed,
): Promise<void> =>
  audit({
    of: { accountId },
    actor: 'key',
    ...deed,
    detail: detail === undefined ? `by ${keyId}` : `${detail}, by ${keyId}`,
    client: clientOf(c.req.raw.headers),
  });
