/**
 * A node without a model, for tests and benchmarks that count requests and credits: it takes jobs by their contract,
 * writes small files where the presigned URLs say, and answers a repeated job id from its one outcome, as a real node
 * does. Everything else about a call is real.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { importJWK, jwtVerify } from 'jose';
import { contentTypeOf } from '../../edge/stores/object-keys.ts';
import { erasureRequestSchema } from '../../shared/erasure.ts';
import { type CheckRequest, type CheckResponse, checkRequestSchema, type Finding } from '../../shared/findings.ts';
import {
  type CompletedOutcome,
  type JobRequest,
  jobRequestSchema,
  type Outcome,
  SERVICE_TOKEN,
} from '../../shared/job.ts';
import { ledgerExportSchema } from '../../shared/ledger-export.ts';
import { canvasSize } from '../../shared/marketplaces/index.ts';
import type { ResolvedOutput } from '../../shared/options.ts';
import { nodePaths } from '../../shared/paths.ts';
import type { ServicePublicKey } from '../../shared/service-key.ts';

export type QuickNode = {
  /** Jobs computed, each once. */
  readonly jobs: () => number;
  /** Photos looked at by the free check. */
  readonly checks: () => number;
  /** Times that a job was sent. */
  readonly calls: () => number;
  readonly close: () => Promise<void>;
};

const PREVIEW = Buffer.from('preview');

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

const put = async (url: string, bytes: Buffer): Promise<void> => {
  const stored = await fetch(url, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers: { 'content-type': contentTypeOf(new URL(url).pathname) },
  });
  await stored.body?.cancel();
  if (!stored.ok) throw new Error(`the store answered ${stored.status}`);
};

/** Stores `text` as the job's result, and answers its outcome. */
export const completeWith = async ({ outputs, options }: JobRequest, text: string): Promise<CompletedOutcome> => {
  const bytes = Buffer.from(text);
  const others = (options.others ?? []).map((output) => ({
    output,
    bytes: Buffer.from(`${output.marketplace} ${text}`),
  }));
  await Promise.all([
    put(outputs.clean, bytes),
    put(outputs.preview, PREVIEW),
    ...others.map((other, i) => put(outputs.others?.[i] ?? '', other.bytes)),
  ]);
  return {
    status: 'completed',
    ...described(options),
    ...fileOf(bytes),
    preview_bytes: PREVIEW.length,
    preview_md5: md5(PREVIEW),
    matte_confidence: 0.97,
    amazon_compliant: true,
    ...(options.others
      ? { others: others.map((other) => ({ ...described(other.output), ...fileOf(other.bytes) })) }
      : {}),
    findings: [],
    processing_ms: 1,
    model: 'none',
    provider: 'cpu',
    stages_ms: {},
  };
};

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const fileOf = (bytes: Buffer) => ({ bytes: bytes.length, sha256: sha256(bytes), md5: md5(bytes) });
const described = ({ marketplace, canvas }: ResolvedOutput) => ({
  ...canvasSize(canvas),
  product_box: { x: 150, y: 200, width: 1_700, height: 1_600 },
  upscaled: false,
  compliance: {
    marketplace,
    passed: true,
    checks: [
      {
        rule: 'background_white' as const,
        severity: 'required' as const,
        required: '255',
        measured: '255',
        passed: true,
      },
    ],
  },
});
/** A check by the photo's bytes, so that a test can ask for what it wants: those with CROPPED in them are cut off. */
const look = async ({ input_url }: CheckRequest): Promise<CheckResponse> => {
  const photo = await fetch(input_url);
  if (!photo.ok) throw new Error(`the store answered ${photo.status}`);
  const bytes = Buffer.from(await photo.arrayBuffer());
  return {
    check: {
      width: 1_600,
      height: 1_200,
      product_box: { x: 400, y: 0, width: 800, height: 1_000 },
      matte_confidence: 0.9,
      findings: bytes.includes('CROPPED') ? [CROPPED] : [],
      processing_ms: 1,
    },
  };
};
const CROPPED: Finding = {
  code: 'product_cropped',
  severity: 'required',
  detail: 'The product touches the upper edge along 212 px.',
  box: { x: 640, y: 0, width: 212, height: 12 },
  remedy: 'Take the photo again from further away.',
  marketplaces: ['amazon'],
};

/** Every result has bytes of its own, so that a mix-up shows. */
const ownResult = (job: JobRequest): Promise<Outcome> => completeWith(job, `result of ${job.job_id}`);

/** `compute` is called once for each job id; where it throws, the job may be sent again. */
export const startQuickNode = async (
  port: number,
  serviceKey: ServicePublicKey,
  compute: (job: JobRequest) => Promise<Outcome> = ownResult,
): Promise<QuickNode> => {
  const outcomes = new Map<string, Promise<Outcome>>();
  const key = await importJWK({ ...serviceKey }, 'EdDSA');
  let calls = 0;
  let checks = 0;
  const read = async (request: IncomingMessage): Promise<unknown> => {
    const body = Buffer.concat(await request.toArray());
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const { payload } = await jwtVerify(token, key, SERVICE_TOKEN);
    if (payload['body_sha256'] !== sha256(body)) throw new Error('the token is for another body');
    return JSON.parse(body.toString());
  };
  const answer = async (path: string, request: IncomingMessage): Promise<unknown> => {
    if (path === nodePaths.ledgerEntries) {
      const { entries, batches } = ledgerExportSchema.parse(await read(request));
      return { stored: entries.length + batches.length, repeated: 0, conflicting: [] };
    }
    if (path === nodePaths.erasures) {
      const { job_ids } = erasureRequestSchema.parse(await read(request));
      return { erased: job_ids.filter((id) => outcomes.has(id)).length };
    }
    if (path === nodePaths.checks) {
      const check = checkRequestSchema.parse(await read(request));
      checks++;
      return look(check);
    }
    const job = jobRequestSchema.parse(await read(request));
    calls++;
    const outcome = outcomes.get(job.job_id) ?? compute(job);
    outcomes.set(job.job_id, outcome);
    outcome.catch(() => outcomes.delete(job.job_id));
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
    checks: () => checks,
    calls: () => calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
