/**
 * One batch from its creation to its end: the coordinator (saga) of ledger, queue, origin and webhook. Pure: no I/O, no
 * clock, no platform type. `decide` reads through a view and returns the rows that change and the effects to run after
 * they are saved. An effect may be lost or happen twice; `tick`, sent at `nextWakeMs`, asks again for whatever was not
 * answered. What was not answered is never taken for a decision; only a deadline decides.
 *
 *     batch   queued → processing → completed · completed_with_errors · failed
 *     image   queued → processing → completed · failed          decided once
 *     hold    asking → held · refused                            for test keys too, of images and not of credits
 *     settled open → due → settled                               an outcome is saved before it is settled
 *     ended early: nothing more is begun; what waits fails, what is on its way settles as what it becomes
 */

import type { Outcome } from '../../../shared/job.ts';
import { edgeLimits } from '../../limits.ts';
import {
  answered,
  both,
  conclude,
  deliverAgain,
  dispatchMore,
  failLate,
  failStopped,
  fillWindow,
  type Moment,
  owing,
  redispatch,
  type Step,
  settleAgain,
  settleTogether,
  stop,
  stopped,
} from './steps.ts';
import {
  type Batch,
  type BatchCommand,
  type BatchDecision,
  type BatchEffect,
  type BatchReply,
  type BatchView,
  type EndReason,
  type HoldAnswered,
  type Image,
  isOpen,
  isOver,
  mayRun,
} from './types.ts';
import { afterAnswer, armed, nextWebhookMs, removedBefore } from './webhook-schedule.ts';

export * from './types.ts';

/** `jitter` in 0..1 spreads the pauses between calls. Throws only on what a bug can send: a batch of no images. */
export const decide = (view: BatchView, command: BatchCommand, nowMs: number, jitter = 1): BatchDecision => {
  const moment = { nowMs, jitter };
  const batch = view.batch();
  if (command.type === 'create') return batch ? createdBefore(batch) : create(command, moment);
  if (!batch) return command.type === 'give_up' ? neverOpened(command.batchId, nowMs) : reply('unknown_batch');
  switch (command.type) {
    case 'hold_answered':
      return holdAnswered(batch, command, moment);
    case 'give_up':
      return giveUp(batch, moment);
    case 'released':
      return {
        reply: { result: 'released' },
        ...(batch.hold === 'refused' && { batch: answered(batch) }),
        effects: [],
      };
    case 'start':
      return start(batch, view.image(command.index), nowMs);
    case 'postpone':
      return postpone(batch, view, command, moment);
    case 'remove':
      return remove(batch, view, command.index, moment);
    case 'end':
      return end(batch, view, command.reason, moment);
    case 'record':
      return record(batch, view, command.index, command.outcome, moment);
    case 'settled':
      return settled(batch, view, command, moment);
    case 'webhook_answered':
      return {
        reply: { result: 'webhook_noted' },
        batch: { ...batch, webhook: afterAnswer(batch.webhook, command.answer, command.jitter, nowMs) },
        effects: [],
      };
    case 'tick':
      return tick(batch, view, moment);
  }
};

/** When `tick` is to be sent next. Null: the batch needs nothing more. */
export const nextWakeMs = (view: BatchView): number | null => {
  const batch = view.batch();
  if (!batch) return null;
  const undecided = isOpen(batch) && !isOver(batch);
  const times = [
    batch.ledgerDueAtMs,
    undecided ? batch.deadlineAtMs : null,
    undecided ? view.earliestDueMs() : null,
    nextWebhookMs(batch.webhook),
    forgetAtMs(batch),
  ];
  const owed = times.filter((time) => time !== null);
  return owed.length > 0 ? Math.min(...owed) : null;
};

type PlainResult = Exclude<BatchReply['result'], 'already_decided' | 'opened' | 'refused'>;
const reply = (result: PlainResult): BatchDecision => ({ reply: { result }, effects: [] });

/** Null while the ledger owes an answer: what is not settled is not forgotten. */
const forgetAtMs = (batch: Batch): number | null =>
  batch.ledgerDueAtMs !== null
    ? null
    : batch.createdAtMs + (batch.hold === 'refused' ? edgeLimits.batch.refusedKeptMs : edgeLimits.batch.keptMs);

/** What a batch begins as. */
const blank: Omit<Batch, 'batchId' | 'createdAtMs' | 'deadlineAtMs'> = {
  style: 'batch',
  images: 0,
  hold: 'asking',
  isGivenUp: false,
  capReached: null,
  window: 0,
  nextIndex: 0,
  processing: 0,
  completed: 0,
  failed: 0,
  unheard: 0,
  unsettled: 0,
  ledgerDueAtMs: null,
  ledgerTries: 0,
  completedAtMs: null,
  webhook: { state: 'none' },
  endReason: null,
  removedAtMs: null,
  retentionDays: null,
  expiredAtMs: null,
};

const create = (command: Extract<BatchCommand, { type: 'create' }>, moment: Moment): BatchDecision => {
  const { batchId, style, images, deadlineAtMs, answer } = command;
  if (!Number.isSafeInteger(images) || images < 1) throw new RangeError(`batch of ${images} images`);
  const webhook = command.webhook ? armed : blank.webhook;
  const batch: Batch = { ...blank, batchId, style, images, createdAtMs: moment.nowMs, deadlineAtMs, webhook };
  if (answer) return holdAnswered(batch, answer, moment);
  return { reply: { result: 'created' }, batch: owing(batch, moment), effects: [] };
};

/** Created again while the ledger owes its answer, the batch asks at once instead of at its alarm. */
const createdBefore = ({ hold, images }: Batch): BatchDecision => ({
  reply: { result: 'already_created' },
  effects: hold === 'asking' ? [{ type: 'ask_hold', images }] : [],
});

const refuse = (batch: Batch, capReached: Batch['capReached'] = null): Batch => ({
  ...answered(batch),
  hold: 'refused',
  capReached,
});

type HoldAnswer = 'held' | 'refused';

const holdAnswered = (batch: Batch, held: HoldAnswered, moment: Moment): BatchDecision => {
  const { answer, available, window, retentionDays, capReached } = held;
  if (batch.hold === 'refused') return heldTooLate(batch, answer, available, moment);
  if (batch.hold !== 'asking') return { reply: { result: 'opened', available }, effects: [] };
  if (answer === 'refused')
    return {
      reply: { result: 'refused', available },
      batch: refuse(batch, capReached),
      effects: [{ type: 'discard_inputs' }],
    };
  const opened = fillWindow({ ...batch, hold: 'held', window, retentionDays }, moment);
  return { reply: { result: 'opened', available }, ...opened };
};

/** The batch was given up meanwhile: a hold goes back. */
const heldTooLate = (batch: Batch, answer: HoldAnswer, available: number, moment: Moment): BatchDecision => {
  const refused = { reply: { result: 'refused', available }, effects: [] } as const;
  return answer === 'held' ? { ...refused, batch: owing(batch, moment), effects: [{ type: 'release_hold' }] } : refused;
};

/** A hold may have been granted without our knowing, so it is released in any case, until the ledger has answered. */
const giveUp = (batch: Batch, moment: Moment): BatchDecision => {
  if (batch.hold !== 'asking')
    return { reply: { result: batch.hold === 'refused' ? 'refused' : 'opened', available: null }, effects: [] };
  return {
    reply: { result: 'refused', available: null },
    batch: { ...owing(refuse(batch), moment), isGivenUp: true },
    effects: [{ type: 'release_hold' }, { type: 'discard_inputs' }],
  };
};

/** A batch of nothing that remembers that its id was given up. */
const neverOpened = (batchId: string, nowMs: number): BatchDecision => ({
  reply: { result: 'refused', available: null },
  batch: { ...blank, batchId, createdAtMs: nowMs, deadlineAtMs: nowMs, hold: 'refused', isGivenUp: true },
  effects: [],
});

const start = (batch: Batch, image: Image | undefined, nowMs: number): BatchDecision => {
  if (!image) return reply('unknown_image');
  if (!mayRun(batch, image.index)) return reply('not_open');
  if (image.outcome) return decided(image.outcome);
  if (nowMs >= batch.deadlineAtMs) return reply('late');
  const again = image.status === 'processing';
  if (again && image.dueAtMs !== null && nowMs < image.dueAtMs) return reply('busy');
  // Whoever began it is gone; nothing of a batch that was ended is begun again.
  if (batch.endReason !== null) return reply('late');
  const started: Image = { ...image, status: 'processing', dueAtMs: nowMs + edgeLimits.batch.redispatchAfterMs };
  return {
    reply: { result: 'run' },
    batch: { ...batch, processing: batch.processing + (again ? 0 : 1) },
    images: [started],
    effects: [],
  };
};

const postpone = (
  batch: Batch,
  view: BatchView,
  { index, retryAtMs, because }: Extract<BatchCommand, { type: 'postpone' }>,
  moment: Moment,
): BatchDecision => {
  const image = view.image(index);
  if (!image) return reply('unknown_image');
  if (image.outcome) return decided(image.outcome);
  if (batch.endReason !== null)
    return { reply: { result: 'recorded' }, ...conclude(batch, view, [image], stopped, moment) };
  const wasProcessing = image.status === 'processing';
  const waiting: Image = {
    ...image,
    status: 'queued',
    dispatches: 0,
    dueAtMs: retryAtMs,
    waits: image.waits + (because === 'wait' ? 1 : 0),
    failures: image.failures + (because === 'failure' ? 1 : 0),
  };
  return {
    reply: { result: 'postponed' },
    batch: { ...batch, processing: batch.processing - (wasProcessing ? 1 : 0) },
    images: [waiting],
    effects: [],
  };
};

/** An upload's images are all on their way, and its deadline is near: it ends by itself. */
const end = (batch: Batch, view: BatchView, reason: EndReason, moment: Moment): BatchDecision => {
  if (!isOpen(batch)) return reply('not_open');
  if (isOver(batch) || batch.endReason !== null || batch.style === 'upload') return reply('ended');
  return { reply: { result: 'ended' }, ...stop(batch, view, reason, moment) };
};

/** Its webhook, if it is still due, has nothing left to tell. */
const remove = (batch: Batch, view: BatchView, index: number | null, { nowMs }: Moment): BatchDecision => {
  if (!isOpen(batch)) return reply('not_open');
  if (batch.removedAtMs !== null) return reply('removed');
  if (index !== null) {
    const image = view.image(index);
    return reply(image === undefined ? 'unknown_image' : image.outcome === null ? 'in_progress' : 'removed');
  }
  if (!isOver(batch)) return reply('in_progress');
  const webhook = batch.webhook.state === 'due' ? removedBefore : batch.webhook;
  return { reply: { result: 'removed' }, batch: { ...batch, removedAtMs: nowMs, webhook }, effects: [] };
};

const decided = (outcome: Outcome): BatchDecision => ({ reply: { result: 'already_decided', outcome }, effects: [] });

const record = (batch: Batch, view: BatchView, index: number, outcome: Outcome, moment: Moment): BatchDecision => {
  const image = view.image(index);
  if (!image) return reply('unknown_image');
  if (!mayRun(batch, index)) return reply('not_open');
  if (image.outcome) return decided(image.outcome);
  const concluded = conclude(batch, view, [image], outcome, moment);
  if (batch.hold === 'held') return { reply: { result: 'recorded' }, ...concluded };
  // From before test keys held their images: no settlement brings the next window.
  const more = dispatchMore(concluded.batch, moment.nowMs);
  return {
    reply: { result: 'recorded' },
    batch: more.batch,
    images: [...concluded.images, ...more.images],
    effects: [...concluded.effects, ...more.effects],
  };
};

const settled = (
  batch: Batch,
  view: BatchView,
  { indexes: confirmedIndexes, window }: Extract<BatchCommand, { type: 'settled' }>,
  moment: Moment,
): BatchDecision => {
  const indexes = batch.unsettled === 0 ? [] : confirmedIndexes;
  const images = indexes.flatMap((index): Image[] => {
    const image = view.image(index);
    return image?.settlement === 'due' ? [{ ...image, settlement: 'settled' }] : [];
  });
  const confirmed = { ...batch, window, unsettled: batch.unsettled - images.length };
  // Where nothing is left to settle, that is said once for the batch and not for each of its images.
  if (confirmed.unsettled === 0 && isOver(batch))
    return { reply: { result: 'settled' }, batch: answered(confirmed), effects: [] };
  const filled = fillWindow(confirmed, moment);
  const isSettled = new Set(images.map(({ index }) => index));
  const due = () =>
    view.unsettledImages(edgeLimits.ledger.commandRowsPerCall).filter(({ index }) => !isSettled.has(index));
  const done = both({ ...filled, images: [...images, ...filled.images] }, settleTogether(filled.batch, due, moment));
  return { reply: { result: 'settled' }, ...done };
};

const tick = (batch: Batch, view: BatchView, moment: Moment): BatchDecision => {
  const { nowMs } = moment;
  const forgetAt = forgetAtMs(batch);
  if (forgetAt !== null && nowMs >= forgetAt) return { reply: { result: 'ticked' }, effects: [{ type: 'forget' }] };
  if (batch.hold === 'refused') return askAgain(batch, { type: 'release_hold' }, moment);
  if (batch.hold === 'asking') return askAgain(batch, { type: 'ask_hold', images: batch.images }, moment);
  const late = nowMs >= batch.deadlineAtMs;
  const undecided = late ? failLate : batch.endReason === null ? redispatch : failStopped;
  const steps = [undecided, settleAgain, deliverAgain];
  const done = steps.reduce((before: Step, step) => both(before, step(before.batch, view, moment)), {
    batch,
    images: [],
    effects: [],
  });
  return { reply: { result: 'ticked' }, ...done };
};

/** The ledger was asked for the hold, or to return it, and no answer came. */
const askAgain = (batch: Batch, effect: BatchEffect, moment: Moment): BatchDecision => {
  if (batch.ledgerDueAtMs === null || moment.nowMs < batch.ledgerDueAtMs) return reply('ticked');
  return {
    reply: { result: 'ticked' },
    batch: owing(batch, moment),
    effects: [effect],
  };
};
