/**
 * The compute tier at the network's border, built on the job contract: checks each service token and body, writes
 * results where the presigned URLs say, answers an outcome. What it does with a job is scripted per test. The end-to-end tests run the real one.
 */
import { createHash } from 'node:crypto';
import { importJWK, jwtVerify } from 'jose';
import { vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { ERASURE_SUBJECT, erasureRequestSchema } from '../../../shared/erasure.ts';
import { type CheckRequest, type CheckResponse, checkRequestSchema, type Finding } from '../../../shared/findings.ts';
import {
  type CompletedOutcome,
  type JobRequest,
  jobRequestSchema,
  type Outcome,
  type OutputOutcome,
  SERVICE_TOKEN,
} from '../../../shared/job.ts';
import {
  LEDGER_ARCHIVE_SUBJECT,
  type LedgerArchiveRequest,
  ledgerArchiveRequestSchema,
} from '../../../shared/ledger-archive.ts';
import {
  LEDGER_EXPORT_SUBJECT,
  type LedgerEntry,
  type LedgerExport,
  ledgerExportSchema,
} from '../../../shared/ledger-export.ts';
import { canvasSize } from '../../../shared/marketplaces/index.ts';
import type { ResolvedOutput } from '../../../shared/options.ts';
import { type QuickLookRequest, type QuickLookResponse, quickLookRequestSchema } from '../../../shared/quick-look.ts';
import { publicKeyOf } from '../../../shared/service-key.ts';
import { signingKey } from '../../support/service-keys.ts';
import { bindings } from './service.ts';

/**
 * What becomes of a job. `vanish`: the connection breaks. `swap`: completed, but another file of the same length was
 * stored than told of. `undigested`: its MD5 was not told. `claim`: completed, but nothing was stored; `without`: but for
 * the further file of that place.
 */
export type Deed =
  | 'complete'
  | 'claim'
  | 'swap'
  | 'undigested'
  | { readonly without: number }
  | 'vanish'
  | { readonly busy: number }
  | { readonly fail: Outcome & { status: 'failed' } };
type Script = (job: JobRequest, node: string, attempt: number) => Deed | Promise<Deed>;

/** What becomes of a check. `vanish`: the connection breaks. */
type CheckDeed = 'vanish' | { readonly busy: number } | CheckResponse;

export type FakeOrigin = {
  readonly jobs: JobRequest[];
  readonly checks: CheckRequest[];
  readonly looks: QuickLookRequest[];
  lookScript: () => QuickLookResponse | { readonly busy: number } | 'vanish';
  /** Of the photo, while the node looks at it. */
  readonly checkedBytes: number[];
  checkScript: (check: CheckRequest, node: string, attempt: number) => CheckDeed | Promise<CheckDeed>;
  readonly traces: (string | null)[];
  readonly exports: LedgerExport[];
  script: Script;
  /** About the photo of a job that completes. */
  findings: (job: JobRequest) => readonly Finding[];
  /** False: the export is answered with 503. */
  takesExport: boolean;
  /** False: nobody can read exported lines back. */
  givesLines: boolean;
  /** Ids of exported rows that it says it holds otherwise. */
  readonly conflicting: Set<string>;
  /** Jobs that it was told to forget. */
  readonly erased: string[];
  /** False: nobody takes that. */
  takesErasures: boolean;
};

export const RESULT_BYTES = 321;
export const PREVIEW_BYTES = 123;
/** Of the further files of an image, each of a size of its own. */
export const otherBytes = (place: number): number => RESULT_BYTES + 10 * (place + 1);
const resultFile = (byte = 1) => new Uint8Array(RESULT_BYTES).fill(byte);
const previewFile = () => new Uint8Array(PREVIEW_BYTES).fill(2);
const otherFile = (place: number) => new Uint8Array(otherBytes(place)).fill(3 + place);
const md5Of = (file: Uint8Array): string => createHash('md5').update(file).digest('hex');
export const completed = (job: Pick<JobRequest, 'options'>): CompletedOutcome => ({
  status: 'completed',
  width: 2000,
  height: 2000,
  bytes: RESULT_BYTES,
  sha256: 'a'.repeat(64),
  md5: md5Of(resultFile()),
  preview_bytes: PREVIEW_BYTES,
  preview_md5: md5Of(previewFile()),
  product_box: { x: 150, y: 200, width: 1700, height: 1600 },
  matte_confidence: 0.97,
  upscaled: false,
  compliance: {
    marketplace: job.options.marketplace,
    passed: true,
    checks: [{ rule: 'background_white', severity: 'required', required: '255', measured: '255', passed: true }],
  },
  amazon_compliant: true,
  ...(job.options.others ? { others: job.options.others.map((output, place) => completedOutput(output, place)) } : {}),
  findings: [],
  processing_ms: 42,
  model: 'scripted',
  provider: 'cpu',
  stages_ms: { matte: 40 },
});
const completedOutput = ({ marketplace, canvas }: ResolvedOutput, place: number): OutputOutcome => ({
  ...canvasSize(canvas),
  bytes: otherBytes(place),
  sha256: 'b'.repeat(64),
  md5: md5Of(otherFile(place)),
  product_box: { x: 150, y: 200, width: 1700, height: 1600 },
  upscaled: false,
  compliance: { marketplace, passed: true, checks: [] },
});
export const failing = (code: (Outcome & { status: 'failed' })['code'], retryable = false): Deed => ({
  fail: { status: 'failed', code, detail: `scripted ${code}`, retryable },
});

const S3 = `${bindings.R2_S3_ENDPOINT}/${bindings.R2_BUCKET_NAME}/`;
const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The object a presigned URL names; throws for a URL that is not signed. */
const keyOf = (presigned: string): string => {
  const url = new URL(presigned);
  if (!url.searchParams.get('X-Amz-Signature') || !presigned.startsWith(S3))
    throw new Error(`not a presigned URL: ${presigned}`);
  return decodeURIComponent(url.pathname.slice(new URL(S3).pathname.length));
};

const verified = async (init: RequestInit, subject?: string): Promise<unknown> => {
  const headers = new Headers(init.headers);
  const key = await importJWK({ ...publicKeyOf(signingKey) }, 'EdDSA');
  const { payload } = await jwtVerify(headers.get('authorization')?.replace('Bearer ', '') ?? '', key, {
    algorithms: ['EdDSA'],
    issuer: SERVICE_TOKEN.issuer,
    audience: SERVICE_TOKEN.audience,
  });
  const body = String(init.body);
  if (payload['body_sha256'] !== hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))))
    throw new Error('the token is for another body');
  const parsed = JSON.parse(body) as { job_id?: string; check_id?: string; look_id?: string };
  if (payload.sub !== (subject ?? parsed.job_id ?? parsed.check_id ?? parsed.look_id))
    throw new Error('the token is for another job');
  return parsed;
};

const perform = async (job: JobRequest, deed: Deed, findings: readonly Finding[]): Promise<Response> => {
  if (deed === 'vanish') throw new TypeError('Network connection lost.');
  if (typeof deed === 'object' && 'busy' in deed)
    return new Response('{}', { status: 503, headers: { 'retry-after': String(deed.busy) } });
  if (typeof deed === 'object' && 'fail' in deed) return Response.json({ outcome: deed.fail });
  if (!(await bindings.BUCKET.head(keyOf(job.input_url)))) throw new Error(`no input behind ${job.input_url}`);
  if (deed !== 'claim') {
    const missing = typeof deed === 'object' ? deed.without : undefined;
    for (const [place, url] of (job.outputs.others ?? []).entries())
      if (place !== missing) await bindings.BUCKET.put(keyOf(url), otherFile(place));
    await bindings.BUCKET.put(keyOf(job.outputs.clean), resultFile(deed === 'swap' ? 9 : 1));
    await bindings.BUCKET.put(keyOf(job.outputs.preview), previewFile());
  }
  const { md5, ...undigested } = completed(job);
  return Response.json({ outcome: { ...undigested, ...(deed === 'undigested' ? {} : { md5 }), findings } });
};

/** What a node says of a photo that is cut off at its upper edge. */
export const checked = (findings: readonly Finding[] = [croppedFinding]): CheckResponse => ({
  check: {
    width: 1600,
    height: 1200,
    product_box: { x: 400, y: 0, width: 800, height: 1000 },
    matte_confidence: 0.91,
    findings: [...findings],
    processing_ms: 33,
  },
});
export const croppedFinding: Finding = {
  code: 'product_cropped',
  severity: 'required',
  detail: 'The product touches the upper edge along 212 px.',
  box: { x: 640, y: 0, width: 212, height: 12 },
  remedy: 'Take the photo again from further away.',
  marketplaces: ['amazon', 'walmart'],
};

const performCheck = async (origin: FakeOrigin, check: CheckRequest, node: string): Promise<Response> => {
  origin.checks.push(check);
  const stored = await bindings.BUCKET.head(keyOf(check.input_url));
  if (!stored) throw new Error(`no photo behind ${check.input_url}`);
  origin.checkedBytes.push(stored.size);
  const attempt = origin.checks.filter(({ check_id }) => check_id === check.check_id).length;
  const deed = await origin.checkScript(check, node, attempt);
  if (deed === 'vanish') throw new TypeError('Network connection lost.');
  return 'busy' in deed
    ? new Response('{}', { status: 503, headers: { 'retry-after': String(deed.busy) } })
    : Response.json(deed);
};

const performLook = (origin: FakeOrigin, look: QuickLookRequest): Response => {
  origin.looks.push(look);
  const deed = origin.lookScript();
  if (deed === 'vanish') throw new TypeError('Network connection lost.');
  return 'busy' in deed
    ? new Response('{}', { status: 503, headers: { 'retry-after': String(deed.busy) } })
    : Response.json(deed);
};

const conflicts = ({ conflicting }: FakeOrigin, { entries, batches, checkpoints = [] }: LedgerExport): string[] =>
  [
    ...entries.map(({ id }) => id),
    ...batches.map((row) => row.batch_id),
    ...checkpoints.map((row) => row.account_id),
  ].filter((id) => conflicting.has(id));

/** Exported lines of an account, as origin gives them back. */
export const linesOf = (
  { exports }: FakeOrigin,
  { account_id, before, max }: LedgerArchiveRequest,
): readonly LedgerEntry[] =>
  [...new Map(exports.flatMap(({ entries }) => entries).map((line) => [line.id, line])).values()]
    .filter((line) => line.account_id === account_id && line.seq < before)
    .sort((a, b) => b.seq - a.seq)
    .slice(0, max);

/**
 * Stands in for every outbound call; `others` answers those that do not go to a node. Undo with
 * `vi.restoreAllMocks()`.
 */
export const fakeOrigin = (
  others: (url: string, init: RequestInit) => Promise<Response> = async (url) =>
    Promise.reject(new Error(`unexpected call to ${url}`)),
): FakeOrigin => {
  const origin: FakeOrigin = {
    jobs: [],
    checks: [],
    checkedBytes: [],
    checkScript: () => checked(),
    looks: [],
    lookScript: () => ({ look: { image: btoa('a small picture'), processing_ms: 33 } }),
    traces: [],
    exports: [],
    script: () => 'complete',
    findings: () => [],
    takesExport: true,
    givesLines: true,
    conflicting: new Set(),
    erased: [],
    takesErasures: true,
  };
  const nodes = bindings.ORIGIN_URLS.split(',');
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init = {}) => {
    const url = String(input);
    const node = nodes.find((known) => url.startsWith(known));
    if (!node) return others(url, init as RequestInit);
    if (url === `${node}/v1/ledger-entries`) {
      const sent = ledgerExportSchema.parse(await verified(init as RequestInit, LEDGER_EXPORT_SUBJECT));
      if (!origin.takesExport) return new Response('{}', { status: 503 });
      origin.exports.push(sent);
      return Response.json({
        stored: sent.entries.length + sent.batches.length,
        repeated: 0,
        conflicting: conflicts(origin, sent),
      });
    }
    if (url === `${node}/v1/ledger-lines`) {
      const asked = ledgerArchiveRequestSchema.parse(await verified(init as RequestInit, LEDGER_ARCHIVE_SUBJECT));
      return origin.givesLines ? Response.json({ lines: linesOf(origin, asked) }) : new Response('{}', { status: 503 });
    }
    if (url === `${node}/v1/erasures`) {
      const asked = erasureRequestSchema.parse(await verified(init as RequestInit, ERASURE_SUBJECT));
      if (!origin.takesErasures) return new Response('{}', { status: 503 });
      origin.erased.push(...asked.job_ids);
      return Response.json({ erased: asked.job_ids.length });
    }
    if (url === `${node}/v1/quick-looks`)
      return performLook(origin, quickLookRequestSchema.parse(await verified(init)));
    if (url === `${node}/v1/checks`) {
      origin.traces.push(new Headers(init.headers as HeadersInit).get('traceparent'));
      return performCheck(origin, checkRequestSchema.parse(await verified(init as RequestInit)), node);
    }
    const job = jobRequestSchema.parse(await verified(init as RequestInit));
    origin.jobs.push(job);
    origin.traces.push(new Headers(init.headers as HeadersInit).get('traceparent'));
    const attempt = origin.jobs.filter(({ job_id }) => job_id === job.job_id).length;
    return perform(job, await origin.script(job, node, attempt), origin.findings(job));
  });
  return origin;
};

/**
 * Waits between retries take no time; their lengths are tested where they are computed. The timeouts of a node's and of
 * a store's answer and of a whole request stay as they are.
 */
export const withoutWaiting = (): void => {
  const real = globalThis.setTimeout;
  const timeouts: readonly number[] = [
    edgeLimits.origin.headersMsMax,
    edgeLimits.origin.silenceMsMax,
    edgeLimits.objects.callMsMax,
  ];
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms = 0) =>
    real(callback, ms >= 60_000 || timeouts.includes(ms) ? ms : 0)) as never);
};
