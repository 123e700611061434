/** A photo of a folder as the grid shows it: what this tab knows of it, and what the service does. Pure. */
import type { FolderDetail, FolderPhoto } from '../../../shared/portal-api.ts';
import { type Verdict, verdictNames } from '../../../shared/review.ts';
import type { IconName } from '../components/icon-paths.ts';
import type { Tone } from '../components/notice.tsx';
import type { Local } from './sending.ts';

export type Standing = Verdict | 'failed' | 'running' | 'queued' | 'sending' | 'waiting' | 'deleted';

export type ShownPhoto = {
  readonly position: number;
  readonly name: string;
  readonly standing: Standing;
  /** What went wrong. */
  readonly why: string | undefined;
  readonly photo: FolderPhoto | undefined;
  readonly file: File | undefined;
};

/** As people read them, and how they look. */
export const standings: Readonly<
  Record<Standing, { readonly name: string; readonly tone?: Tone; readonly icon?: IconName }>
> = {
  waiting: { name: 'Waiting' },
  sending: { name: 'Sending', tone: 'info' },
  queued: { name: 'Queued' },
  running: { name: 'In work', tone: 'info' },
  ready: { name: verdictNames.ready, tone: 'good', icon: 'check' },
  needs_a_look: { name: verdictNames.needs_a_look, tone: 'warn', icon: 'warn' },
  retake: { name: verdictNames.retake, tone: 'bad', icon: 'close' },
  failed: { name: 'Failed', tone: 'bad', icon: 'warn' },
  deleted: { name: 'Deleted' },
};

const standingOf = ({ status, review }: FolderPhoto): Standing => {
  if (status === 'failed' || status === 'deleted') return status;
  if (status !== 'completed') return status === 'queued' ? 'queued' : 'running';
  return review?.verdict ?? 'ready';
};

const localStanding = { waiting: 'waiting', sending: 'sending', sent: 'queued', refused: 'failed' } as const;

/**
 * It was sent again, and the service has not told of that yet. Ids of batches sort by time. Where it was refused, a
 * result that was there before stays.
 */
const isAhead = ({ state, batchId }: Local, photo: FolderPhoto): boolean => {
  if (state === 'refused') return photo.status !== 'completed';
  return state !== 'sent' || (batchId !== undefined && photo.last_batch_id < batchId);
};

const IN_ITS_PLACE = 'The photo that was sent in its place failed:';
/** What went wrong with the photo, or with the one that was sent in its place. */
const whyOf = ({ error, replacement_error }: FolderPhoto, local: Local | undefined): string | undefined => {
  const replacement = replacement_error?.detail ?? (local?.state === 'refused' ? local.why : undefined);
  return error?.detail ?? (replacement === undefined ? undefined : `${IN_ITS_PLACE} ${replacement}`);
};

/** What was sent again is shown as what it is now, once the service knows it. */
export const shownPhotos = (
  detail: FolderDetail | undefined,
  locals: ReadonlyMap<number, Local>,
): readonly ShownPhoto[] => {
  const photos = new Map(detail?.photos.map((photo) => [photo.position, photo]));
  const positions = new Set([...photos.keys(), ...locals.keys(), ...(detail?.arriving ?? [])]);
  return Array.from(positions)
    .sort((a, b) => a - b)
    .map((position) => {
      const photo = photos.get(position);
      const local = locals.get(position);
      const file = local?.file;
      if (photo && !(local && isAhead(local, photo))) {
        const name = photo.original_name ?? 'A deleted photo';
        const isOfPhoto = local?.state === 'sent' && photo.last_batch_id === photo.batch_id;
        return {
          position,
          name,
          standing: standingOf(photo),
          why: whyOf(photo, local),
          photo,
          file: isOfPhoto ? file : undefined,
        };
      }
      const standing = local ? localStanding[local.state] : 'queued';
      return {
        position,
        name: file?.name ?? `Photo ${position + 1}`,
        standing,
        why: local?.why,
        photo: undefined,
        file,
      };
    });
};

export const countsOf = (shown: readonly ShownPhoto[]): Readonly<Record<Standing, number>> => {
  const counts = {
    ready: 0,
    needs_a_look: 0,
    retake: 0,
    failed: 0,
    running: 0,
    queued: 0,
    sending: 0,
    waiting: 0,
    deleted: 0,
  };
  for (const { standing } of shown) counts[standing]++;
  return counts;
};
