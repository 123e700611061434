/** Bindings and variables of the Worker, as wrangler.toml names them. Variables are read through config.ts only. */
export type EdgeEnv = {
  readonly ACCOUNT: DurableObjectNamespace;
  readonly HISTORY: DurableObjectNamespace;
  readonly SAGA: DurableObjectNamespace;
  readonly SPEND: DurableObjectNamespace;
  readonly BUCKET: R2Bucket;
  /** The first queue of images; further ones, as many as `JOB_QUEUES` says, are `JOBS_1`, `JOBS_2` … */
  readonly JOBS: Queue<ImageMessage>;
  readonly DB: D1Database;
  readonly ASSETS: Fetcher;
  /** Optional: look-ups of keys, counted for a whole location. */
  readonly KEY_LOOK_UPS?: { limit(options: { key: string }): Promise<{ success: boolean }> };

  readonly ENVIRONMENT: string;
  readonly PUBLIC_BASE_URL: string;
  readonly ORIGIN_URLS: string;
  readonly SERVICE_SIGNING_KEY: string;
  readonly ACCESS_CLIENT_ID?: string;
  readonly ACCESS_CLIENT_SECRET?: string;
  readonly DOWNLOAD_SIGNING_SECRET: string;
  readonly DOWNLOAD_SIGNING_SECRET_PREVIOUS?: string;
  readonly R2_S3_ENDPOINT: string;
  readonly R2_BUCKET_NAME: string;
  readonly R2_ACCESS_KEY_ID: string;
  readonly R2_SECRET_ACCESS_KEY: string;
  readonly LOCAL_ADMIN_TOKEN?: string;
  readonly LOCAL_INPUT_HOSTS?: string;
  readonly DNS_OVER_HTTPS_URL?: string;
  readonly JOB_QUEUES?: string;
  readonly OWN_ZONES?: string;
  readonly TAKE_HEIC?: string;

  readonly AUTH_SECRET: string;
  readonly AUTH_SECRET_PREVIOUS?: string;
  readonly STRIPE_SECRET_KEY?: string;
  readonly STRIPE_AUTOMATIC_TAX?: string;
  readonly STRIPE_WEBHOOK_SECRET: string;
  readonly STRIPE_WEBHOOK_SECRET_PREVIOUS?: string;
  readonly MAIL_API_URL?: string;
  readonly MAIL_API_KEY?: string;
  readonly MAIL_FROM?: string;
  readonly SECURITY_CONTACT?: string;
  readonly BREACHED_PASSWORDS_URL?: string;
  readonly SELLER_NAME?: string;
  readonly SELLER_ADDRESS?: string;
  readonly SELLER_TAX_ID?: string;
  readonly TURNSTILE_SITE_KEY?: string;
  readonly TURNSTILE_SECRET_KEY?: string;
};

/** Up to `edgeLimits.queue.imagesPerMessage` images of one batch. */
export type ImageMessage =
  | { readonly batch_id: string; readonly indexes: readonly number[] }
  /** As messages were before; those in the queue at a deployment come still. */
  | { readonly image_id: string };
