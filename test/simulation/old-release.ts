/**
 * An account and batches as the first release left them: rows of its schema (the first migration of each object), in the
 * middle of their work. Today's code opens them, as after a deployment, and has to bring them to their end.
 */
import { issueApiKey } from '../../shared/api-key.ts';
import { newId } from '../../shared/ids.ts';
import { resolveOptions } from '../../shared/options.ts';
import type { Account, Book, Wish } from './auditor/book.ts';
import { type Client, follow } from './client.ts';
import { completedOutcome } from './outside/origin.ts';
import type { SqlValue } from './platform/database.ts';
import { newActor, runAs } from './platform/scheduler.ts';
import { applySchema, type ObjectBinding, schemas } from './production.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AGE_MS = 5 * MINUTE;

/** How far each image of a batch had come. */
const STAGES = ['settled', 'decided', 'failed', 'running', 'sent', 'waiting'] as const;
type Stage = (typeof STAGES)[number];
const isCompleted = (stage: Stage): boolean => stage === 'settled' || stage === 'decided';
const isDecided = (stage: Stage): boolean => isCompleted(stage) || stage === 'failed';
const isResolved = (stage: Stage): boolean => stage === 'settled' || stage === 'failed';

type OldBatch = {
  readonly batchId: string;
  readonly style: 'upload' | 'batch';
  readonly tag: string;
  readonly stages: readonly Stage[];
};

/** A batch below the window of dispatch has handed over all of its images, an upload hands over none. */
const drawStages = ({ random }: World, style: OldBatch['style']): readonly Stage[] =>
  Array.from({ length: random.between(1, 6) }, () =>
    random.pick(STAGES.filter((stage) => stage !== (style === 'batch' ? 'waiting' : 'sent'))),
  );

/** The account, with its keys as its owner knows them. Its batches are polled by a client who was told of them. */
export const openOldAccount = async (world: World, book: Book, spare: number): Promise<void> => {
  const nowMs = world.now();
  const random = (n: number): Uint8Array<ArrayBuffer> => new Uint8Array(world.random.bytes(n));
  const accountId = newId('account', nowMs - HOUR, random);
  const keys = {
    live: await issueApiKey('live', accountId, nowMs - HOUR, random),
    test: await issueApiKey('test', accountId, nowMs - HOUR, random),
  };
  const batches = (['batch', 'upload'] as const).map(
    (style, i): OldBatch => ({
      batchId: newId('batch', nowMs - AGE_MS + i, random),
      style,
      tag: `old${i}t1`,
      stages: drawStages(world, style),
    }),
  );
  const granted = batches.reduce((sum, { stages }) => sum + stages.length, 0) + spare;
  const account: Account = {
    accountId,
    keys: {
      live: { id: keys.live.keyId, text: keys.live.secret },
      test: { id: keys.test.keyId, text: keys.test.secret },
    },
    granted,
    cap: null,
    revoked: false,
  };
  book.accounts.push(account);
  writeAccount(world, accountId, granted, Object.entries(keys), batches);
  for (const batch of batches) {
    writeBatch(world, accountId, account.keys.live.id, batch);
    if (batch.style === 'batch') await tell(world, book, account, batch);
  }
  world.tally('old release');
};

type Insert = (table: string, row: Readonly<Record<string, SqlValue>>) => void;

/** Writes rows of the first schema, and the alarm, in one turn. */
const write = (
  world: World,
  binding: ObjectBinding,
  name: string,
  alarmMs: number,
  rows: (insert: Insert) => void,
): void => {
  const { storage } = world.namespaces[binding].host(name).store;
  applySchema(storage, schemas[binding].slice(0, 1));
  rows((table, row) => {
    const columns = Object.keys(row);
    const names = columns.map((column) => `"${column}"`).join(', ');
    storage.sql.exec(
      `insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`,
      ...Object.values(row),
    );
  });
  void storage.setAlarm(alarmMs);
};

type Key = Awaited<ReturnType<typeof issueApiKey>>;

const writeAccount = (
  world: World,
  accountId: string,
  granted: number,
  keys: [string, Key][],
  batches: readonly OldBatch[],
): void => {
  const [nowMs, createdAtMs] = [world.now(), world.now() - HOUR];
  const totals = { granted: 0, available: 0, held: 0, spent: 0 };
  let sequence = 0;
  write(world, 'ACCOUNT', accountId, nowMs + 2_000, (insert) => {
    const line = (
      commandId: string,
      kind: string,
      credits: number,
      about: Readonly<Record<string, SqlValue>> = {},
    ): void => {
      if (kind === 'grant') totals.granted += credits;
      if (kind !== 'post') totals.available += credits;
      if (kind === 'post') totals.spent += credits;
      if (kind !== 'grant') totals.held -= credits;
      sequence++;
      insert('entry', {
        sequence,
        commandId,
        kind,
        credits,
        ...totals,
        batchId: null,
        imageIndex: null,
        reason: null,
        reference: null,
        createdAtMs,
        ...about,
      });
    };
    line(`grant:opening:${accountId}`, 'grant', granted, { reason: 'local' });
    for (const { batchId, stages } of batches) {
      line(`hold:${batchId}`, 'hold', -stages.length, { batchId });
      for (const [imageIndex, stage] of stages.entries()) {
        if (!isResolved(stage)) continue;
        const kind = stage === 'settled' ? 'post' : 'void';
        line(`${kind}:${batchId}:${imageIndex}`, kind, 1, { batchId, imageIndex });
        insert('resolution', { batchId, imageIndex, resolvedAs: kind === 'post' ? 'posted' : 'voided' });
      }
      insert('hold', holdRow(batchId, stages, nowMs - AGE_MS));
    }
    insert('account', {
      id: 1,
      accountId,
      label: 'old',
      createdAtMs,
      ...totals,
      entries: sequence,
      exportedThrough: 0,
      exportDueAtMs: nowMs + 2_000,
      housekeepingAtMs: nowMs + HOUR,
      webhookSecret: null,
      webhookRotatedAtMs: null,
    });
    for (const [mode, { keyId, hash, masked }] of keys)
      insert('apiKey', { keyId, hash, mode, label: mode, masked, createdAtMs, lastUsedAtMs: null, revokedAtMs: null });
    const keyId = keys[0]?.[1].keyId ?? '';
    insert('idempotency', {
      keyId,
      idempotencyKey: 'an older one',
      batchId: batches[0]?.batchId ?? '',
      createdAtMs,
      leaseUntilMs: createdAtMs,
      answer: null,
    });
    insert('request', {
      requestId: newId('request', createdAtMs, (n) => new Uint8Array(world.random.bytes(n))),
      atMs: createdAtMs,
      keyId,
      method: 'POST',
      path: '/api/v1/service-hero',
      status: 202,
      images: 1,
      credits: 1,
      latencyMs: 20,
      errorCode: null,
      batchId: batches[0]?.batchId ?? '',
    });
  });
};

const holdRow = (batchId: string, stages: readonly Stage[], openedAtMs: number): Readonly<Record<string, SqlValue>> => {
  const posted = stages.filter((stage) => stage === 'settled').length;
  const voided = stages.filter((stage) => stage === 'failed').length;
  const pending = stages.length - posted - voided;
  return {
    batchId,
    state: 'open',
    images: stages.length,
    pending,
    posted,
    voided,
    openedAtMs,
    checkAtMs: pending > 0 ? openedAtMs + 12 * HOUR : null,
  };
};

const writeBatch = (
  world: World,
  accountId: string,
  keyId: string,
  { batchId, style, tag, stages }: OldBatch,
): void => {
  const nowMs = world.now();
  const options = resolveOptions({});
  if (!options.ok) throw new Error('no options are refused');
  const count = (is: (stage: Stage) => boolean): number => stages.filter(is).length;
  const nextIndex = style === 'upload' ? 0 : stages.length;
  const isOver = stages.every(isDecided);
  const unsettled = count((stage) => stage === 'decided');
  write(world, 'SAGA', batchId, nowMs + 1_000, (insert) => {
    insert('batch', {
      batchId,
      style,
      images: stages.length,
      createdAtMs: nowMs - AGE_MS,
      deadlineAtMs: nowMs + (style === 'upload' ? MINUTE : 6 * HOUR),
      hold: 'held',
      nextIndex,
      processing: count((stage) => stage === 'running'),
      completed: count(isCompleted),
      failed: count((stage) => stage === 'failed'),
      unsettled,
      ledgerDueAtMs: unsettled > 0 ? nowMs : null,
      completedAtMs: isOver ? nowMs - MINUTE : null,
      webhook: '{"state":"none"}',
    });
    const requestId = newId('request', nowMs - AGE_MS, (n) => new Uint8Array(world.random.bytes(n)));
    const request = {
      batchId,
      accountId,
      keyId,
      requestId,
      fingerprint: 'f'.repeat(64),
      mode: 'live',
      options: options.value,
      webhookUrl: null,
    };
    insert('context', { id: 1, request: JSON.stringify(request) });
    for (const [index, stage] of stages.entries()) {
      insert('image', imageRow(index, stage, style, tag, nowMs));
      keepFiles(world, batchId, index, stage, style);
    }
  });
};

const imageRow = (
  index: number,
  stage: Stage,
  style: OldBatch['style'],
  tag: string,
  nowMs: number,
): Readonly<Record<string, SqlValue>> => ({
  index,
  status: isCompleted(stage)
    ? 'completed'
    : stage === 'failed'
      ? 'failed'
      : stage === 'running'
        ? 'processing'
        : 'queued',
  dispatches: style === 'batch' && (stage === 'sent' || stage === 'running') ? 1 : 0,
  dueAtMs: style === 'batch' && (stage === 'sent' || stage === 'running') ? nowMs + MINUTE : null,
  settlement: stage === 'decided' ? 'due' : isResolved(stage) ? 'settled' : 'open',
  outcome: isCompleted(stage)
    ? JSON.stringify(completedOutcome('amazon'))
    : stage === 'failed'
      ? JSON.stringify({ status: 'failed', code: 'no_product_found', detail: 'no product', retryable: false })
      : null,
  originalName: `${tag}-${index}.jpg`,
  filename: `${tag}-${index}.jpg`,
  inputUrl: style === 'batch' ? `https://a.shop-images.com/${tag}-${index}.jpg` : null,
});

const keepFiles = ({ bucket }: World, batchId: string, index: number, stage: Stage, style: OldBatch['style']): void => {
  const place = String(index).padStart(4, '0');
  if (style === 'upload') bucket.put(`inputs/${batchId}/${place}`, 64, 'image/jpeg');
  if (!isCompleted(stage)) return;
  const { bytes, preview_bytes } = completedOutcome('amazon');
  bucket.put(`results/${batchId}/${place}.jpg`, bytes);
  bucket.put(`results/${batchId}/${place}.preview.jpg`, preview_bytes);
};

/** Its caller has its 202 and goes on polling. */
const tell = async (world: World, book: Book, account: Account, { batchId, tag, stages }: OldBatch): Promise<void> => {
  const wish: Wish = {
    id: 'old0',
    account,
    style: 'batch',
    images: stages.length,
    idempotencyKey: undefined,
    mode: 'live',
    webhookUrl: undefined,
    marketplaces: [],
    respondAsync: false,
    changes: false,
    contested: false,
  };
  const charged = stages.length;
  book.wishes.push(wish);
  book.tried({
    wish,
    tag,
    heard: { status: 202, headers: new Headers(), body: { batch_id: batchId, charged_images: charged } },
  });
  book.statuses.set(batchId, []);
  const client: Client = { wish, actor: newActor('client of old0') };
  book.old.push(client);
  runAs(world.scheduler, client.actor, () => void follow(world, book, client, batchId).catch(world.broken));
};
