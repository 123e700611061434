/** The only place that turns failures into HTTP: RFC 9457 problem documents with our table's status and title. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { errors, type Failure } from '../../shared/errors.ts';

export const problem = (c: Context, cause: Failure, requestId: string): Response => {
  const row = errors[cause.code];
  if (cause.retryAfterSeconds !== undefined) c.header('Retry-After', String(cause.retryAfterSeconds));
  return c.body(
    JSON.stringify({
      type: 'about:blank',
      title: row.title,
      status: row.status,
      detail: cause.detail,
      code: cause.code,
      request_id: requestId,
      success: false,
      ...(cause.errors ? { errors: cause.errors } : {}),
      ...cause.members,
    }),
    row.status as ContentfulStatusCode,
    { 'Content-Type': 'application/problem+json' },
  );
};
