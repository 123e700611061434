/** What the parts of a batch's saga share: its rows, its clock, its commands. */
import type { SagaServices } from './effects.ts';
import type { Batch, BatchCommand, BatchDecision, BatchEffect, BatchReply } from './machine/types.ts';
import type { Snapshot } from './port.ts';

export type Decided = Pick<BatchDecision, 'reply' | 'effects'>;

export type SagaCore = {
  readonly storage: DurableObjectStorage;
  readonly now: () => number;
  readonly services: SagaServices;
  readonly batch: () => Batch | undefined;
  /** Load, decide, save: one transaction, no await. `onCreated` and `alsoSave` are part of it. */
  readonly execute: (command: BatchCommand, onCreated?: () => void, alsoSave?: (reply: BatchReply) => void) => Decided;
  /** Effects of a caller's command: what the caller waits for, then its replies; the rest after the caller is answered. */
  readonly runForCaller: (effects: readonly BatchEffect[]) => Promise<readonly (BatchReply | undefined)[]>;
  readonly snapshot: () => Snapshot;
  /** After the caller is answered. */
  readonly defer: (effects: readonly BatchEffect[]) => void;
  /** With every command that may have changed what is due. */
  readonly arm: () => void;
};
