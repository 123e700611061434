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
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string; readonly why?: string };

/** What a message makes of the state. A fall-back is remembered until the next preview. */
const next = (before: PreviewState, message: FromWorker): PreviewState => {
  const fellBack = before.kind === 'running' || before.kind === 'done' ? before.fellBack : undefined;
  const kept = fellBack === undefined ? {} : { fellBack };
  switch (message.kind) {
    case 'progress': {
      const { step, doneBytes, totalBytes } = message;
      return { kind: 'running', step, doneBytes, totalBytes, ...kept };
    }
    case 'fell_back':
      return { kind: 'running', step: 'download', doneBytes: 0, totalBytes: 0, fellBack: message.why };
    case 'done':
      return { kind: 'done', preview: message.preview, ...kept };
    case 'failed':
      return message;
  }
};

type Start = (file: Blob, options: ResolvedOptions, wanted: Wanted, detail: Detail) => void;

export const usePreview = (): { state: PreviewState; start: Start } => {
  const [state, setState] = useState<PreviewState>({ kind: 'idle' });
  const worker = useRef<Worker | undefined>(undefined);
  const latest = useRef(0);
  useEffect(() => () => worker.current?.terminate(), []);

  const started = (): Worker => {
    const made = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    made.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.id === latest.current) setState((before) => next(before, data));
    };
    made.onerror = () =>
      setState({ kind: 'failed', code: 'preview_failed', detail: 'The preview could not be started.' });
    return made;
  };
  const start: Start = (file, options, wanted, detail) => {
    worker.current ??= started();
    latest.current++;
    setState({ kind: 'running', step: 'download', doneBytes: 0, totalBytes: 0 });
    const request: ToWorker = { kind: 'preview', id: latest.current, file, options, wanted, detail };
    worker.current.postMessage(request);
  };
  return { state, start };
};
