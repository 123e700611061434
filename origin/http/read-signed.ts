/** A request that only our edge may make: its service token first, then the shape of its body. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { verifyServiceToken } from './service-token.ts';

/**
 * `subject`: what the token must be for, read from the body. Fails with `unauthorized_service`, or with
 * `invalid_request` and a row per field at fault.
 */
export const readSigned = async <T>(
  c: Context,
  secrets: readonly Uint8Array[],
  schema: z.ZodType<T>,
  subject: (value: T) => string,
): Promise<Result<T, Failure>> => {
  const body = new Uint8Array(await c.req.arrayBuffer());
  const token = await verifyServiceToken(c.req.header('Authorization'), body, secrets);
  if (!token.ok) return token;
  const json = parseJson(body);
  if (!json.ok) return json;
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) {
    const rows = parsed.error.issues.map((issue) => ({
      field: issue.path.join('.') || 'body',
      code: 'invalid_request',
      detail: issue.message,
    }));
    return fail(failure('invalid_request', undefined, { errors: rows }));
  }
  return subject(parsed.data) === token.value
    ? ok(parsed.data)
    : fail(failure('unauthorized_service', 'the service token is for another subject'));
};

const parseJson = (body: Uint8Array): Result<unknown, Failure> => {
  try {
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  } catch (cause) {
    const row = { field: 'body', code: 'invalid_request', detail: 'the body is not JSON in UTF-8' };
    return fail(failure('invalid_request', undefined, { errors: [row], cause }));
  }
};
