/**
 * A node without a model, for tests that count requests and credits: it takes jobs by their contract, writes a small
 * result where the presigned URLs say, and answers the outcome. Everything else about a call is real.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { jwtVerify } from 'jose';
import { type CompletedOutcome, type JobRequest, jobRequestSchema, SERVICE_TOKEN } from '../../shared/job.ts';
import { ledgerExportSchema } from '../../shared/ledger-export.ts';
import { nodePaths } from '../../shared/paths.ts';

export type QuickNode = {
  /** Jobs computed, each once: a job that is sent again gets its stored outcome. */
  readonly jobs: () => number;
  readonly close: () => Promise<void>;
};

const PREVIEW = Buffer.from('preview');

/** Every result has bytes of its own, so that a mix-up shows. */
const resultOf = (jobId: string): Buffer => Buffer.from(`result of ${jobId}`);

const put = async (url: string, bytes: Buffer): Promise<void> => {
  const stored = await fetch(url, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers: { 'content-type': 'image/jpeg' },
  });
  if (!stored.ok) throw new Error(`the store answered ${stored.status}`);
};

const outcomeOf = (job: JobRequest, bytes: Buffer): CompletedOutcome => ({
  status: 'completed',
  width: job.options.canvas,
  height: job.options.canvas,
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  preview_bytes: PREVIEW.length,
  product_box: { x: 1, y: 1, width: 1, height: 1 },
  matte_confidence: 1,
  upscaled: false,
  compliance: { marketplace: job.options.marketplace, passed: true, checks: [] },
  amazon_compliant: true,
  processing_ms: 1,
  model: 'none',
  provider: 'cpu',
  stages_ms: {},
});

export const startQuickNode = async (port: number, serviceSecret: string): Promise<QuickNode> => {
  const outcomes = new Map<string, Promise<CompletedOutcome>>();
  const secret = new TextEncoder().encode(serviceSecret);
  const read = async (request: IncomingMessage): Promise<unknown> => {
    const body = Buffer.concat(await request.toArray());
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const { payload } = await jwtVerify(token, secret, SERVICE_TOKEN);
    if (payload['body_sha256'] !== createHash('sha256').update(body).digest('hex'))
      throw new Error('the token is for another body');
    return JSON.parse(body.toString());
  };
  const compute = async (job: JobRequest): Promise<CompletedOutcome> => {
    const bytes = resultOf(job.job_id);
    await Promise.all([put(job.outputs.clean, bytes), put(job.outputs.preview, PREVIEW)]);
    return outcomeOf(job, bytes);
  };
  const answer = async (path: string, request: IncomingMessage): Promise<unknown> => {
    if (path === nodePaths.ledgerEntries) {
      const { entries, batches } = ledgerExportSchema.parse(await read(request));
      return { stored: entries.length + batches.length, repeated: 0, conflicting: [] };
    }
    const job = jobRequestSchema.parse(await read(request));
    const outcome = outcomes.get(job.job_id) ?? compute(job);
    outcomes.set(job.job_id, outcome);
    return { outcome: await outcome };
  };
  const server = createServer((request, response) => {
    answer(request.url ?? '/', request).then(
      (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    jobs: () => outcomes.size,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
