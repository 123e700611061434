/**
 * What the Worker does for a request and for a queue message, in the order of the real flows; every call may break, and
 * the Worker may die at any await.
 */
import { edgeLimits } from '../../../edge/limits.ts';
import type { Outcome } from '../../../shared/job.ts';
import { limits } from '../../../shared/limits.ts';
import type { Auditor, Reply } from './auditor/auditor.ts';
import type { LedgerNode } from './ledger-node.ts';
import type { Machines } from './machines.ts';
import { type Answer, failed, type Job, type Origin } from './origin.ts';
import type { Message, Verdict } from './queue.ts';
import type { SagaNode } from './saga-node.ts';
import { type Node, Unreachable, type World } from './world.ts';

export type Submission = {
  /** The same for all tries of one wish. */
  readonly request: string;
  readonly ledger: LedgerNode;
  readonly style: 'upload' | 'batch';
  readonly images: number;
  readonly live: boolean;
  readonly idempotencyKey: string | undefined;
  readonly webhook: boolean;
};
export type EdgeDeps = {
  readonly machines: Machines;
  readonly auditor: Auditor;
  readonly origin: Origin;
  readonly newBatchId: () => string;
  readonly saga: (batchId: string, ledger: LedgerNode) => SagaNode;
  readonly sagaOf: (batchId: string) => SagaNode;
  readonly hasFile: (id: string) => boolean;
  /** What is wrong with an image, if anything; the same at every try. */
  readonly flaw: (batchId: string, index: number) => 'none' | 'no_product' | 'bad_url';
};

export const createEdge = (world: World, deps: EdgeDeps) => {
  const job = (saga: SagaNode, { batchId, index }: Message): Job => ({
    batchId,
    index,
    deadlineAtMs: saga.row()?.deadlineAtMs ?? 0,
    productless: deps.flaw(batchId, index) === 'no_product',
  });

  const askOrigin = (worker: Node, one: Job): Promise<Answer> =>
    world.call(worker, deps.origin.node, () => {
      if (!deps.origin.up()) throw new Unreachable('origin is down');
      return deps.origin.run(one);
    });

  /** The batch that this try may open or go on with, or the answer it gets without one. */
  const claim = async (
    worker: Node,
    wish: Submission,
  ): Promise<{ readonly batchId: string } | { readonly reply: Reply }> => {
    const batchId = deps.newBatchId();
    const key = wish.idempotencyKey;
    if (key === undefined) return { batchId };
    const begun = await world.call(worker, wish.ledger.node, () => wish.ledger.begin(key, batchId));
    if (begun.result === 'done') return { reply: JSON.parse(begun.answer.answer) as Reply };
    if (begun.result === 'in_flight') return { reply: { status: 409 } };
    return { batchId: begun.result === 'taken_over' ? begun.batchId : batchId };
  };

  const submit = async (worker: Node, wish: Submission): Promise<Reply> => {
    const claimed = await claim(worker, wish);
    if ('reply' in claimed) return claimed.reply;
    const { batchId } = claimed;
    const key = wish.idempotencyKey;
    if (key === undefined) return run(worker, wish, batchId);
    try {
      const reply = await run(worker, wish, batchId);
      const answer = { fingerprint: wish.request, requestId: wish.request, answer: JSON.stringify(reply) };
      const final = reply.status === 200 || reply.status === 202;
      await world.call(worker, wish.ledger.node, () =>
        final ? wish.ledger.finish(key, batchId, answer) : wish.ledger.drop(key, batchId),
      );
      return reply;
    } catch (error) {
      await world.call(worker, wish.ledger.node, () => wish.ledger.yieldLease(key, batchId));
      throw error;
    }
  };

  const run = async (worker: Node, wish: Submission, batchId: string): Promise<Reply> => {
    const { style, images, webhook } = wish;
    const saga = deps.saga(batchId, wish.ledger);
    const mode = wish.live || !deps.machines.rules.testKeysAreFree ? 'live' : 'test';
    const deadlineAtMs =
      world.now() +
      (style === 'upload' ? limits.upload.waitMsMax + edgeLimits.upload.deadlineGraceMs : limits.batch.deadlineMs);
    deps.auditor.batchAsked(batchId, {
      accountId: wish.ledger.accountId,
      images,
      live: wish.live,
      request: wish.request,
      webhook,
    });
    const hold = await world.call(worker, saga.node, () =>
      saga.open({ type: 'create', batchId, style, images, deadlineAtMs, webhook }, mode),
    );
    if (hold === 'refused') return { status: 402, batchId };
    if (hold === 'asking' && (await world.call(worker, saga.node, () => saga.giveUp())) === 'dropped')
      return { status: 503, batchId };
    return style === 'batch' ? { status: 202, batchId } : runUpload(worker, saga, batchId, images);
  };

  const runUpload = async (worker: Node, saga: SagaNode, batchId: string, images: number): Promise<Reply> => {
    const endsAtMs = world.now() + limits.upload.waitMsMax;
    await Promise.all(
      Array.from({ length: images }, (_, index) => runUploadImage(worker, saga, { batchId, index }, endsAtMs)),
    );
    const open =
      (await world.call(worker, saga.node, () => saga.status()))?.images.flatMap((status, index) =>
        status === 'completed' || status === 'failed' ? [] : [index],
      ) ?? [];
    await Promise.all(
      open.map((index) =>
        world.call(worker, saga.node, () =>
          saga.handle({ type: 'record', index, outcome: failed('deadline_exceeded', true) }),
        ),
      ),
    );
    const shown = await world.call(worker, saga.node, () => saga.status());
    return shown ? { status: 200, batchId, images: shown.images } : { status: 503, batchId };
  };

  const runUploadImage = async (worker: Node, saga: SagaNode, message: Message, endsAtMs: number): Promise<void> => {
    const { index } = message;
    const started = await world.call(worker, saga.node, () => saga.handle({ type: 'start', index }));
    if (started.result !== 'run') return;
    let outcome: Outcome = failed('origin_unavailable', true);
    for (let attempt = 1; attempt <= edgeLimits.origin.uploadAttemptsMax && world.now() < endsAtMs; attempt++) {
      const answer = await askOrigin(worker, job(saga, message)).catch(() => undefined);
      if (answer?.status === 200) {
        outcome = believed(message, answer.outcome);
        if (outcome.status === 'completed' || !outcome.retryable) break;
      }
      await world.sleep(
        worker,
        answer?.status === 503 ? answer.retryAfterMs : edgeLimits.origin.retryBaseMs * 2 ** attempt,
      );
    }
    await world.call(worker, saga.node, () => saga.handle({ type: 'record', index, outcome }));
  };

  const believed = ({ batchId, index }: Message, outcome: Outcome): Outcome =>
    outcome.status === 'failed' || !deps.machines.rules.lookForFile || deps.hasFile(`${batchId}:${index}`)
      ? outcome
      : failed('result_missing', true);

  const consume = async (message: Message, worker: Node): Promise<Verdict> => {
    const { batchId, index } = message;
    const saga = deps.sagaOf(batchId);
    const started = await world.call(worker, saga.node, () => saga.handle({ type: 'start', index }));
    if (started.result !== 'run') return 'ack';
    await world.sleep(worker, world.random.between(5, 500));
    if (deps.flaw(batchId, index) === 'bad_url') return recordAndAck(worker, saga, index, failed('url_status', false));
    const answer = await askOrigin(worker, job(saga, message)).catch(() => undefined);
    if (answer?.status === 200 && (answer.outcome.status === 'completed' || !answer.outcome.retryable))
      return recordAndAck(worker, saga, index, believed(message, answer.outcome));
    const retryAfterMs = answer?.status === 503 ? answer.retryAfterMs : 5_000;
    await world.call(worker, saga.node, () =>
      saga.handle({ type: 'postpone', index, retryAtMs: world.now() + retryAfterMs, because: 'wait' }),
    );
    return { retryAfterMs };
  };

  const recordAndAck = async (worker: Node, saga: SagaNode, index: number, outcome: Outcome): Promise<Verdict> => {
    await world.call(worker, saga.node, () => saga.handle({ type: 'record', index, outcome }));
    return 'ack';
  };

  const deadLetter = ({ batchId, index }: Message, worker: Node): Promise<Verdict> =>
    recordAndAck(worker, deps.sagaOf(batchId), index, failed('origin_unavailable', true));

  return { submit, consume, deadLetter };
};
