/**
 * The parts that decisions about a batch are made of. Each takes the batch's row and gives the rows and effects that
 * follow. Pure.
 */

import { backoffMs } from '../../../shared/backoff.ts';
import { type ErrorCode, errors } from '../../../shared/errors.ts';
import type { Outcome } from '../../../shared/job.ts';
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import {
  type Batch,
  type BatchEffect,
  type BatchView,
  type EndReason,
  type Image,
  inFlight,
  isOpen,
  isOver,
  newImage,
  type Settlement,
} from './types.ts';
import { attempting, exhausted, isSpent, type WebhookState } from './webhook-schedule.ts';

const redriveBackoff = { baseMs: edgeLimits.batch.redriveAfterMs, capMs: edgeLimits.batch.redriveCapMs };

/** What the ledger is asked from now on it is asked again, later each time, until it answers. */
export const owing = (batch: Batch, { nowMs, jitter }: Moment): Batch => ({
  ...batch,
  ledgerDueAtMs: nowMs + Math.ceil(backoffMs(batch.ledgerTries, redriveBackoff, jitter)),
  ledgerTries: batch.ledgerTries + 1,
});
export const answered = (batch: Batch): Batch => ({ ...batch, ledgerDueAtMs: null, ledgerTries: 0 });

/** When a decision is made, and how its pauses are spread: `jitter` in 0..1, drawn anew for each. */
export type Moment = { readonly nowMs: number; readonly jitter: number };

/** A part of a decision; steps of one decision follow each other. */
export type Step = {
  readonly batch: Batch;
  readonly images: readonly Image[];
  readonly effects: readonly BatchEffect[];
};

/** Failures that this tier decides by itself. */
const UNHEARD: ReadonlySet<ErrorCode> = new Set([
  'origin_unavailable',
  'origin_busy',
  'deadline_exceeded',
  'batch_stopped',
]);
/** Uploads begin their images without telling the batch. */
const isBegun = ({ style }: Batch, { status, waits, failures }: Image): boolean =>
  style === 'upload' || status === 'processing' || waits + failures > 0;
/** How many of these images a node may have made all the same. */
const unheardOf = (batch: Batch, images: readonly Image[], outcome: Outcome): number =>
  outcome.status === 'failed' && UNHEARD.has(outcome.code) ? images.filter((image) => isBegun(batch, image)).length : 0;

/** Gives undecided images their outcome, all the same one. */
export const conclude = (
  batch: Batch,
  view: BatchView,
  undecided: readonly Image[],
  outcome: Outcome,
  moment: Moment,
): Step => {
  if (undecided.length === 0) return { batch, images: [], effects: [] };
  const charged = batch.hold === 'held';
  const images = undecided.map(
    (image): Image => ({
      ...image,
      status: outcome.status,
      dueAtMs: null,
      outcome,
      settlement: charged ? 'due' : 'not_needed',
    }),
  );
  const { nowMs } = moment;
  const counted: Batch = {
    ...batch,
    processing: batch.processing - undecided.filter((image) => image.status === 'processing').length,
    [outcome.status]: batch[outcome.status] + images.length,
    unheard: batch.unheard + unheardOf(batch, undecided, outcome),
    unsettled: batch.unsettled + (charged ? images.length : 0),
  };
  const settling = settleTogether(counted, () => [...view.unsettledImages(commandRowsPerCall), ...images], moment);
  if (!isOver(counted)) return { ...settling, images };
  const webhook: WebhookState =
    counted.webhook.state === 'armed'
      ? { state: 'due', attempts: 0, firstAtMs: nowMs, dueAtMs: nowMs }
      : counted.webhook;
  const ended: Batch = { ...settling.batch, completedAtMs: nowMs, webhook: attempting(webhook, nowMs) };
  return { batch: ended, images, effects: [...settling.effects, { type: 'announce' }, ...deliver(webhook)] };
};

const { commandRowsPerCall } = edgeLimits.ledger;
const { settleTogetherMax, settleAfterMs } = edgeLimits.batch;

/** So few outcomes are not settled yet: more are waited for, an upload's all. */
const isFew = ({ style, unsettled, window }: Batch): boolean =>
  style === 'upload' || unsettled < Math.min(settleTogetherMax, Math.max(1, Math.floor(window / 4)));

/**
 * Settles what is due, now or with what follows soon. Until it is over, a batch has one call to the ledger under way at a
 * time, so that the windows it is told come in order.
 */
export const settleTogether = (batch: Batch, due: () => readonly Image[], moment: Moment): Step => {
  if (batch.unsettled === 0) return { batch, images: [], effects: [] };
  if (!isOver(batch) && (batch.ledgerTries > 0 || isFew(batch))) {
    const ledgerDueAtMs = batch.ledgerDueAtMs ?? moment.nowMs + settleAfterMs;
    return { batch: { ...batch, ledgerDueAtMs }, images: [], effects: [] };
  }
  return {
    batch: owing(batch, moment),
    images: [],
    effects: [{ type: 'settle', settlements: due().map(settlementOf) }],
  };
};

const deliver = (webhook: WebhookState): BatchEffect[] =>
  webhook.state === 'due' ? [{ type: 'deliver_webhook', attempt: webhook.attempts + 1 }] : [];

const settlementOf = (image: Image): Settlement => ({
  index: image.index,
  as: image.status === 'completed' ? 'posted' : 'voided',
});

const windowBackoff = { baseMs: edgeLimits.batch.windowAskMs, capMs: edgeLimits.batch.windowAskCapMs };

/** The ledger has answered. With nothing on its way and no place in the window, the batch asks again. */
export const fillWindow = (batch: Batch, { nowMs, jitter }: Moment): Step => {
  const more = dispatchMore(batch, nowMs);
  const isStarved = batch.style === 'batch' && !isOver(more.batch) && inFlight(more.batch) === 0;
  if (!isStarved) return { ...more, batch: answered(more.batch) };
  const ledgerDueAtMs = nowMs + Math.ceil(backoffMs(Math.max(0, batch.ledgerTries - 1), windowBackoff, jitter));
  return { ...more, batch: { ...more.batch, ledgerDueAtMs } };
};

/** Hands images to the queue in order while fewer than the window are in it or at work. */
export const dispatchMore = (batch: Batch, nowMs: number): Step => {
  if (batch.style === 'upload' || !isOpen(batch) || isOver(batch)) return { batch, images: [], effects: [] };
  const count = Math.min(batch.window - inFlight(batch), batch.images - batch.nextIndex);
  if (count <= 0) return { batch, images: [], effects: [] };
  const indexes = Array.from({ length: count }, (_, i) => batch.nextIndex + i);
  const images = indexes.map(
    (index): Image => ({ ...newImage(index), dispatches: 1, dueAtMs: nowMs + edgeLimits.batch.redispatchAfterMs }),
  );
  return { batch: { ...batch, nextIndex: batch.nextIndex + count }, images, effects: [{ type: 'dispatch', indexes }] };
};

/** One step after the other. */
export const both = (first: Step, second: Step): Step => ({
  batch: second.batch,
  images: [...first.images, ...second.images],
  effects: [...first.effects, ...second.effects],
});

/** At the deadline: every image without an outcome fails. */
export const failLate = (batch: Batch, view: BatchView, moment: Moment): Step =>
  conclude(batch, view, view.undecidedImages(limits.batch.imagesMax), deadlineExceeded, moment);

const deadlineExceeded: Outcome = {
  status: 'failed',
  code: 'deadline_exceeded',
  detail: errors.deadline_exceeded.title,
  retryable: true,
};

/** What an image becomes that was not begun before its batch was ended. */
export const stopped: Outcome = {
  status: 'failed',
  code: 'batch_stopped',
  detail: errors.batch_stopped.title,
  retryable: false,
};

/** Ends the batch early: what waits, in the queue or for its turn, fails; what was begun goes on. */
export const stop = (batch: Batch, view: BatchView, endReason: EndReason, moment: Moment): Step => {
  const waiting = view.undecidedImages(limits.batch.imagesMax).filter(({ status }) => status === 'queued');
  return conclude({ ...batch, endReason, nextIndex: batch.images }, view, waiting, stopped, moment);
};

/** Of a batch that was ended: images whose runner is gone. They were begun, and came to nothing. */
export const failStopped = (batch: Batch, view: BatchView, moment: Moment): Step =>
  conclude(batch, view, view.dueImages(moment.nowMs, limits.batch.imagesMax), stopped, moment);

/**
 * Images the queue or their runner lost. Each further time waits twice as long, up to a cap, so that a long queue is not
 * filled with copies. An upload's images have no queue: whoever sends the request again may run them.
 */
export const redispatch = (batch: Batch, view: BatchView, { nowMs }: Moment): Step => {
  const due = view.dueImages(nowMs, edgeLimits.batch.redispatchMax);
  if (due.length === 0) return { batch, images: [], effects: [] };
  const processing = batch.processing - due.filter((image) => image.status === 'processing').length;
  const queued = { status: 'queued' } as const;
  if (batch.style === 'upload')
    return {
      batch: { ...batch, processing },
      images: due.map((image) => ({ ...image, ...queued, dueAtMs: null })),
      effects: [],
    };
  const images = due.map((image) => ({
    ...image,
    ...queued,
    dispatches: image.dispatches + 1,
    dueAtMs: nowMs + backoffMs(image.dispatches, redispatchBackoff),
  }));
  return {
    batch: { ...batch, processing },
    images,
    effects: [{ type: 'dispatch', indexes: images.map((image) => image.index) }],
  };
};

const redispatchBackoff = { baseMs: edgeLimits.batch.redispatchAfterMs, capMs: edgeLimits.batch.redispatchCapMs };

/** Settles what is due, and asks for the window. */
export const settleAgain = (batch: Batch, view: BatchView, moment: Moment): Step => {
  if (batch.ledgerDueAtMs === null || moment.nowMs < batch.ledgerDueAtMs) return { batch, images: [], effects: [] };
  const settlements = view.unsettledImages(commandRowsPerCall).map(settlementOf);
  return {
    batch: owing(batch, moment),
    images: [],
    effects: [{ type: 'settle', settlements }],
  };
};

export const deliverAgain = (batch: Batch, _view: BatchView, { nowMs }: Moment): Step => {
  const { webhook } = batch;
  if (webhook.state !== 'due' || nowMs < webhook.dueAtMs) return { batch, images: [], effects: [] };
  if (isSpent(webhook)) return { batch: { ...batch, webhook: exhausted }, images: [], effects: [] };
  return { batch: { ...batch, webhook: attempting(webhook, nowMs) }, images: [], effects: deliver(webhook) };
};
