/** A folder as it stands, followed while anything of it runs. */
import { useEffect, useState } from 'preact/hooks';
import type { FolderDetail, FolderPhoto, PortalProblem } from '../../../shared/portal-api.ts';
import { get } from '../api.ts';
import { folderLimits } from './limits.ts';
import type { SendingView } from './sending.ts';

export type FolderState = {
  readonly detail: FolderDetail | undefined;
  readonly problem: PortalProblem | undefined;
};

/** The later of a photo's batches: their ids sort by time. */
const merged = (before: readonly FolderPhoto[], now: readonly FolderPhoto[]): readonly FolderPhoto[] => {
  const photos = new Map(before.map((photo) => [photo.position, photo]));
  for (const photo of now) {
    const known = photos.get(photo.position);
    if (!known || known.batch_id <= photo.batch_id) photos.set(photo.position, photo);
  }
  return Array.from(photos.values()).sort((a, b) => a.position - b.position);
};

const withNews = (before: FolderDetail | undefined, news: FolderDetail): FolderDetail => {
  if (!before) return news;
  const told = new Set(news.credits.map(({ batch_id }) => batch_id));
  return {
    folder: news.folder,
    photos: merged(before.photos, news.photos),
    running: news.running,
    credits: [...before.credits.filter(({ batch_id }) => !told.has(batch_id)), ...news.credits],
    archives: Math.max(before.archives, news.archives),
  };
};

/** Asks for all of it once, then for the batches that have not ended. */
export const useFolder = (folderId: string, sending: SendingView): FolderState => {
  const [state, setState] = useState<FolderState>({ detail: undefined, problem: undefined });
  const { detail } = state;
  const known = new Set(detail?.credits.map(({ batch_id }) => batch_id));
  const wanted = [...(detail?.running ?? []), ...Array.from(sending.batches).filter((id) => !known.has(id))].sort();
  const asked = detail ? wanted.join(',') : 'all';
  useEffect(() => {
    if (asked === '') return;
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
      if (answer.ok) setState((before) => ({ detail: withNews(before.detail, answer.value), problem: undefined }));
      else setState((before) => ({ ...before, problem: answer.problem }));
      const isSlow = document.hidden || !answer.ok;
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
  }, [folderId, asked]);
  return state;
};
