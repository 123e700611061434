/** The preview worker as state of a page. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { MarketplaceName } from '../../../shared/marketplaces/index.ts';
import { advanced, begun, fallenBack, type Progress } from './progress.ts';
import type { FromWorker, PhotoFacts, Report, Sight, ToWorker } from './protocol.ts';

type Small = { readonly report: Report; readonly picture: ImageBitmap };
export type Preview = {
  readonly facts: PhotoFacts;
  /** Of the large picture. */
  readonly report: Report;
  readonly picture: ImageBitmap;
  /** Small pictures beside each other; of options that were changed the earlier one until the new one is there. */
  readonly small: Readonly<Partial<Record<MarketplaceName, Small>>>;
  /** The request that the large picture answers. */
  readonly id: number;
  readonly fellBack?: string | undefined;
};

export type PreviewState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly preview: Preview }
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string; readonly why?: string };

/** What a message makes of the state. */
const next = (before: PreviewState, message: FromWorker): PreviewState => {
  const progress = before.kind === 'running' ? before.progress : begun;
  switch (message.kind) {
    case 'progress':
      return before.kind === 'running' ? { kind: 'running', progress: advanced(progress, message) } : before;
    case 'fell_back':
      return { kind: 'running', progress: fallenBack(message.why) };
    case 'made': {
      const { facts, report, picture, id } = message;
      const kept = before.kind === 'done' ? before.preview : { small: {}, fellBack: progress.fellBack };
      return { kind: 'done', preview: { facts, report, picture, id, small: kept.small, fellBack: kept.fellBack } };
    }
    case 'small': {
      if (before.kind !== 'done') return before;
      const { report, picture } = message;
      const small = { ...before.preview.small, [report.marketplace]: { report, picture } };
      return { kind: 'done', preview: { ...before.preview, small } };
    }
    case 'failed':
      return message;
  }
};

/** Bitmaps hold memory that is not collected soon; one that was replaced may still be drawn for a frame. */
const CLOSE_AFTER_MS = 1_000;
const closeReplaced = (shown: Map<string, ImageBitmap>, message: FromWorker, isLate: boolean): void => {
  if (message.kind !== 'made' && message.kind !== 'small') return;
  if (isLate) {
    message.picture.close();
    return;
  }
  const place = message.kind === 'made' ? 'large' : message.report.marketplace;
  const before = shown.get(place);
  shown.set(place, message.picture);
  if (before) setTimeout(() => before.close(), CLOSE_AFTER_MS);
};

const isSameSight = (a: Sight | undefined, b: Sight, regions: readonly [string, string]): boolean =>
  a !== undefined &&
  a.photoId === b.photoId &&
  a.wanted === b.wanted &&
  a.detail === b.detail &&
  regions[0] === regions[1];

type Start = (sight: Sight, outputs: ToWorker['outputs']) => void;

export const usePreview = (): { state: PreviewState; start: Start } => {
  const [state, setState] = useState<PreviewState>({ kind: 'idle' });
  const worker = useRef<Worker | undefined>(undefined);
  const last = useRef<ToWorker | undefined>(undefined);
  const firstOfPhoto = useRef(0);
  const shown = useRef(new Map<string, ImageBitmap>());
  useEffect(() => () => worker.current?.terminate(), []);

  const started = (): Worker => {
    const made = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    made.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      const isLate = data.id !== last.current?.id;
      closeReplaced(shown.current, data, isLate);
      // What is seen of a photo serves all requests about it, so its progress counts for the later ones too.
      const isOfPhoto = (data.kind === 'progress' || data.kind === 'fell_back') && data.id >= firstOfPhoto.current;
      if (!isLate || isOfPhoto) setState((before) => next(before, data));
    };
    made.onerror = () =>
      setState({ kind: 'failed', code: 'preview_failed', detail: 'The preview could not be started.' });
    return made;
  };
  const start = useCallback<Start>((sight, outputs) => {
    worker.current ??= started();
    const before = last.current;
    const region = ({ outputs: [first] }: Pick<ToWorker, 'outputs'>): string => JSON.stringify(first.region ?? null);
    const isSame = before !== undefined && isSameSight(before, sight, [region(before), region({ outputs })]);
    last.current = { ...sight, id: (before?.id ?? 0) + 1, outputs };
    // The picture before stays until the new one is there, which is at once.
    if (!isSame) firstOfPhoto.current = last.current.id;
    setState((kept) => (isSame && kept.kind !== 'failed' ? kept : { kind: 'running', progress: begun }));
    worker.current.postMessage(last.current);
  }, []);
  return { state, start };
};
