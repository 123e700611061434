/**
 * Photos of a folder, sent by a page of the portal. The session names a key of its account, and what that key may do
 * holds: its scopes, its cap, its addresses. The bodies are those of the public API, and so are the answers.
 */
import { type Context, Hono } from 'hono';
import { failure } from '../../../shared/errors.ts';
import { isId, newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { routeScopes } from '../../../shared/scopes.ts';
import type { Caller } from '../../account/authenticate.ts';
import { uploadToFolder } from '../../folder/upload.ts';
import { authenticated } from '../../http/authenticated.ts';
import { declaredBytes } from '../../http/body.ts';
import { type Call, type HttpEnv, newCall } from '../../http/call.ts';
import { answerStatus, respond } from '../../http/respond.ts';
import { type Answer, failed } from '../../responses/answer.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';

type Env = { Bindings: HttpEnv['Bindings']; Variables: HttpEnv['Variables'] & PortalContext['Variables'] };

const POSITIONS = /^\d{1,4}(,\d{1,4})*$/;
/** Undefined for what no page of ours sends. */
const positionsOf = (text: string | undefined): readonly number[] | undefined => {
  if (!text || !POSITIONS.test(text)) return undefined;
  const positions = text.split(',').map(Number);
  const isUsable = positions.every((position) => position < limits.folders.photosMax);
  return isUsable && positions.length <= limits.upload.filesMax ? positions : undefined;
};

export const folderUploads = (deps: PortalDeps): Hono<Env> =>
  new Hono<Env>().post('/folders/:id/uploads', async (c) => {
    const { services, settings } = deps;
    const positions = positionsOf(c.req.query('positions'));
    const folderId = c.req.param('id');
    if (!positions || !isId('folder', folderId)) return refuse(400, 'invalid_request', 'positions is not usable.');
    const { accountId } = c.get('user');
    const folder = await (await accountOf(deps, c.get('user'))).folders.folder(folderId);
    if (!folder) return refuse(404, 'not_found', 'No such batch.');
    c.set('call', newCall(c.req.raw, services.clock.nowMs(), services.randomBytes, settings.publicBaseUrl));
    const work = async (caller: Caller, { requestId, traceparent }: Call): Promise<Answer> => {
      const bytes = declaredBytes(c.req.raw);
      if (bytes !== undefined && bytes > limits.upload.bodyBytesMax) return failed(failure('body_too_large'));
      return uploadToFolder(services, caller, {
        folderId,
        positions,
        isReplacement: c.req.query('replaces') === 'true',
        requestId,
        traceparent,
        batchId: newId('batch', services.clock.nowMs(), services.randomBytes),
        idempotencyKey: c.req.header('idempotency-key') ?? '',
        contentType: c.req.header('content-type') ?? '',
        body: c.req.raw.body,
        bytes,
      });
    };
    const dialect = {
      authorization: () => undefined,
      owner: { accountId, keyId: folder.keyId },
      respond,
      status: answerStatus,
    };
    // Hono's contexts are invariant in what they carry; this one carries a user besides.
    const callOf = c as unknown as Context<HttpEnv>;
    return authenticated(callOf, services, routeScopes.hero, work, c.get('call').requestId, dialect);
  });
