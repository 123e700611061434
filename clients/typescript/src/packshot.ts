/** The client: each method is one thing that a caller wants, with its retries and its Idempotency-Key. */
import { Batch } from './batch.ts';
import { type CallOptions, call, randomKey, type Settings } from './call.ts';
import { type Deletion, deleteAt, pathOfBatch } from './deletion.ts';
import { type Downloadable, download } from './download.ts';
import { NotFoundError, RequestError, ServiceError } from './errors.ts';
import type {
  Account,
  BatchCreated,
  BatchStatus,
  Check,
  Marketplaces,
  Options,
  Retention,
  UploadResponse,
  WebhookEvents,
} from './generated.ts';
import { type FinishedImage, type Image, uploadedImage } from './images.ts';
import { type FileImage, type ImageInput, imageOf, type UrlImage } from './inputs.ts';
import { Keys } from './keys.ts';
import { archiveAt, tableOf } from './results.ts';
import { unwrap, unwrapEvent } from './webhooks.ts';

export type PackshotOptions = {
  /** `packshot_live_…` or `packshot_test_…`. Left out, the environment's PACKSHOT_API_KEY, or PACKSHOT_KEY. */
  readonly apiKey?: string | undefined;
  /** Of the service, without /api/v1. Left out, the environment's PACKSHOT_BASE_URL, or PACKSHOT_URL. */
  readonly baseUrl?: string | undefined;
  /** For one try, ms; 90 s unless told otherwise: an upload's answer may take a minute. */
  readonly timeoutMs?: number | undefined;
  /** Tries after the first one; 5 unless told otherwise. */
  readonly retriesMax?: number | undefined;
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
};

/** How the image shall be; what is left out or undefined is the marketplace's default. */
export type ImageOptions = { readonly [Name in keyof Options]?: Options[Name] | undefined };

export type CreateOptions = CallOptions & {
  /** Made at random for each call unless given: the same key and input are charged once, within 24 hours. */
  readonly idempotencyKey?: string | undefined;
};
export type UrlOptions = {
  /** With URLs only: the Authorization header with which all of them are fetched; https, and one host. */
  readonly inputAuthorization?: string | undefined;
};
export type BatchOptions = CreateOptions &
  UrlOptions & {
    /** Told when the batch has ended; URLs only. */
    readonly webhookUrl?: string | undefined;
  };

export type WebhookEventsOptions = CallOptions & {
  /** `next` of the answer before; left out: from now on. */
  readonly after?: string | undefined;
  /** To wait for an event, 25 at most; 0 unless told otherwise. */
  readonly waitSeconds?: number | undefined;
};

/** What the call itself came to, beside the image. */
export type Created = Image & {
  readonly request_id: string;
  readonly credits_charged: number;
  /** True where this answer is that of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
};
export type CreatedBatch = Batch & { readonly created: BatchCreated };

const HERO = '/api/v1/service-hero';
const CHECK = '/api/v1/check';
const TIMEOUT_MS = 90_000;
const RETRIES_MAX = 5;

/** What the first of these variables says that is set. */
const fromEnvironment = (...names: readonly string[]): string | undefined => {
  const env = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env;
  return names.map((name) => env?.[name]).find((value) => value);
};

export class Packshot {
  readonly webhooks: { readonly unwrap: typeof unwrap; readonly unwrapEvent: typeof unwrapEvent } = {
    unwrap,
    unwrapEvent,
  };
  /** Keys of the account; needs a key with the scope `admin`. */
  readonly keys: Keys;
  readonly #settings: Settings;

  constructor(options: PackshotOptions = {}) {
    const apiKey = options.apiKey ?? fromEnvironment('PACKSHOT_API_KEY', 'PACKSHOT_KEY');
    const baseUrl = options.baseUrl ?? fromEnvironment('PACKSHOT_BASE_URL', 'PACKSHOT_URL');
    if (!apiKey) throw new TypeError('apiKey is missing; give it, or set PACKSHOT_API_KEY');
    if (!baseUrl) throw new TypeError('baseUrl is missing; give it, or set PACKSHOT_BASE_URL');
    this.#settings = {
      apiKey,
      baseUrl: baseUrl.replace(/\/+$/, ''),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      retriesMax: options.retriesMax ?? RETRIES_MAX,
      // Looked up at every call, and called without `this`, as browsers demand.
      fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    };
    this.keys = new Keys(this.#settings);
  }

  /** One image, from its photo to its result. Throws ImageError where the photo cannot be used; that costs nothing. */
  async create(
    input: ImageInput,
    options: ImageOptions = {},
    { inputAuthorization, ...callOptions }: CreateOptions & UrlOptions = {},
  ): Promise<Created> {
    const image = await imageOf(input);
    mustBeUrls(image.kind === 'url', 'inputAuthorization', inputAuthorization);
    const created =
      image.kind === 'url' ? await this.#fromUrl(image, options, callOptions, inputAuthorization) : undefined;
    return created ?? this.#fromFile(image as FileImage, options, callOptions);
  }

  /**
   * What there is to find about a photo, before it is paid for: nothing is made, and nothing is charged. Throws
   * ImageError where the photo cannot be read, RateLimitError (code `check_quota_exceeded`) where the account's free
   * checks of the day are used up; those of the minute are waited for.
   */
  async check(
    input: ImageInput,
    options: ImageOptions = {},
    { inputAuthorization, ...callOptions }: CallOptions & UrlOptions = {},
  ): Promise<Check> {
    const image = await imageOf(input);
    mustBeUrls(image.kind === 'url', 'inputAuthorization', inputAuthorization);
    const sent =
      image.kind === 'file'
        ? { body: formOf([image], options) }
        : {
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ ...urlEntry(image), options, input_authorization: inputAuthorization }),
          };
    return (await this.#json<Check>('POST', CHECK, sent, callOptions)).body;
  }

  /** Many images: up to 1,000 URLs, or up to 20 files. Resolves when the batch is accepted and its credits are held. */
  async createBatch(
    inputs: readonly ImageInput[],
    options: ImageOptions = {},
    { webhookUrl, inputAuthorization, ...callOptions }: BatchOptions = {},
  ): Promise<CreatedBatch> {
    const images = await Promise.all(inputs.map(imageOf));
    const urls = images.filter((image) => image.kind === 'url');
    const files = images.filter((image) => image.kind === 'file');
    if (urls.length > 0 && files.length > 0) throw new TypeError('a batch holds URLs or files, not both');
    mustBeUrls(files.length === 0, 'webhookUrl', webhookUrl);
    mustBeUrls(files.length === 0, 'inputAuthorization', inputAuthorization);
    const { body: created } =
      files.length > 0
        ? await this.#upload<BatchCreated>(files, options, callOptions, { prefer: 'respond-async' })
        : await this.#batch(urls, options, callOptions, { webhookUrl, inputAuthorization });
    return Object.assign(this.batch(created.batch_id), { created });
  }

  /** A batch that was created before, by the same key. */
  batch(batchId: string): Batch {
    return new Batch(
      batchId,
      (id, waitSeconds, options) => this.#status(id, waitSeconds, options),
      async (id, imageId, options) => deleteAt(this.#settings, pathOfBatch(id, imageId), options),
      {
        archive: async (id, part, options) => archiveAt(this.#settings, id, part, options),
        table: async (id, options) => tableOf(this.#settings, id, options),
      },
    );
  }

  /** The file of a result. Its SHA-256 is checked, and a link that has expired is renewed. */
  download(from: Downloadable | string, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return download(this.#settings, from, options, async ({ batch_id, image_id, marketplace }) => {
      const { images } = await this.batch(batch_id).status(options);
      const found = images.find((image) => image.image_id === image_id);
      if (found?.status !== 'completed') return gone(image_id);
      const output = found.outputs?.find((one) => one.marketplace === marketplace);
      return (marketplace === undefined ? found.clean_download_url : output?.output_url) || gone(image_id);
    });
  }

  /** The rules of every marketplace, each with its source. */
  async marketplaces(options: CallOptions = {}): Promise<Marketplaces['marketplaces']> {
    return (await this.#json<Marketplaces>('GET', '/api/v1/marketplaces', {}, options)).body.marketplaces;
  }

  async account(options: CallOptions = {}): Promise<Account> {
    return (await this.#json<Account>('GET', '/api/v1/account', {}, options)).body;
  }

  /**
   * For batches sent from now on: days that results are kept (0 to 30), 0 until their first complete download, null as the
   * service keeps them. Needs a key with the scope `admin`. Answers what is set.
   */
  async setRetention(days: number | null, options: CallOptions = {}): Promise<number | null> {
    const sent = { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ retention_days: days }) };
    return (await this.#json<Retention>('PATCH', '/api/v1/account/retention', sent, options)).body.retention_days;
  }

  /**
   * Everything that any key of the account sent and got until now; balance, keys and ledger stay. Needs a key with the
   * scope `admin`. Throws while images are being processed, code `images_in_progress`.
   */
  deleteAccountData(options: CallOptions = {}): Promise<Deletion> {
    return deleteAt(this.#settings, '/api/v1/account/data', options);
  }

  /** For development: ends of the account's batches as their webhooks would bring them, for `webhooks.unwrap` with its `secret`. */
  async webhookEvents({ after, waitSeconds = 0, ...options }: WebhookEventsOptions = {}): Promise<WebhookEvents> {
    const query = new URLSearchParams({ wait: String(waitSeconds), ...(after === undefined ? {} : { after }) });
    return (await this.#json<WebhookEvents>('GET', `/api/v1/webhook-events?${query}`, {}, options)).body;
  }

  async #fromFile(image: FileImage, options: ImageOptions, callOptions: CreateOptions): Promise<Created> {
    const { body, ...facts } = await this.#upload<UploadResponse>([image], options, callOptions);
    return { ...completed(uploadedImage(body.results[0] as UploadResponse['results'][number], 0)), ...facts };
  }

  async #fromUrl(
    image: UrlImage,
    options: ImageOptions,
    callOptions: CreateOptions,
    inputAuthorization: string | undefined,
  ): Promise<Created> {
    const { body, ...facts } = await this.#batch([image], options, callOptions, { inputAuthorization });
    for await (const finished of this.batch(body.batch_id).images(callOptions))
      return { ...completed(finished), ...facts };
    throw new ServiceError('The batch ended without its image', { code: 'no_image' });
  }

  #upload<T>(
    images: readonly FileImage[],
    options: ImageOptions,
    callOptions: CreateOptions,
    headers: Record<string, string> = {},
  ) {
    return this.#create<T>(formOf(images, options), headers, callOptions);
  }

  #batch(
    images: readonly UrlImage[],
    options: ImageOptions,
    callOptions: CreateOptions,
    { webhookUrl, inputAuthorization }: BatchOptions,
  ): Promise<Answered<BatchCreated>> {
    // What is undefined is not written.
    const body = {
      images: images.map(urlEntry),
      options,
      webhook_url: webhookUrl,
      input_authorization: inputAuthorization,
    };
    return this.#create(JSON.stringify(body), { 'content-type': 'application/json' }, callOptions);
  }

  #create<T>(body: BodyInit, headers: Record<string, string>, { idempotencyKey, ...options }: CreateOptions) {
    const keyed = { ...headers, 'idempotency-key': idempotencyKey ?? randomKey() };
    return this.#json<T>('POST', HERO, { headers: keyed, body }, options);
  }

  async #status(batchId: string, waitSeconds: number, options: CallOptions): Promise<BatchStatus> {
    if (!/^\w+$/.test(batchId)) throw new RequestError('That is not the id of a batch', { code: 'batch_not_found' });
    return (await this.#json<BatchStatus>('GET', `${HERO}/status/${batchId}?wait=${waitSeconds}`, {}, options)).body;
  }

  #json<T>(
    method: 'GET' | 'POST' | 'PATCH',
    url: string,
    more: { readonly headers?: Record<string, string>; readonly body?: BodyInit },
    options: CallOptions,
  ): Promise<Answered<T>> {
    return call(this.#settings, { method, url, ...more }, options, async (answer) => ({
      body: (await answer.json()) as T,
      request_id: answer.headers.get('request-id') ?? '',
      credits_charged: Number(answer.headers.get('x-credits-charged') ?? 0),
      replayed: answer.headers.get('idempotent-replayed') === 'true',
    }));
  }
}

const mustBeUrls = (isUrls: boolean, name: string, value: string | undefined): void => {
  if (!isUrls && value !== undefined) throw new TypeError(`${name} needs a batch of URLs`);
};

const formOf = (images: readonly FileImage[], options: ImageOptions): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(options)) if (value !== undefined) form.append(name, String(value));
  for (const { blob, filename } of images) form.append('files', blob, filename);
  return form;
};
const urlEntry = ({ url, filename }: UrlImage) => ({ input_url: url, ...(filename === undefined ? {} : { filename }) });

type Answered<T> = Pick<Created, 'request_id' | 'credits_charged' | 'replayed'> & { readonly body: T };

const completed = (finished: FinishedImage): Image => {
  if (finished.status === 'failed') throw finished.error;
  return finished.image;
};

const gone = (imageId: string): never => {
  throw new NotFoundError(`The file of ${imageId} was removed at the end of its life`, { code: 'not_found' });
};
