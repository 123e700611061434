/** The worker that finds the product, as state of a page. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Region } from '../../../shared/region.ts';
import type { FoundMatte, FromFinder, ToFinder } from './protocol.ts';

export type Finding =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading'; readonly doneBytes: number; readonly totalBytes: number }
  | { readonly kind: 'finding' }
  | { readonly kind: 'failed'; readonly detail: string; readonly isUnreadable: boolean };

type OnFound = (found: FoundMatte) => void;
export type Find = (file: Blob, region: Region | undefined, onFound: OnFound) => void;

type Finder = { readonly findingOf: (file: Blob) => Finding; readonly find: Find };
const idle: Finding = { kind: 'idle' };

/** Only the last request is answered; of any other file it is idle. */
export const useFinder = (): Finder => {
  const [now, setNow] = useState<{ readonly of: Blob | undefined; readonly finding: Finding }>({
    of: undefined,
    finding: idle,
  });
  const setFinding = (finding: Finding): void => setNow(({ of }) => ({ of, finding }));
  const worker = useRef<Worker | undefined>(undefined);
  const last = useRef<{ readonly id: number; readonly onFound: OnFound }>({ id: 0, onFound: () => {} });
  useEffect(() => () => worker.current?.terminate(), []);

  const started = (): Worker => {
    const made = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    made.onmessage = ({ data }: MessageEvent<FromFinder>) => {
      if (data.id !== last.current.id) return;
      if (data.kind === 'found') last.current.onFound(data);
      setFinding(data.kind === 'found' ? { kind: 'idle' } : data);
    };
    made.onerror = () =>
      setFinding({ kind: 'failed', detail: 'The product could not be looked for here.', isUnreadable: false });
    return made;
  };
  const find = useCallback<Find>((file, region, onFound) => {
    worker.current ??= started();
    last.current = { id: last.current.id + 1, onFound };
    setNow({ of: file, finding: { kind: 'loading', doneBytes: 0, totalBytes: 0 } });
    worker.current.postMessage({ id: last.current.id, file, region } satisfies ToFinder);
  }, []);
  return { findingOf: (file) => (now.of === file ? now.finding : idle), find };
};
