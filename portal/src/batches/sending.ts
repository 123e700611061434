/**
 * Photos on their way to the service, by folder: in this module's memory, so that they go on while other pages of the
 * portal are shown. What was sent is safe; a closed tab loses what was not.
 */
import { useEffect, useReducer } from 'preact/hooks';
import { lockFolder, type Release } from './folder-lock.ts';
import { folderLimits } from './limits.ts';
import { type Part, type Placed, partsOf } from './parts.ts';
import { type Refused, uploadPart } from './upload-photos.ts';

export type Local = {
  readonly file: File;
  readonly matte?: Blob | undefined;
  /** `refused`: it was no image of a batch, `why`; nothing was charged. */
  readonly state: 'waiting' | 'sending' | 'sent' | 'refused';
  readonly why?: string;
  /** Once it was sent. */
  readonly batchId?: string;
};
type More = Pick<Local, 'why' | 'batchId'>;
type Fields = Readonly<Record<string, string>>;
type Sending = {
  readonly folderId: string;
  readonly locals: Map<number, Local>;
  readonly queue: (Part & { readonly fields: Fields })[];
  /** Opened since the page was loaded. */
  readonly batches: Set<string>;
  running: number;
  /** Held while anything of it is to be sent. `asked`: and not got yet. */
  lock: Release | 'asked' | undefined;
  /** Times that the service knew of photos that this tab did not. */
  surprises: number;
  /** Why it has stopped. */
  stopped: Refused | undefined;
};

const sendings = new Map<string, Sending>();
const listeners = new Set<() => void>();
const changed = (): void => {
  for (const listener of listeners) listener();
};

const isBusy = ({ running, queue }: Sending): boolean => running > 0 || queue.length > 0;
addEventListener('beforeunload', (event) => {
  if (Array.from(sendings.values()).some(isBusy)) event.preventDefault();
});

type How = {
  /** The photos may take the place of others. */
  readonly isReplacement: boolean;
  /** Of the folder, where the caller has it. */
  readonly lock?: Release;
};

export const sendPhotos = (folderId: string, fields: Fields, photos: readonly Placed[], how: How): void => {
  const sending: Sending = sendings.get(folderId) ?? {
    folderId,
    locals: new Map(),
    queue: [],
    batches: new Set<string>(),
    running: 0,
    lock: undefined,
    surprises: 0,
    stopped: undefined,
  };
  sendings.set(folderId, sending);
  for (const { position, ...photo } of photos) sending.locals.set(position, { ...photo, state: 'waiting' });
  sending.queue.push(...partsOf(photos, how.isReplacement).map((part) => ({ ...part, fields })));
  if (sending.lock === undefined) sending.lock = how.lock;
  else how.lock?.();
  resume(sending);
};

/** After it was stopped, and what stopped it was mended. */
export const resumeSending = (folderId: string): void => {
  const sending = sendings.get(folderId);
  if (sending) resume(sending);
};

const resume = (sending: Sending): void => {
  sending.stopped = undefined;
  if (sending.lock === undefined) void lockAndRun(sending);
  else if (sending.lock !== 'asked') run(sending);
  changed();
};

/** Waits while another tab sends photos of the folder. */
const lockAndRun = async (sending: Sending): Promise<void> => {
  sending.lock = 'asked';
  sending.lock = await lockFolder(sending.folderId, { waits: true });
  run(sending);
};

const run = (sending: Sending): void => {
  while (sending.running < folderLimits.uploadsAtOnce && sending.queue.length > 0) {
    sending.running++;
    void work(sending);
  }
  letGo(sending);
  changed();
};

/** A stopped one keeps the lock: its photos are still to be sent. */
const letGo = (sending: Sending): void => {
  if (isBusy(sending) || typeof sending.lock !== 'function') return;
  sending.lock();
  sending.lock = undefined;
};

const work = async (sending: Sending): Promise<void> => {
  for (;;) {
    const part = sending.stopped ? undefined : sending.queue.shift();
    if (!part) break;
    mark(sending, part, 'sending');
    const answer = await uploadPart(sending.folderId, part, part.fields);
    if (answer.ok) {
      sending.batches.add(answer.batchId);
      mark(sending, part, 'sent', { batchId: answer.batchId });
    } else if (answer.stops) {
      sending.queue.unshift(part);
      sending.stopped = answer;
      mark(sending, part, 'waiting');
    } else if (answer.isSentAlready) {
      sending.surprises++;
      for (const { position } of part.photos) sending.locals.delete(position);
    } else mark(sending, part, 'refused', { why: answer.detail });
    for (const { position, detail } of answer.refused) markOne(sending, position, 'refused', { why: detail });
    changed();
  }
  sending.running--;
  letGo(sending);
  changed();
};

const mark = (sending: Sending, { photos }: Part, state: Local['state'], more: More = {}): void => {
  for (const { position } of photos) markOne(sending, position, state, more);
  changed();
};
const markOne = ({ locals }: Sending, position: number, state: Local['state'], more: More): void => {
  const before = locals.get(position);
  if (before) locals.set(position, { file: before.file, matte: before.matte, state, ...more });
};

export type SendingView = {
  readonly locals: ReadonlyMap<number, Local>;
  readonly batches: ReadonlySet<string>;
  readonly isBusy: boolean;
  /** This tab has the folder's lock. */
  readonly holdsLock: boolean;
  readonly surprises: number;
  readonly stopped: Refused | undefined;
};
const nothing: SendingView = {
  locals: new Map(),
  batches: new Set(),
  isBusy: false,
  holdsLock: false,
  surprises: 0,
  stopped: undefined,
};

export const useSending = (folderId: string): SendingView => {
  const [, render] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    const listener = (): void => render(undefined);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  const sending = sendings.get(folderId);
  return sending ? { ...sending, isBusy: isBusy(sending), holdsLock: typeof sending.lock === 'function' } : nothing;
};
