/** Rows, commands, replies and effects of a batch, and what can be read off its row. Pure. */
import type { BatchStatus, ImageStatus } from '../../../shared/api.ts';
import type { Outcome } from '../../../shared/job.ts';
import type { CapReached } from '../../account/ledger/types.ts';
import type { WebhookState } from './webhook-schedule.ts';

export type Style = 'upload' | 'batch';

export type Batch = {
  readonly batchId: string;
  readonly style: Style;
  readonly images: number;
  readonly createdAtMs: number;
  readonly deadlineAtMs: number;
  /** `not_needed`: of a test key, from before their images were counted. */
  readonly hold: 'not_needed' | 'asking' | 'held' | 'refused';
  /** Refused because its caller was answered with an error. */
  readonly isGivenUp: boolean;
  /** Refused because its key has spent what it may on that day; null where it was not, or for another reason. */
  readonly capReached: CapReached | null;
  /** Images that may be in the queue or at work at once, as the ledger said last. */
  readonly window: number;
  /** Images from here on were never handed to the queue. Uploads use no queue. */
  readonly nextIndex: number;
  readonly processing: number;
  readonly completed: number;
  readonly failed: number;
  /** Of the failed: those given up without what the fleet made of them having been heard. */
  readonly unheard: number;
  /** Outcomes saved but not yet confirmed by the ledger. */
  readonly unsettled: number;
  /** When the ledger is asked again: for the hold, its return, or to settle. Null while nothing is owed. */
  readonly ledgerDueAtMs: number | null;
  /** Calls to the ledger in a row that brought no answer. */
  readonly ledgerTries: number;
  readonly completedAtMs: number | null;
  readonly webhook: WebhookState;
  /** Why it was ended before its images were done; null otherwise. */
  readonly endReason: EndReason | null;
  /** When its owner deleted it; its rows count on for the ledger. */
  readonly removedAtMs: number | null;
  /** Days that its files are kept, as the account wanted; null: as long as by default. */
  readonly retentionDays: number | null;
  /** When its files were deleted at the end of their life. */
  readonly expiredAtMs: number | null;
};

/** `key_revoked`: the key that made the batch was revoked. */
export type EndReason = 'key_revoked';

export type Image = {
  readonly index: number;
  readonly status: ImageStatus;
  /** Times it was handed to the queue; spaces out the next time. */
  readonly dispatches: number;
  /**
   * Queued: when it is handed over again. Processing: until when the one who started it is trusted to be alive. Null
   * once decided or never dispatched.
   */
  readonly dueAtMs: number | null;
  /** Times it was told to wait; spaces out the next time, and ends nothing. */
  readonly waits: number;
  /** Times it was tried and failed: its input could not be fetched, or processed. */
  readonly failures: number;
  readonly settlement: 'open' | 'due' | 'settled' | 'not_needed';
  readonly outcome: Outcome | null;
};

/** `wait`: no node took it. `failure`: it was tried. */
export type PostponeReason = 'wait' | 'failure';

/** `available`: credits of the account as the ledger answered, after the hold if it was held. */
export type HoldAnswered = {
  readonly type: 'hold_answered';
  readonly answer: 'held' | 'refused';
  readonly available: number;
  readonly window: number;
  /** Why it was refused. */
  readonly capReached?: CapReached;
  readonly isKeyRevoked?: true;
  readonly retentionDays: number | null;
};

export type BatchCommand =
  | {
      readonly type: 'create';
      readonly batchId: string;
      readonly style: Style;
      readonly images: number;
      readonly deadlineAtMs: number;
      readonly webhook: boolean;
      /** What the ledger has answered already; without it, it is asked. */
      readonly answer?: HoldAnswered | undefined;
    }
  | HoldAnswered
  /** The caller will be answered with an error: unless the batch is open already, it never will be. */
  | { readonly type: 'give_up'; readonly batchId: string }
  /** The ledger has returned what was held, or knows that nothing was. */
  | { readonly type: 'released' }
  | { readonly type: 'start'; readonly index: number }
  /** Whoever started the image could not finish it: it is handed over again at `retryAtMs`. */
  | {
      readonly type: 'postpone';
      readonly index: number;
      readonly retryAtMs: number;
      readonly because: PostponeReason;
    }
  | { readonly type: 'record'; readonly index: number; readonly outcome: Outcome }
  /** No further image is begun: those that wait fail, those on their way settle as what they become. */
  | { readonly type: 'end'; readonly reason: EndReason }
  /** The owner deletes an image, or with null all of them. */
  | { readonly type: 'remove'; readonly index: number | null }
  /** The ledger confirmed these resolutions, now or before; they may be none. */
  | { readonly type: 'settled'; readonly indexes: readonly number[]; readonly window: number }
  | { readonly type: 'webhook_answered'; readonly answer: 'delivered' | 'gone' | 'failed'; readonly jitter: number }
  | { readonly type: 'tick' };

export type BatchReply =
  | { readonly result: 'created' | 'already_created' }
  /** `available`: credits of the account, null where the ledger was not asked. */
  | { readonly result: 'opened' | 'refused'; readonly available: number | null }
  | { readonly result: 'run' | 'busy' | 'late' }
  | { readonly result: 'postponed' | 'recorded' }
  /** The image has its one outcome; this is it. */
  | { readonly result: 'already_decided'; readonly outcome: Outcome }
  | { readonly result: 'settled' | 'released' | 'webhook_noted' | 'ticked' }
  /** Nothing of the batch will be begun any more. */
  | { readonly result: 'ended' }
  /** `in_progress`: it is not decided yet, and stays. */
  | { readonly result: 'removed' | 'in_progress' }
  /** No such batch or image here, or its credits are not held: nothing may run. */
  | { readonly result: 'unknown_batch' | 'unknown_image' | 'not_open' };

export type Settlement = { readonly index: number; readonly as: 'posted' | 'voided' };
export type BatchEffect =
  | { readonly type: 'ask_hold'; readonly images: number }
  /** The batch was given up: whatever is or will be held for it goes back. */
  | { readonly type: 'release_hold' }
  | { readonly type: 'dispatch'; readonly indexes: readonly number[] }
  /** Posts and voids, none where the batch only asks for its window. */
  | { readonly type: 'settle'; readonly settlements: readonly Settlement[] }
  | { readonly type: 'deliver_webhook'; readonly attempt: number }
  | { readonly type: 'discard_inputs' }
  /** The batch has ended: wake those who wait for it. */
  | { readonly type: 'announce' }
  | { readonly type: 'forget' };

/** What `decide` may read. Lists come in ascending order of index and carry at most `max` rows. */
export type BatchView = {
  readonly batch: () => Batch | undefined;
  /** Of 0 to `images` − 1; one that was neither handed over nor decided is as `newImage` has it. */
  readonly image: (index: number) => Image | undefined;
  /** Undecided images whose `dueAtMs` is at or before `nowMs`. */
  readonly dueImages: (nowMs: number, max: number) => readonly Image[];
  readonly undecidedImages: (max: number) => readonly Image[];
  readonly unsettledImages: (max: number) => readonly Image[];
  /** The smallest `dueAtMs` among undecided images. */
  readonly earliestDueMs: () => number | null;
};

/** What the caller saves in one transaction, before it carries out the effects. */
export type BatchDecision = {
  readonly reply: BatchReply;
  readonly batch?: Batch;
  readonly images?: readonly Image[];
  readonly effects: readonly BatchEffect[];
};

export const newImage = (index: number): Image => ({
  index,
  status: 'queued',
  dispatches: 0,
  dueAtMs: null,
  waits: 0,
  failures: 0,
  settlement: 'open',
  outcome: null,
});

export const batchStatus = (batch: Batch): BatchStatus => {
  if (batch.failed === batch.images) return 'failed';
  if (isOver(batch)) return batch.failed > 0 ? 'completed_with_errors' : 'completed';
  return batch.processing + batch.completed + batch.failed > 0 ? 'processing' : 'queued';
};

export const isOver = (batch: Batch): boolean => batch.completed + batch.failed === batch.images;

/** Credits are held, or none are needed. */
export const isOpen = (batch: Batch): boolean => batch.hold === 'held' || batch.hold === 'not_needed';

/** Images in the queue, at work, or waiting to be handed over again. */
export const inFlight = (batch: Batch): number => batch.nextIndex - batch.completed - batch.failed;

/** The image may run: its batch is open and, where there is a queue, it was handed to it. */
export const mayRun = (batch: Batch, index: number): boolean =>
  isOpen(batch) && (batch.style === 'upload' || index < batch.nextIndex);
