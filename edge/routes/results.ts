/** `GET /api/v1/batches/{batch_id}/results.zip` and `.csv`: all of a batch in one file. */
import type { Context, Hono } from 'hono';
import { failure } from '../../shared/errors.ts';
import { paths } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import type { Snapshot } from '../batch/port.ts';
import { batchOfKey } from '../batch/status.ts';
import { authenticated } from '../http/authenticated.ts';
import type { HttpEnv } from '../http/call.ts';
import { answerStatus, attachment, respond } from '../http/respond.ts';
import type { Services } from '../ports.ts';
import { failed } from '../responses/answer.ts';
import { archiveName, archivePart, archiveStream, partOf } from '../results/archive.ts';
import { resultSlots, type ShownImage } from '../results/files.ts';
import { resultsCsv } from '../results/table.ts';

/** What is sent in place of JSON; undefined where the request asks for what is not there. */
type File = { readonly name: string; readonly type: 'zip' | 'csv'; readonly body: ReadableStream<Uint8Array> | string };
type Maker = (c: Context<HttpEnv>, services: Services, batch: Snapshot) => Promise<File | undefined>;

export const resultRoutes = (app: Hono<HttpEnv>, services: Services): void => {
  app.get(paths.batchZip, (c) => send(c, services, zipOf));
  app.get(paths.batchCsv, (c) => send(c, services, csvOf));
};

const send = (c: Context<HttpEnv>, services: Services, make: Maker): Promise<Response> => {
  let file: File | undefined;
  return authenticated(
    c,
    services,
    routeScopes.batchZip,
    async (caller) => {
      const batch = await batchOfKey(services, caller, c.req.param('batch_id') ?? '');
      if (!batch.ok) return failed(batch.failure);
      file = await make(c, services, batch.value);
      if (!file) return failed(failure('invalid_request', 'part is not the number of an archive of this batch'));
      return { kind: 'empty', batchId: batch.value.batchId };
    },
    undefined,
    {
      authorization: () => c.req.header('authorization'),
      respond: (answer, facts) =>
        answer.kind === 'failed' || !file ? respond(answer, facts) : attachment(file, file.body, facts),
      status: (answer) => (answer.kind === 'failed' ? answerStatus(answer) : 200),
    },
  );
};

const imagesOf = (batch: Snapshot): ShownImage[] => batch.images.map((image) => ({ batch, image }));

const zipOf: Maker = async (c, services, batch) => {
  const archive = archivePart(resultSlots(imagesOf(batch), services.clock.nowMs()), partOf(c.req.query('part')));
  if (!archive) return undefined;
  const name = archiveName(`packshot-${batch.batchId}`, archive);
  // Hono answers HEAD with the GET route, whose body nobody reads.
  if (c.req.method === 'HEAD') return { name, type: 'zip', body: '' };
  const body = archiveStream(services, archive, (work) => c.executionCtx.waitUntil(work));
  return { name, type: 'zip', body };
};

const csvOf: Maker = async (_c, services, batch) => ({
  name: `packshot-${batch.batchId}.csv`,
  type: 'csv',
  body: await resultsCsv(services, imagesOf(batch), 'key'),
});
