/** The preview worker as state of a page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ResolvedOptions } from '../../../shared/options.ts';
import type { Detail } from './detail.ts';
import type { FromWorker, Preview, ToWorker, Wanted } from './protocol.ts';

export type PreviewState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'running';
      readonly step: 'download' | 'compile' | 'work';
      readonly doneBytes: number;
      readonly totalBytes: number;
      readonly fellBack?: string;
    }
  | { readonly kind: 'done'; readonly preview: Preview; readonly fellBack?: string }
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string };

export const usePreview = (): {
  state: PreviewState;
  start: (file: Blob, options: ResolvedOptions, wanted: Wanted, detail: Detail) => void;
  reset: () => void;
} => {
  const [state, setState] = useState<PreviewState>({ kind: 'idle' });
  const worker = useRef<Worker | undefined>(undefined);
  const latest = useRef(0);
  useEffect(() => () => worker.current?.terminate(), []);

  const onMessage = ({ data }: MessageEvent<FromWorker>): void => {
    if (data.id !== latest.current) return;
    setState((before) => {
      const fellBack = before.kind === 'running' || before.kind === 'done' ? before.fellBack : undefined;
      const keep = fellBack === undefined ? {} : { fellBack };
      if (data.kind === 'progress')
        return { kind: 'running', step: data.step, doneBytes: data.doneBytes, totalBytes: data.totalBytes, ...keep };
      if (data.kind === 'fell_back')
        return { kind: 'running', step: 'download', doneBytes: 0, totalBytes: 0, fellBack: data.why };
      if (data.kind === 'done') return { kind: 'done', preview: data.preview, ...keep };
      return { kind: 'failed', code: data.code, detail: data.detail };
    });
  };

  const start = (file: Blob, options: ResolvedOptions, wanted: Wanted, detail: Detail): void => {
    if (!worker.current) {
      worker.current = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
      worker.current.onmessage = onMessage;
      worker.current.onerror = () =>
        setState({ kind: 'failed', code: 'preview_failed', detail: 'The preview could not be started.' });
    }
    latest.current++;
    setState({ kind: 'running', step: 'download', doneBytes: 0, totalBytes: 0 });
    worker.current.postMessage({
      kind: 'preview',
      id: latest.current,
      file,
      options,
      wanted,
      detail,
    } satisfies ToWorker);
  };
  const reset = (): void => {
    latest.current++;
    setState({ kind: 'idle' });
  };
  return { state, start, reset };
};
