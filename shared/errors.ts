/**
 * All errors in one table: code → status, title, whether the same request may succeed later. Answered as RFC 9457
 * (`application/problem+json`). `scope: 'image'` marks the codes that a single image of an accepted request can carry.
 */
import { HEIC_REFUSAL } from './image-type.ts';

export type ErrorRow = {
  readonly status: number;
  readonly title: string;
  readonly retryable: boolean;
  readonly scope: 'request' | 'image';
};

const request = (status: number, title: string, retryable = false): ErrorRow => ({
  status,
  title,
  retryable,
  scope: 'request',
});
const image = (status: number, title: string, retryable = false): ErrorRow => ({
  status,
  title,
  retryable,
  scope: 'image',
});

export const errors = {
  // The request as a whole.
  malformed_request: request(400, 'The request could not be read'),
  no_files: request(400, 'No file was sent in a part named "files"'),
  too_many_files: request(413, 'More files than one upload may carry'),
  too_many_images: request(413, 'More images than one batch may carry'),
  body_too_slow: request(408, 'The request body came too slowly', true),
  body_too_large: request(413, 'The request body is too large'),
  invalid_options: request(400, 'An option is unknown, out of range or contradicts another'),
  invalid_request: request(400, 'A field of the request is missing or wrong'),
  unsupported_content_type: request(415, 'The endpoint takes multipart/form-data or application/json'),
  key_missing: request(401, 'No API key was sent'),
  key_malformed: request(401, 'The API key is mistyped: its checksum does not match'),
  key_unknown: request(401, 'The API key is not known'),
  key_revoked: request(401, 'The API key was revoked'),
  key_expired: request(401, 'The API key, or this secret of it, has expired'),
  key_address_not_allowed: request(403, 'The API key is not taken from this address'),
  key_scope_missing: request(403, 'The API key may not do this: it lacks the scope'),
  key_grants_exceeded: request(403, 'A key cannot give, or manage, more than it may do itself'),
  key_not_found: request(404, 'No such key in this account'),
  key_not_usable: request(409, 'The key was revoked or has expired'),
  too_many_keys: request(409, 'The account has as many keys as it may'),
  insufficient_credits: request(402, 'Not enough credits'),
  key_spending_cap_reached: request(402, 'The API key has spent what it may today'),
  not_found: request(404, 'Nothing is here'),
  batch_not_found: request(404, 'No such batch for this key'),
  method_not_allowed: request(405, 'The method is not allowed here'),
  idempotency_key_invalid: request(400, 'The Idempotency-Key is empty or too long'),
  idempotency_in_flight: request(409, 'A request with this Idempotency-Key is still running', true),
  idempotency_mismatch: request(422, 'This Idempotency-Key was used with a different request'),
  rate_limited: request(429, 'Too many requests', true),
  test_quota_exceeded: request(429, 'The free images of this day are used up', true),
  check_quota_exceeded: request(429, 'The free checks of this minute or day are used up', true),
  download_invalid: request(403, 'The download link was altered'),
  download_expired: request(410, 'The download link has expired'),
  batch_deleted: request(410, 'The batch was deleted'),
  result_deleted: request(410, 'The result was deleted'),
  result_delivered: request(410, 'The result was deleted after its download, as the account wants'),
  image_not_found: request(404, 'No such image in the batch'),
  images_in_progress: request(409, 'Images are still being processed; delete them once they have ended', true),
  download_revoked: request(410, 'The key that made this result was revoked, and its links with it'),
  range_not_satisfiable: request(416, 'The range lies outside the file'),
  internal_error: request(500, 'Something went wrong on our side', true),
  not_ready: request(503, 'The service cannot take the request now; nothing was charged', true),
  outcome_unknown: request(503, 'The batch may have been opened; look at its status before you send it again'),
  unauthorized_service: request(401, 'The service token is missing or wrong'),

  // One image of a request. An upload in which every image fails answers with the first one's row.
  file_empty: image(422, 'The file is empty'),
  file_too_large: image(413, 'The file is larger than 25 MB'),
  unsupported_media_type: image(415, 'The file is not a JPEG, PNG, WebP, AVIF, TIFF, BMP, PSD, JPEG XL or GIF image'),
  unsupported_heic: image(415, HEIC_REFUSAL),
  unreadable_image: image(422, 'The image is damaged or cut off'),
  undecodable_image: image(422, 'The image takes too much time or memory to decode'),
  image_too_large: image(413, 'The image has more than 64 megapixels'),
  image_too_small: image(422, 'The image is too small to hold a product'),
  invalid_matte: image(422, "The matte is not an 8-bit grey or alpha PNG of the photo's shape"),
  no_product_found: image(422, 'No product was found in the image'),
  output_too_large: image(422, 'The result cannot be made small enough for the marketplace'),
  // Findings that end an image where `on_finding` is `fail`.
  product_cropped: image(422, 'The frame cuts the product off'),
  source_too_small: image(422, 'The product has too few pixels in the photo'),
  source_blurred: image(422, 'The product is blurred in the photo'),
  text_or_logo_overlay: image(422, 'Text lies on the background of the photo'),
  border_or_frame: image(422, 'The photo has a border'),
  origin_unavailable: image(503, 'The compute fleet cannot be reached', true),
  origin_busy: image(503, 'The compute fleet is busy', true),
  batch_stopped: image(409, 'The batch was ended before this image was begun'),
  deadline_exceeded: image(503, 'The image was not finished in time', true),
  processing_failed: image(500, 'The image could not be processed', true),
  result_missing: image(500, 'The result could not be stored', true),

  // One input_url of a batch.
  url_invalid: image(422, 'The input_url is not a usable http(s) address'),
  url_forbidden: image(422, 'The input_url points to an address that is not public'),
  url_unreachable: image(422, 'The input_url could not be reached', true),
  url_status: image(422, 'The input_url did not answer with the file'),
  url_server_error: image(422, 'The server of the input_url had an error', true),
  url_timeout: image(422, 'The input_url answered too slowly', true),
  url_too_many_redirects: image(422, 'The input_url redirects too often'),
  url_not_an_image: image(415, 'The input_url answered with something that is not an image'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;
export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errors, text);

/** An expected failure, to be answered to the caller. `detail` is public: no secrets, no internal addresses. */
export type Failure = {
  readonly code: ErrorCode;
  readonly detail: string;
  /** One row for each invalid field or file. */
  readonly errors?: readonly FieldError[];
  /** Seconds after which a retry makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** More members of the problem document, e.g. `credits_required`. */
  readonly members?: Readonly<Record<string, string | number | boolean>>;
  /** Where this failure may be retried although its code's may not. */
  readonly retryable?: boolean;
  /** What was caught, for the log only: it never reaches the wire. */
  readonly cause?: unknown;
};
export type FieldError = {
  readonly field: string;
  readonly code: ErrorCode | string;
  readonly detail: string;
  readonly remedy?: string | undefined;
};

export const failure = (
  code: ErrorCode,
  detail: string = errors[code].title,
  more: Omit<Failure, 'code' | 'detail'> = {},
): Failure => ({
  code,
  detail,
  ...more,
});
