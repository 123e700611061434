/**
 * A node without a model, for tests of the clients: it fetches each input and stores a file made from its digest, both
 * through the edge's presigned URLs, and answers a repeated job id from its one outcome, as a real node does. Its
 * pipeline is what it leaves out, and its job store is in memory.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type JobRequest, jobRequestSchema, type Outcome } from '../../../shared/job.ts';
import { nodePaths } from '../../../shared/paths.ts';

export type QuickNode = {
  /** How many jobs there were for each digest of an input. */
  readonly jobs: ReadonlyMap<string, number>;
  readonly close: () => Promise<void>;
};

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** What the node makes of an input with this digest. */
export const resultOf = (inputDigest: string): string => `result of ${inputDigest}`;

/** An input that the edge takes for a JPEG, and that this node completes. Each `id` is another image. */
export const photo = (id: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array([0xff, 0xd8, 0xff, 0xe0, ...new TextEncoder().encode(`${id} `.padEnd(64, '.'))]);
/** One in which the node finds no product. */
export const emptyPhoto = (id: string): Uint8Array<ArrayBuffer> => photo(`NOTHING ${id}`);

/** `pauseMs`: how long each job takes. */
export const startQuickNode = async (port: number, pauseMs: () => number = () => 0): Promise<QuickNode> => {
  const jobs = new Map<string, number>();
  const outcomes = new Map<string, Promise<Outcome>>();
  const outcomeOf = (job: JobRequest): Promise<Outcome> => {
    const outcome = outcomes.get(job.job_id) ?? perform(job, jobs, pauseMs());
    outcomes.set(job.job_id, outcome);
    outcome.catch(() => outcomes.delete(job.job_id));
    return outcome;
  };
  const server = createServer((request, response) => {
    const answer = (body: unknown): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === nodePaths.jobs)
      return void jobIn(request)
        .then(outcomeOf)
        .then(
          (outcome) => answer({ outcome }),
          () => response.writeHead(500).end(),
        );
    if (request.url === nodePaths.ledgerEntries) return answer({ stored: 0, repeated: 0, conflicting: [] });
    response.writeHead(404).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    jobs,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const jobIn = async (request: IncomingMessage): Promise<JobRequest> =>
  jobRequestSchema.parse(JSON.parse(Buffer.concat(await request.toArray()).toString()));

const perform = async (job: JobRequest, jobs: Map<string, number>, pauseMs: number): Promise<Outcome> => {
  const input = new Uint8Array(await (await fetch(job.input_url)).arrayBuffer());
  const digest = sha256(input);
  jobs.set(digest, (jobs.get(digest) ?? 0) + 1);
  if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  if (new TextDecoder().decode(input.subarray(4)).startsWith('NOTHING'))
    return { status: 'failed', code: 'no_product_found', detail: 'No product was found', retryable: false };
  const result = resultOf(digest);
  for (const [url, body] of [
    [job.outputs.clean, result],
    [job.outputs.preview, 'preview'],
  ] as const) {
    const stored = await fetch(url, { method: 'PUT', body, headers: { 'content-type': 'image/jpeg' } });
    await stored.body?.cancel();
    if (!stored.ok) throw new Error(`the store answered ${stored.status}`);
  }
  return completed(result);
};

const completed = (result: string): Outcome => ({
  status: 'completed',
  width: 2000,
  height: 2000,
  bytes: result.length,
  sha256: sha256(result),
  preview_bytes: 'preview'.length,
  product_box: { x: 150, y: 200, width: 1700, height: 1600 },
  matte_confidence: 0.97,
  upscaled: false,
  compliance: {
    marketplace: 'amazon',
    passed: true,
    checks: [{ rule: 'background_white', required: '255', measured: '255', passed: true }],
  },
  amazon_compliant: true,
  processing_ms: 1,
  model: 'none',
  provider: 'cpu',
  stages_ms: {},
});
