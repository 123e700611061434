/** Our failures as remove.bg's clients know them: its status codes, and `errors[]` of title, code and detail. */
import { type ErrorCode, errors, type Failure } from '../../shared/errors.ts';

/** Codes that its clients know; any other failure keeps ours. */
const codes: Partial<Record<ErrorCode, string>> = {
  key_missing: 'auth_failed',
  key_malformed: 'auth_failed',
  key_unknown: 'auth_failed',
  key_revoked: 'auth_failed',
  key_expired: 'auth_failed',
  rate_limited: 'rate_limit_exceeded',
  test_quota_exceeded: 'rate_limit_exceeded',
  file_empty: 'failed_to_read_image',
  unreadable_image: 'failed_to_read_image',
  undecodable_image: 'failed_to_read_image',
  unsupported_media_type: 'invalid_file_type',
  unsupported_heic: 'invalid_file_type',
  image_too_large: 'resolution_too_high',
  image_too_small: 'invalid_dimensions',
  no_product_found: 'unknown_foreground',
  // Only origin fails with it without naming a parameter: it alone knows the photo's size.
  invalid_options: 'roi_exceeds_bounds',
};

const asEverywhere: ReadonlySet<number> = new Set([402, 405, 409, 429]);

/**
 * 403 for a key that is not taken, 400 for whatever is wrong with the request or its image; 402, 404 of an unknown path,
 * 405, 409, 429 and 5xx as everywhere.
 */
export const removebgStatus = (code: ErrorCode): number => {
  const { status } = errors[code];
  if (status === 401 || status === 403) return 403;
  return status >= 500 || asEverywhere.has(status) || code === 'not_found' ? status : 400;
};

export type RemovebgError = { readonly title: string; readonly code: string; readonly detail: string };

/** Its command line shows titles alone, so a title says what is wrong with which parameter. */
export const errorRows = ({ code, detail, errors: rows }: Failure): readonly RemovebgError[] =>
  rows && rows.length > 0
    ? rows.map((row) => ({ title: row.detail, code: row.code, detail: row.detail }))
    : [{ title: titleOf(code, detail), code: codes[code] ?? code, detail }];

const titleOf = (code: ErrorCode, detail: string): string =>
  code === 'invalid_options' || code === 'malformed_request' ? detail : errors[code].title;
