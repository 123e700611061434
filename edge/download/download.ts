/**
 * A stored result by its signed link. Pure but for checking the link and reading the object's head; the store fetches the
 * bytes.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { verifyDownload } from '../../shared/signed-token.ts';
import { edgeLimits } from '../limits.ts';
import type { ObjectStore } from '../ports.ts';
import { contentTypeOf } from '../stores/object-keys.ts';
import type { LinkGuard } from './link-guard.ts';
import { isFresh, parseRange, type Slice } from './range.ts';

export type DownloadRequest = {
  readonly token: string;
  readonly filename: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly ifNoneMatch: string | undefined;
};
export type DownloadPlan = {
  readonly objectKey: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly etag: string;
  /** How long a cache may keep it, s: not longer than the link, and not long after its key or the file is gone. */
  readonly freshSeconds: number;
  /** `unchanged`: the caller has it. A slice: that part only. */
  readonly part: 'whole' | 'unchanged' | Slice;
  /** The file goes once it was sent to its last byte. */
  readonly isOnce: boolean;
};
export type DownloadDeps = {
  readonly objects: ObjectStore;
  readonly linkState: LinkGuard;
  readonly secrets: readonly string[];
  readonly nowMs: number;
};

/**
 * Fails with download_invalid, download_expired, download_revoked, result_deleted, result_delivered, not_found or
 * range_not_satisfiable. Throws where it cannot be learned whether the link's key is good.
 */
export const planDownload = async (
  { objects, linkState, secrets, nowMs }: DownloadDeps,
  request: DownloadRequest,
): Promise<Result<DownloadPlan, Failure>> => {
  const link = await verifyDownload(request.token, request.filename, secrets, nowMs);
  if (!link.ok) return link;
  const { objectKey, filename, expiresAtMs, madeFor } = link.value;
  const [object, state] = await Promise.all([objects.head(objectKey), linkState(objectKey, madeFor)]);
  const isLive = state === 'live' || state === 'once';
  const gone = object && isLive ? state : await linkState(objectKey, madeFor, true);
  if (gone === 'deleted') return fail(failure('result_deleted'));
  if (gone === 'delivered') return fail(failure('result_delivered'));
  if (state === 'revoked') return fail(failure('download_revoked'));
  if (!object || state === 'gone') return fail(failure('not_found', 'The file was removed at the end of its life'));
  const { bytes, etag } = object;
  const plan = {
    objectKey,
    filename,
    contentType: contentTypeOf(objectKey),
    bytes,
    etag,
    isOnce: state === 'once',
    freshSeconds:
      state === 'once' ? 0 : Math.min(edgeLimits.links.cachedSeconds, Math.floor((expiresAtMs - nowMs) / 1_000)),
  };
  if (request.ifNoneMatch !== undefined && isFresh(request.ifNoneMatch, etag))
    return ok({ ...plan, part: 'unchanged' });
  // A range of another version is answered with the whole of this one (RFC 9110, 13.1.5).
  const wanted = request.ifRange === undefined || request.ifRange === etag ? request.range : undefined;
  const slice = parseRange(wanted, bytes);
  if (slice === 'unsatisfiable') return fail(failure('range_not_satisfiable', undefined, { members: { bytes } }));
  return ok({ ...plan, part: slice ?? 'whole' });
};
