/** A JSON body as names and texts, and what is wrong with one of them. */
import { type Failure, failure } from '../../shared/errors.ts';
import { invalidParameters } from '../../shared/removebg/read-parameters.ts';
import { fail, ok, type Result } from '../../shared/result.ts';

export const jsonPairs = (text: string): Result<[string, string][], Failure> => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return fail(failure('malformed_request', 'The body is not valid JSON'));
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return fail(failure('malformed_request', 'The body is not a JSON object'));
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue;
    if (typeof value === 'object') return fail(wrongField(name, 'must be a text, a number or a boolean'));
    pairs.push([name, String(value)]);
  }
  return ok(pairs);
};

export const wrongField = (name: string, detail: string): Failure => {
  const field = name.slice(0, 40);
  return invalidParameters([
    { field, code: `invalid_${field || 'part'}`, detail: `${field || 'A part without a name'} ${detail}` },
  ]);
};
