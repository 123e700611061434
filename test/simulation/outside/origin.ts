/**
 * Origin's nodes behind the job contract: heartbeats while they work, one outcome per job id whatever node ran it, busy
 * at times, gone at times, also between the PUT of a result and its answer. And the store of the ledger's export.
 */

import type { ErasureRequest } from '../../../shared/erasure.ts';
import type { CheckRequest } from '../../../shared/findings.ts';
import type { JobRequest } from '../../../shared/job.ts';
import type { LedgerArchiveRequest } from '../../../shared/ledger-archive.ts';
import type { LedgerEntry, LedgerExport } from '../../../shared/ledger-export.ts';
import { digestOf, WRONG_CONTENT } from '../platform/content.ts';
import type { Server } from '../platform/network.ts';
import type { Bucket } from '../platform/r2.ts';
import { type Actor, newActor, type Scheduler } from '../platform/scheduler.ts';
import { bucketName } from '../production.ts';

const RESULT_BYTES = 321;
const PREVIEW_BYTES = 123;
const HEADERS_AFTER_MS = 1_000;
const HEARTBEAT_MS = 2_000;
const LEASE_MS = 30_000;

/** Whole number from text, the same on every machine (FNV-1a). */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};

/** Of the further files of an image. */
const otherBytes = (place: number): number => RESULT_BYTES + 10 * (place + 1);

/** `others`: marketplaces of the further files; undefined: the image was asked for as a single one. */
export const completedOutcome = (marketplace: string, others?: readonly string[]) => ({
  ...(others === undefined
    ? {}
    : {
        others: others.map((name, place) => ({
          width: 2_000,
          height: 2_000,
          bytes: otherBytes(place),
          sha256: 'b'.repeat(64),
          md5: digestOf().toString('hex'),
          product_box: { x: 150, y: 200, width: 1_700, height: 1_600 },
          upscaled: false,
          compliance: { marketplace: name, passed: true, checks: [] },
        })),
      }),
  status: 'completed',
  width: 2_000,
  height: 2_000,
  bytes: RESULT_BYTES,
  sha256: 'a'.repeat(64),
  md5: digestOf().toString('hex'),
  preview_bytes: PREVIEW_BYTES,
  preview_md5: digestOf().toString('hex'),
  product_box: { x: 150, y: 200, width: 1_700, height: 1_600 },
  matte_confidence: 0.97,
  upscaled: false,
  compliance: { marketplace, passed: true, checks: [] },
  amazon_compliant: true,
  findings: [],
  processing_ms: 42,
  model: 'model',
  provider: 'cpu',
  stages_ms: {},
});
const checkReport = {
  width: 1_600,
  height: 1_200,
  product_box: null,
  matte_confidence: 0.5,
  findings: [],
  processing_ms: 42,
} as const;
const failed = (code: string, retryable: boolean) => ({ status: 'failed', code, detail: code, retryable });

const keyOf = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(`/${bucketName}/`.length));

/** `strange`: some photos show no product. */
export const createOrigin = (world: Scheduler, bucket: Bucket, nodeUrls: readonly string[], strange = true) => {
  const journal = new Map<string, object>();
  const leases = new Map<string, number>();
  /** Ledger rows and batch summaries by id, as first seen. */
  const exported = new Map<string, string>();
  const conflicting: string[] = [];
  /** The last checkpoint of each account. */
  const checkpoints = new Map<string, NonNullable<LedgerExport['checkpoints']>[number]>();
  /** Jobs that a node began to work on. */
  const taken = new Set<string>();

  /** Files as long as those told of, and not those. */
  const storeOthers = ({ outputs: { clean, preview, others = [] } }: JobRequest): void => {
    world.tally('another file stored');
    bucket.put(keyOf(clean), RESULT_BYTES, undefined, WRONG_CONTENT);
    bucket.put(keyOf(preview), PREVIEW_BYTES, undefined, WRONG_CONTENT);
    for (const [place, url] of others.entries()) bucket.put(keyOf(url), otherBytes(place), undefined, WRONG_CONTENT);
  };

  const work = async (job: JobRequest): Promise<object> => {
    await sleep(
      world.faults.slow > 0 && world.random.chance(0.1)
        ? world.random.between(3_000, 50_000)
        : world.random.between(100, 2_500),
    );
    if (Date.now() >= job.deadline_at) return failed('deadline_exceeded', true);
    if (!bucket.objects.has(keyOf(job.input_url))) return failed('processing_failed', true);
    if (strange && hashOf(job.job_id) % 9 === 0) return failed('no_product_found', false);
    if (world.chance('storeFails')) return failed('result_missing', true);
    const outcome = completedOutcome(
      job.options.marketplace,
      job.options.others?.map(({ marketplace }) => marketplace),
    );
    if (world.chance('originClaims')) {
      if (hashOf(job.job_id) % 2 === 0) storeOthers(job);
      return outcome;
    }
    world.tally('r2 class B');
    world.tally('r2 class A', 2);
    bucket.put(keyOf(job.outputs.clean), RESULT_BYTES);
    await sleep(world.random.between(0, 20));
    for (const [place, url] of (job.outputs.others ?? []).entries()) {
      // A node that breaks between two files answers as if it had stored all.
      if (world.chance('originClaims')) return outcome;
      world.tally('r2 class A');
      bucket.put(keyOf(url), otherBytes(place));
      await sleep(world.random.between(0, 20));
    }
    bucket.put(keyOf(job.outputs.preview), PREVIEW_BYTES);
    await sleep(world.random.between(0, 20));
    return outcome;
  };

  const outcomeOf = async (job: JobRequest): Promise<object> => {
    const outcome = await work(job);
    leases.delete(job.job_id);
    if (!('retryable' in outcome && outcome.retryable)) journal.set(job.job_id, journal.get(job.job_id) ?? outcome);
    return journal.get(job.job_id) ?? outcome;
  };

  const busy = (): Response =>
    new Response('{}', { status: 503, headers: { 'retry-after': String(world.random.between(1, 20)) } });

  const runJob = async (job: JobRequest): Promise<Response> => {
    const known = journal.get(job.job_id);
    if (known) return Response.json({ outcome: known });
    if (world.chance('originBusy') || (leases.get(job.job_id) ?? 0) > world.now()) return busy();
    taken.add(job.job_id);
    leases.set(job.job_id, world.now() + LEASE_MS);
    const outcome = outcomeOf(job);
    const early = await Promise.race([outcome, sleep(HEADERS_AFTER_MS)]);
    if (early) return Response.json({ outcome: early });
    return new Response(heartbeats(outcome), { status: 200 });
  };

  const check = async ({ check_id, input_url, deadline_at }: CheckRequest): Promise<Response> => {
    if (world.chance('originBusy')) return busy();
    await sleep(world.random.between(50, 1_500));
    if (Date.now() >= deadline_at) return Response.json({ failed: failed('deadline_exceeded', true) });
    world.tally('r2 class B');
    if (!bucket.objects.has(keyOf(input_url))) return Response.json({ failed: failed('processing_failed', true) });
    if (strange && hashOf(check_id) % 9 === 0) return Response.json({ failed: failed('unreadable_image', false) });
    return Response.json({ check: { ...checkReport } });
  };

  /** Spaces while the job runs, then its outcome. */
  const heartbeats = (outcome: Promise<object>): ReadableStream<Uint8Array> => {
    const text = new TextEncoder();
    return new ReadableStream({
      start: async (controller) => {
        let over = false;
        const beat = async (): Promise<void> => {
          for (; !over; await sleep(HEARTBEAT_MS)) controller.enqueue(text.encode(' '));
        };
        beat().catch(() => {});
        const value = await outcome;
        over = true;
        controller.enqueue(text.encode(JSON.stringify({ outcome: value })));
        controller.close();
      },
    });
  };

  const take = (parcel: LedgerExport): Response => {
    if (world.chance('originBusy')) return busy();
    const rows = [
      ...parcel.entries.map((row) => [row.id, row] as const),
      ...parcel.batches.map((row) => [row.batch_id, row] as const),
    ];
    const [before, conflicts] = [exported.size, [] as string[]];
    for (const [id, row] of rows) {
      const [known, text] = [exported.get(id), JSON.stringify(row)];
      if (known === undefined) exported.set(id, text);
      else if (known !== text) conflicts.push(id);
    }
    conflicting.push(...conflicts);
    for (const checkpoint of parcel.checkpoints ?? []) checkpoints.set(checkpoint.account_id, checkpoint);
    const stored = exported.size - before;
    return Response.json({ stored, repeated: rows.length - stored, conflicting: conflicts });
  };

  /** An account's exported lines, oldest first. */
  const linesOf = (accountId: string): LedgerEntry[] =>
    [...exported]
      .filter(([id]) => id.startsWith('led_'))
      .map(([, text]) => JSON.parse(text) as LedgerEntry)
      .filter((line) => line.account_id === accountId)
      .sort((a, b) => a.seq - b.seq);
  const readLines = ({ account_id, before, max }: LedgerArchiveRequest): Response => {
    if (world.chance('originBusy')) return busy();
    const lines = linesOf(account_id).filter(({ seq }) => seq < before);
    return Response.json({ lines: lines.toReversed().slice(0, max) });
  };

  /** Of a job only whether it completed stays. */
  const erase = ({ job_ids }: ErasureRequest): Response => {
    if (world.chance('originBusy')) return busy();
    const known = job_ids.filter((id) => journal.has(id));
    for (const id of known) {
      const outcome = journal.get(id);
      journal.set(id, { status: outcome && 'status' in outcome ? outcome.status : 'failed', erased: true });
    }
    return Response.json({ erased: known.length });
  };

  const nodes = new Map(nodeUrls.map((url) => [new URL(url).host, createNode(world)]));
  const route = (url: URL): Server | undefined => {
    const node = nodes.get(url.host);
    if (!node) return undefined;
    return {
      actor: node.actor,
      breaks: node.breaks,
      handle: async (_url, init) => {
        if (world.chance('originDies'))
          world.after(world.random.between(0, 4_000), () => node.die(world.random.between(1_000, 240_000)));
        const body: unknown = JSON.parse(String(init.body));
        if (url.pathname === '/v1/checks') return check(body as CheckRequest);
        if (url.pathname === '/v1/ledger-lines') return readLines(body as LedgerArchiveRequest);
        if (url.pathname === '/v1/erasures') return erase(body as ErasureRequest);
        return url.pathname === '/v1/jobs' ? runJob(body as JobRequest) : take(body as LedgerExport);
      },
    };
  };
  return {
    route,
    journal,
    exported,
    conflicting,
    checkpoints,
    linesOf,
    taken,
    die: (ms: number): void => {
      for (const node of nodes.values()) node.die(ms);
    },
  };
};

const sleep = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), ms));

const createNode = (world: Scheduler) => {
  let actor: Actor = newActor('origin', world.random.between(-2_000, 2_000));
  let listeners = new Set<() => void>();
  return {
    actor: () => actor,
    breaks: (callback: () => void) => {
      listeners.add(callback);
      return () => void listeners.delete(callback);
    },
    die: (downMs: number): void => {
      if (!actor.alive) return;
      world.tally('origin dies');
      world.trace(() => `an origin node is down for ${downMs} ms`);
      actor.alive = false;
      const broken = listeners;
      listeners = new Set();
      for (const callback of broken) callback();
      world.after(downMs, () => {
        actor = newActor('origin', world.random.between(-2_000, 2_000));
      });
    },
  };
};
