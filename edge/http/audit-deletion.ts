/** A deletion by an API key, for the owner's audit log. */
import type { Context } from 'hono';
import type { Caller } from '../account/authenticate.ts';
import { clientOf, type RecordAudit } from '../audit/record.ts';
import type { HttpEnv } from './call.ts';

/** `what`: the id of a batch or an image, or `everything`. */
export const auditDeletion = (
  audit: RecordAudit,
  c: Context<HttpEnv>,
  { accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>,
  what: string,
): Promise<void> =>
  audit({
    of: { accountId },
    actor: 'key',
    action: 'data.deleted',
    subject: what,
    detail: `by ${keyId}`,
    client: clientOf(c.req.raw.headers),
  });
