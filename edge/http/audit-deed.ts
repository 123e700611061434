/** What an API key did to its account, for the owner's audit log. */
import type { Context } from 'hono';
import type { Caller } from '../account/authenticate.ts';
import { type AuditAction, clientOf, type RecordAudit } from '../audit/record.ts';
import type { HttpEnv } from './call.ts';

/** `subject`: the id of a batch, an image or a key, or `everything`. */
export const auditDeed = (
  audit: RecordAudit,
  c: Context<HttpEnv>,
  { accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>,
  action: AuditAction,
  subject: string,
): Promise<void> =>
  audit({
    of: { accountId },
    actor: 'key',
    action,
    subject,
    detail: `by ${keyId}`,
    client: clientOf(c.req.raw.headers),
  });
