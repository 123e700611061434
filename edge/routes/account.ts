/** `GET /api/v1/account`: balance and price; `DELETE /api/v1/account/data`: everything but the ledger. */
import type { Hono } from 'hono';
import { paths } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import type { RecordAudit } from '../audit/record.ts';
import { auditDeed } from '../http/audit-deed.ts';
import { authenticated } from '../http/authenticated.ts';
import type { HttpEnv } from '../http/call.ts';
import type { Services } from '../ports.ts';
import { accountAnswer, erasureAnswer } from '../responses/account.ts';

export const accountRoutes = (app: Hono<HttpEnv>, services: Services, audit: RecordAudit): void => {
  app.delete(paths.accountData, (c) =>
    authenticated(c, services, routeScopes.accountData, async (caller, { requestId }) => {
      const answer = await erasureAnswer(caller, requestId);
      if (answer.kind !== 'failed') await auditDeed(audit, c, caller, 'data.deleted', 'everything');
      return answer;
    }),
  );
  app.get(paths.account, (c) =>
    authenticated(c, services, routeScopes.account, (caller, { requestId }) => accountAnswer(caller, requestId)),
  );
};
