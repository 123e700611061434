/**
 * A request that only our edge may make: its service token first, then its body, which is not read for anybody else,
 * then the body's shape.
 */
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { z } from 'zod';
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { readBytes } from '../read-bytes.ts';
import type { VerifyServiceToken } from './service-token.ts';

export type SignedBody<T> = {
  readonly bytesMax: number;
  readonly schema: z.ZodType<T>;
  /** What the token must be for, read from the body. */
  readonly subject: (value: T) => string;
};

/**
 * Fails with `unauthorized_service`, with `body_too_large`, or with `invalid_request` and a row per field at fault.
 */
export const readSigned = async <T>(
  c: Context,
  verify: VerifyServiceToken,
  { bytesMax, schema, subject }: SignedBody<T>,
): Promise<Result<T, Failure>> => {
  const token = await verify(c.req.header('Authorization'));
  if (!token.ok) return token;
  const body = await readBytes(c.req.raw.body, c.req.header('Content-Length'), bytesMax);
  if (!body) return fail(failure('body_too_large'));
  if (createHash('sha256').update(body).digest('hex') !== token.value.bodySha256)
    return fail(failure('unauthorized_service', 'the service token is for another body'));
  const json = parseJson(body);
  if (!json.ok) return json;
  const parsed = schema.safeParse(json.value);
  if (!parsed.success)
    return invalid(parsed.error.issues.map(({ path, message }) => [path.join('.') || 'body', message]));
  return subject(parsed.data) === token.value.subject
    ? ok(parsed.data)
    : fail(failure('unauthorized_service', 'the service token is for another subject'));
};

/** `invalid_request` with a row for each field and what is wrong with it. */
export const invalid = (faults: readonly (readonly [string, string])[], cause?: unknown): Result<never, Failure> => {
  const rows = faults.map(([field, detail]) => ({ field, code: 'invalid_request' as const, detail }));
  return fail(failure('invalid_request', undefined, { errors: rows, cause }));
};

const parseJson = (body: Uint8Array): Result<unknown, Failure> => {
  try {
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  } catch (cause) {
    return invalid([['body', 'the body is not JSON in UTF-8']], cause);
  }
};
