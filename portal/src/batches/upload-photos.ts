/** One upload of a folder, sent until it is taken or refused for good: always under one Idempotency-Key, so charged once. */
import type { BatchCreated } from '../../../shared/api.ts';
import { backoffMs } from '../../../shared/backoff.ts';
import { PHOTO_ALREADY_SENT, type RefusedPhoto } from '../../../shared/portal-api.ts';
import { accountHeader, isAccountGone, PORTAL_API } from '../api.ts';
import { folderLimits } from './limits.ts';
import type { Part } from './parts.ts';

export type Taken = { readonly ok: true; readonly batchId: string; readonly refused: readonly RefusedPhoto[] };
/** `stops`: so will every other upload be refused, until something is done about it. */
export type Refused = {
  readonly ok: false;
  readonly code: string;
  readonly detail: string;
  readonly stops: boolean;
  /** Another upload has brought these photos. */
  readonly isSentAlready: boolean;
  /** By position, where the answer says something of single files. */
  readonly refused: readonly RefusedPhoto[];
};

type Answer = Partial<BatchCreated> & {
  readonly refused?: readonly RefusedPhoto[];
  readonly code?: string;
  readonly detail?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly { readonly field: string; readonly code: string; readonly detail: string }[];
};

type Fields = Readonly<Record<string, string>>;

export const uploadPart = async (folderId: string, part: Part, fields: Fields): Promise<Taken | Refused> => {
  const { triesMax, retryMsBase: baseMs, retryMsCap: capMs } = folderLimits;
  for (let failures = 0; ; failures++) {
    const { answer, status, retryAfterMs } = await send(folderId, part, fields);
    if (status === 202 && answer.batch_id) return { ok: true, batchId: answer.batch_id, refused: answer.refused ?? [] };
    const isPassing = status === 0 || status >= 500 || answer.retryable === true;
    if (!isPassing || failures + 1 >= triesMax) return refusedBy(answer, status, part);
    const waitMs = Math.max(retryAfterMs, backoffMs(failures, { baseMs, capMs }, Math.random()));
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
};

type Sent = { readonly answer: Answer; readonly status: number; readonly retryAfterMs: number };

/** Status 0: no answer. */
const send = async (folderId: string, { id, photos, isReplacement }: Part, fields: Fields): Promise<Sent> => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { file, matte } of photos) {
    form.append('files', file, file.name);
    if (matte) form.append('matte', matte, 'matte.png');
  }
  const positions = photos.map(({ position }) => position).join(',');
  const query = `positions=${positions}${isReplacement ? '&replaces=true' : ''}`;
  try {
    const response = await fetch(`${PORTAL_API}/folders/${folderId}/uploads?${query}`, {
      method: 'POST',
      headers: { 'idempotency-key': id, ...accountHeader() },
      body: form,
      credentials: 'same-origin',
      signal: AbortSignal.timeout(folderLimits.uploadMsMax),
    });
    const answer = (await response.json()) as Answer;
    const retryAfterMs = 1_000 * (Number(response.headers.get('retry-after')) || 0);
    return { answer, status: response.status, retryAfterMs: Math.min(retryAfterMs, folderLimits.retryMsCap) };
  } catch {
    return { answer: {}, status: 0, retryAfterMs: 0 };
  }
};

/** About the session, the key, or the credits: true of every photo. */
const STOPPING: readonly number[] = [0, 401, 402, 403, 404, 429];

const refusedBy = ({ code, detail, errors = [] }: Answer, status: number, { photos }: Part): Refused => ({
  ok: false,
  code: code ?? 'unreachable',
  detail: detail ?? 'The server could not be reached. Check your connection.',
  stops: STOPPING.includes(status) || status >= 500 || isAccountGone(code),
  isSentAlready: errors.some((error) => error.code === PHOTO_ALREADY_SENT),
  refused: errors.flatMap(({ field, ...error }) => {
    const photo = photos[Number(/^files\[(\d+)\]$/.exec(field)?.[1])];
    return photo ? [{ ...error, position: photo.position }] : [];
  }),
});
