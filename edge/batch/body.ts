/** A JSON body against its schema: what is wrong with it, field by field. */
import type { z } from 'zod';
import { type Failure, type FieldError, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';

export const parseJson = (text: string): Result<unknown, Failure> => {
  try {
    return ok(JSON.parse(text));
  } catch {
    return fail(failure('malformed_request', 'The body is not valid JSON'));
  }
};

const DETAIL_CHARS_MAX = 500;

/** `invalid_options` where nothing but options is wrong, else `invalid_request`; one row for each fault. */
export const bodyFailure = (error: z.ZodError): Failure => {
  const errors = error.issues.slice(0, edgeLimits.batch.errorRowsMax).map(fieldError);
  const code = errors.every((row) => row.code === 'invalid_options') ? 'invalid_options' : 'invalid_request';
  const detail = errors.map((row) => `${row.field || 'body'}: ${row.detail}`).join('; ');
  return failure(code, detail.slice(0, DETAIL_CHARS_MAX), { errors });
};

const fieldError = (issue: z.core.$ZodIssue): FieldError => {
  const code = issue.path[0] === 'options' ? 'invalid_options' : 'invalid_request';
  return issue.code === 'unrecognized_keys'
    ? { field: [...issue.path, issue.keys[0]].join('.'), code, detail: 'is not known' }
    : { field: issue.path.join('.'), code, detail: issue.message };
};
