/** The only place that turns failures into HTTP: RFC 9457 problem documents with our table's status and title. */
import type { Context } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { errors, type Failure } from '../../shared/errors.ts';

export const problem = (
  c: Context<{ Variables: RequestIdVariables }>,
  { code, detail, retryAfterSeconds, errors: rows, members }: Failure,
): Response => {
  const { status, title } = errors[code];
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds));
  const document = {
    type: 'about:blank',
    title,
    status,
    detail,
    code,
    request_id: c.get('requestId'),
    success: false,
    ...(rows ? { errors: rows } : {}),
    ...members,
  };
  return c.body(JSON.stringify(document), status as ContentfulStatusCode, {
    'Content-Type': 'application/problem+json',
  });
};
