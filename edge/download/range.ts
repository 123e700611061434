/** Byte ranges and entity tags (RFC 9110, sections 8.8.3 and 14). Pure. */

/** Bytes `first` to `last`, both included. */
export type Slice = { readonly first: number; readonly last: number };

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/** Undefined: send the whole, as for anything that is not a single well-formed range, which a server may ignore. */
export const parseRange = (header: string | undefined, bytes: number): Slice | 'unsatisfiable' | undefined => {
  const match = ONE_RANGE.exec(header?.trim() ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (!match || (from === '' && to === '')) return undefined;
  if (from === '')
    return Number(to) === 0 || bytes === 0
      ? 'unsatisfiable'
      : { first: Math.max(0, bytes - Number(to)), last: bytes - 1 };
  const first = Number(from);
  const last = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first >= bytes ? 'unsatisfiable' : { first, last };
};

/** If-None-Match against the tag of what is stored; weak comparison. */
export const isFresh = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' ||
  ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''));
