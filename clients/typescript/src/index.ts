/** packshot: product photos to marketplace main images. `new Packshot({ apiKey, baseUrl })` is where to begin. */
export { Batch, type Progress, type WaitOptions } from './batch.ts';
export type { CallOptions } from './call.ts';
export type { Deletion } from './deletion.ts';
export { type Downloadable, fileOf } from './download.ts';
export * from './errors.ts';
export type {
  Account,
  ApiKey,
  BalanceLow,
  BatchCreated,
  BatchStatus,
  Check,
  Compliance,
  ComplianceCheck,
  ErrorCode,
  Finding,
  FindingBox,
  KeyChange,
  KeyCreation,
  Marketplace,
  Output,
  Problem,
  ProductBox,
  StatusImage,
  WebhookEvent,
  WebhookEvents,
} from './generated.ts';
export type { FinishedImage, Image } from './images.ts';
export type { FileInput, ImageInput } from './inputs.ts';
export type { KeyScope, Keys, NewSecret } from './keys.ts';
export {
  type BatchOptions,
  type Created,
  type CreatedBatch,
  type CreateOptions,
  type ImageOptions,
  Packshot,
  type PackshotOptions,
  type WebhookEventsOptions,
} from './packshot.ts';
export type { Archive } from './results.ts';
export { unwrap as unwrapWebhook, unwrapEvent as unwrapWebhookEvent, type WebhookPayload } from './webhooks.ts';
