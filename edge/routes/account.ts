/**
 * `GET /api/v1/account`: balance and price; `PATCH /api/v1/account/retention`: how long files are kept; `DELETE
 * /api/v1/account/data`: everything but the ledger.
 */
import type { Context, Hono } from 'hono';
import { retentionChangeSchema } from '../../shared/api.ts';
import { paths } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import type { Caller } from '../account/authenticate.ts';
import { retentionText } from '../account/data-port.ts';
import type { RecordAudit } from '../audit/record.ts';
import { auditDeed } from '../http/audit-deed.ts';
import { authenticated } from '../http/authenticated.ts';
import { readJson } from '../http/body.ts';
import type { HttpEnv } from '../http/call.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import { accountAnswer, erasureAnswer, retentionAnswer } from '../responses/account.ts';
import { type Answer, failed } from '../responses/answer.ts';

export const accountRoutes = (app: Hono<HttpEnv>, services: Services, audit: RecordAudit): void => {
  app.delete(paths.accountData, (c) =>
    authenticated(c, services, routeScopes.accountData, async (caller, { requestId }) => {
      const answer = await erasureAnswer(caller, requestId);
      if (answer.kind !== 'failed')
        await auditDeed(audit, c, caller, { action: 'data.deleted', subject: 'everything' });
      return answer;
    }),
  );
  app.patch(paths.accountRetention, (c) =>
    authenticated(c, services, routeScopes.accountRetention, (caller, { requestId }) =>
      keepFor(c, { services, audit }, caller, requestId),
    ),
  );
  app.get(paths.account, (c) =>
    authenticated(c, services, routeScopes.account, (caller, { requestId }) => accountAnswer(caller, requestId)),
  );
};

const keepFor = async (
  c: Context<HttpEnv>,
  { services, audit }: { readonly services: Services; readonly audit: RecordAudit },
  caller: Caller,
  requestId: string,
): Promise<Answer> => {
  const openRoom = services.bodies.of(caller.accountId);
  const body = await readJson(c.req.raw, retentionChangeSchema, edgeLimits.account.bodyBytesMax, openRoom);
  if (!body.ok) return failed(body.failure);
  const { retention_days: days } = body.value;
  await caller.account.data.setRetention(days);
  await auditDeed(audit, c, caller, { action: 'data.retention_changed', detail: retentionText(days) });
  return retentionAnswer(days, requestId);
};
