/** A folder as it stands, followed while anything of it runs. */
import { useEffect, useState } from 'preact/hooks';
import type { FolderDetail, FolderPhoto, PortalProblem } from '../../../shared/portal-api.ts';
import { get } from '../api.ts';
import { folderLimits } from './limits.ts';
import type { SendingView } from './sending.ts';

export type FolderState = {
  readonly detail: FolderDetail | undefined;
  /** Nobody else sends photos, and what others have sent is in `detail`. */
  readonly isSettled: boolean;
  readonly problem: PortalProblem | undefined;
};

/** `wholeFor`: why all of it was asked for last. */
type Followed = Omit<FolderState, 'isSettled'> & { readonly wholeFor: string | undefined };

/** What the service says of a photo, it says by all of its batches; of those sent last, the later: their ids sort by time. */
const merged = (before: readonly FolderPhoto[], now: readonly FolderPhoto[]): readonly FolderPhoto[] => {
  const photos = new Map(before.map((photo) => [photo.position, photo]));
  for (const photo of now) {
    const known = photos.get(photo.position);
    if (!known || known.last_batch_id <= photo.last_batch_id) photos.set(photo.position, photo);
  }
  return Array.from(photos.values()).sort((a, b) => a.position - b.position);
};

/** News of some batches. */
const withNews = (before: FolderDetail | undefined, news: FolderDetail): FolderDetail => {
  if (!before) return news;
  const told = new Set(news.credits.map(({ batch_id }) => batch_id));
  return {
    folder: news.folder,
    photos: merged(before.photos, news.photos),
    arriving: before.arriving,
    running: news.running,
    credits: [...before.credits.filter(({ batch_id }) => !told.has(batch_id)), ...news.credits],
    archives: Math.max(before.archives, news.archives),
  };
};

/** Photos that this tab did not send are on their way. */
const someArrive = ({ arriving }: FolderDetail, { locals }: SendingView): boolean =>
  arriving.some((position) => !locals.has(position));

/**
 * Asks for all of it once, then for the batches that have not ended; for all of it again while other tabs send photos,
 * and once after that. `elsewhere`: another tab does so; undefined where that is not known yet.
 */
export const useFolder = (folderId: string, sending: SendingView, elsewhere: boolean | undefined): FolderState => {
  const [state, setState] = useState<Followed>({ detail: undefined, wholeFor: undefined, problem: undefined });
  const { detail } = state;
  // Another one whenever all must be asked for again.
  const reason = `${elsewhere} ${sending.surprises}`;
  const isWhole = detail !== undefined && elsewhere === false && state.wholeFor === reason;
  const isSettled = isWhole && !someArrive(detail, sending);
  const known = new Set(detail?.credits.map(({ batch_id }) => batch_id));
  const wanted = [...(detail?.running ?? []), ...Array.from(sending.batches).filter((id) => !known.has(id))].sort();
  const asked = isSettled ? wanted.join(',') : 'all';
  useEffect(() => {
    if (elsewhere) setState((before) => ({ ...before, wholeFor: undefined }));
  }, [elsewhere]);
  useEffect(() => {
    if (asked === '' || elsewhere === undefined) return;
    const abort = new AbortController();
    const query =
      asked === 'all'
        ? ''
        : `?${asked
            .split(',')
            .map((id) => `batch=${id}`)
            .join('&')}`;
    const poll = async (): Promise<void> => {
      const answer = await get<FolderDetail>(`/folders/${folderId}${query}`, abort.signal);
      if (!answer.ok) setState((before) => ({ ...before, problem: answer.problem }));
      else if (asked === 'all') setState({ detail: answer.value, wholeFor: reason, problem: undefined });
      else setState((before) => ({ ...before, detail: withNews(before.detail, answer.value), problem: undefined }));
      const isSlow = document.hidden || !answer.ok || asked === 'all';
      if (answer.ok || answer.status === 0 || answer.status >= 500 || answer.status === 429)
        later(isSlow ? folderLimits.pollHiddenMs : folderLimits.pollMs);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (ms: number): void => {
      if (!abort.signal.aborted) timer = setTimeout(() => void poll().catch(() => undefined), ms);
    };
    later(asked === 'all' ? 0 : folderLimits.pollMs / 3);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [folderId, asked === 'all' ? `all ${reason}` : asked]);
  return { detail, isSettled, problem: state.problem };
};
