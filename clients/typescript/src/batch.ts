/** A batch that was created: how it stands, its end, its images as they finish. */
import { type CallOptions, sleep } from './call.ts';
import type { Deletion } from './deletion.ts';
import { ConnectionError } from './errors.ts';
import type { BatchStatus } from './generated.ts';
import { type FinishedImage, finishedImage } from './images.ts';
import type { Archive } from './results.ts';

/** Long-poll of the status endpoint, seconds: the API's own bound. */
const WAIT_SECONDS_MAX = 25;
const WAIT_SECONDS_FIRST = 2;
const POLL_MS_MIN = 1_000;

export type Progress = BatchStatus['progress'] & { readonly finished: number };

export type WaitOptions = CallOptions & {
  readonly onProgress?: ((progress: Progress, status: BatchStatus) => void) | undefined;
  /** For the whole wait, ms; a ConnectionError with code `timeout` ends it. The batch goes on. */
  readonly waitMsMax?: number | undefined;
};

export type ReadStatus = (batchId: string, waitSeconds: number, options: CallOptions) => Promise<BatchStatus>;
export type ReadResults = {
  readonly archive: (batchId: string, part: number, options: CallOptions) => Promise<Archive>;
  readonly table: (batchId: string, options: CallOptions) => Promise<string>;
};
/** Of one image, or of all. */
export type Delete = (batchId: string, imageId: string | undefined, options: CallOptions) => Promise<Deletion>;

export class Batch {
  readonly id: string;
  readonly #read: ReadStatus;
  readonly #delete: Delete;
  readonly #results: ReadResults;

  constructor(id: string, read: ReadStatus, remove: Delete, results: ReadResults) {
    this.id = id;
    this.#read = read;
    this.#delete = remove;
    this.#results = results;
  }

  /** How it stands now, or when it ends within `waitSeconds` (25 at most); with fresh links. */
  status({ waitSeconds = 0, ...options }: CallOptions & { readonly waitSeconds?: number } = {}): Promise<BatchStatus> {
    return this.#read(this.id, waitSeconds, options);
  }

  /** Resolves when every image is finished. */
  async wait(options: WaitOptions = {}): Promise<BatchStatus> {
    let last: BatchStatus | undefined;
    for await (last of this.#statuses(options));
    return last as BatchStatus;
  }

  /** Each image once, in the order in which they finish. */
  async *images(options: WaitOptions = {}): AsyncGenerator<FinishedImage> {
    const given = new Set<number>();
    for await (const status of this.#statuses(options)) {
      for (const [index, image] of status.images.entries()) {
        const finished = given.has(index) ? undefined : finishedImage(image, index);
        if (finished === undefined) continue;
        given.add(index);
        yield finished;
      }
    }
  }

  /**
   * All finished files as one ZIP, streamed; `parts` of it says how many archives a large batch makes. Throws a
   * RequestError (code `invalid_request`) for a `part` that there is not.
   */
  archive({ part = 1, ...options }: CallOptions & { readonly part?: number } = {}): Promise<Archive> {
    return this.#results.archive(this.id, part, options);
  }

  /** CSV with one row an image: verdict or error, credits, file and link. */
  table(options: CallOptions = {}): Promise<string> {
    return this.#results.table(this.id, options);
  }

  /**
   * Its inputs, results and names, once every image has ended; until then it throws, code `images_in_progress`. Nothing is
   * refunded. Afterwards `status` throws a NotFoundError, code `batch_deleted`.
   */
  delete(options: CallOptions = {}): Promise<Deletion> {
    return this.#delete(this.id, undefined, options);
  }

  /** One image of it, once that has ended. */
  deleteImage(imageId: string, options: CallOptions = {}): Promise<Deletion> {
    return this.#delete(this.id, imageId, options);
  }

  [Symbol.asyncIterator](): AsyncGenerator<FinishedImage> {
    return this.images();
  }

  /** The last one is that of a finished batch. Each poll waits at the service, which answers early when it ends. */
  async *#statuses({ onProgress, waitMsMax = Infinity, ...options }: WaitOptions): AsyncGenerator<BatchStatus> {
    const endsAtMs = Date.now() + waitMsMax;
    for (let waitSeconds = WAIT_SECONDS_FIRST, before = -1; ; ) {
      const askedAtMs = Date.now();
      const leftSeconds = Math.max(0, Math.floor((endsAtMs - askedAtMs) / 1_000));
      const status = await this.#read(this.id, Math.min(waitSeconds, leftSeconds), options);
      const { progress } = status;
      const finished = progress.completed + progress.failed;
      if (finished !== before) onProgress?.({ ...progress, finished }, status);
      before = finished;
      yield status;
      if (finished === progress.total) return;
      if (Date.now() >= endsAtMs)
        throw new ConnectionError(`The batch is not finished after ${waitMsMax} ms`, { code: 'timeout' });
      waitSeconds = waitSecondsOf(progress.total, finished);
      // A poll that was answered at once although nothing has ended: the service had no place for another waiter.
      await sleep(Math.max(0, Math.min(askedAtMs + POLL_MS_MIN, endsAtMs) - Date.now()), options.signal);
    }
  }
}

/** A single image is awaited; of many the first results are fetched before the last one is there. */
const waitSecondsOf = (total: number, finished: number): number =>
  total === 1 ? WAIT_SECONDS_MAX : Math.min(15, Math.max(WAIT_SECONDS_FIRST, Math.ceil((total - finished) / 4)));
