/** What a call may throw: one class per family, each with the API's own `code` (RFC 9457 problem documents). */
import type { ErrorCode, Problem } from './generated.ts';

/** A code of today's API, or one that a later version adds. */
export type Code = ErrorCode | (string & {});

export type ErrorFacts = {
  readonly code: Code;
  /** HTTP status; 0 where no answer came. */
  readonly status?: number;
  readonly requestId?: string | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The whole problem document, with `errors[]` per field or file. */
  readonly problem?: Problem | undefined;
  readonly remedy?: string | undefined;
  readonly cause?: unknown;
};

export class PackshotError extends Error {
  override readonly name: string = 'PackshotError';
  readonly code: Code;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly problem: Problem | undefined;
  /** What to do about it, where a finding ended the image (`on_finding: 'fail'`). */
  readonly remedy: string | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? 0;
    this.requestId = facts.requestId;
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs;
    this.problem = facts.problem;
    this.remedy = facts.remedy;
  }
}

/** The key is missing, mistyped, unknown, revoked or expired, or may not do this (scope, address, what it may give). */
export class AuthenticationError extends PackshotError {
  override readonly name = 'AuthenticationError';
}
/**
 * Too few credits; `problem.credits_required` and `credits_available` say how many. Code `key_spending_cap_reached`: the key
 * has spent what it may today; `problem.resets_at` says when the next day begins.
 */
export class CreditsError extends PackshotError {
  override readonly name = 'CreditsError';
}
/** The request as it was sent cannot be accepted. */
export class RequestError extends PackshotError {
  override readonly name = 'RequestError';
}
/** No such batch for this key, or a download that is gone. */
export class NotFoundError extends PackshotError {
  override readonly name = 'NotFoundError';
}
/** The Idempotency-Key is in use, or was used for another request. */
export class IdempotencyError extends PackshotError {
  override readonly name = 'IdempotencyError';
}
export class RateLimitError extends PackshotError {
  override readonly name = 'RateLimitError';
}
/** The service failed or cannot take the request now. */
export class ServiceError extends PackshotError {
  override readonly name = 'ServiceError';
}
/** No answer: the network failed, or the answer did not come in time (`code` is `timeout`). */
export class ConnectionError extends PackshotError {
  override readonly name = 'ConnectionError';
}
/** This one image could not be processed; nothing was charged for it. */
export class ImageError extends PackshotError {
  override readonly name = 'ImageError';
}
/** A downloaded file is not the one that was made. */
export class ChecksumError extends PackshotError {
  override readonly name = 'ChecksumError';
}
/** A webhook that was not signed with this secret, or too long ago. */
export class WebhookError extends PackshotError {
  override readonly name = 'WebhookError';
}

const byStatus: Readonly<Record<number, typeof PackshotError>> = {
  401: AuthenticationError,
  402: CreditsError,
  403: NotFoundError,
  404: NotFoundError,
  410: NotFoundError,
  429: RateLimitError,
};

const familyOf = (problem: Problem | undefined, status: number): typeof PackshotError => {
  if (isAboutPhoto(problem?.errors?.[0])) return ImageError;
  if (problem?.code.startsWith('idempotency_')) return IdempotencyError;
  if (status === 403 && problem?.code.startsWith('key_')) return AuthenticationError;
  return byStatus[status] ?? (status >= 500 ? ServiceError : RequestError);
};

/** A row that names the photo itself; `invalid_…` is a mistake in the request. */
const isAboutPhoto = (row: { readonly field: string; readonly code: string } | undefined): boolean =>
  row !== undefined &&
  (row.field.startsWith('files[') || (row.field === 'input_url' && !row.code.startsWith('invalid_')));

/** Statuses that a proxy on the way answers and that pass. */
const PASSING = [408, 429, 502, 503, 504];

const retryAfterMsOf = (header: string | null, nowMs: number): number | undefined => {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
};

/** The error that an answer other than 2xx means. Reads its body. */
export const errorOf = async (answer: Response): Promise<PackshotError> => {
  const text = await answer.text().catch(() => '');
  const problem = problemIn(text);
  const Family = familyOf(problem, answer.status);
  return new Family(problem?.detail ?? `HTTP ${answer.status}`, {
    code: problem?.code ?? `http_${answer.status}`,
    status: answer.status,
    requestId: problem?.request_id ?? answer.headers.get('request-id') ?? undefined,
    retryable: problem?.retryable ?? PASSING.includes(answer.status),
    retryAfterMs: retryAfterMsOf(answer.headers.get('retry-after'), Date.now()),
    remedy: problem?.errors?.[0]?.remedy,
    problem,
  });
};

const problemIn = (text: string): Problem | undefined => {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && 'code' in parsed ? (parsed as Problem) : undefined;
  } catch {
    return undefined;
  }
};
