/** The run that a reload interrupted: waited for, then shown as the log shows it. */
import { useEffect, useState } from 'preact/hooks';
import type { LogImage, RunAgain } from '../../../shared/portal-api.ts';
import { get } from '../api.ts';
import { Button } from '../components/button.tsx';
import { ImageCard } from '../components/image-card.tsx';
import { Notice } from '../components/notice.tsx';
import { forgetRun, type OpenRun, openRun } from './run-memory.ts';

const ASK_AGAIN_MS = 1_000;
/** A request whose body was still under way when the page was left never reaches the API. */
const UNKNOWN_MAX = 8;

type State = 'waiting' | 'lost' | LogImage;

const isOver = ({ status }: LogImage): boolean => status !== 'queued' && status !== 'processing';

const useEarlierRun = (run: OpenRun | undefined): State => {
  const [state, setState] = useState<State>('waiting');
  useEffect(() => {
    if (!run) return;
    let isLeft = false;
    let unknown = 0;
    const ask = async (): Promise<void> => {
      const answer = await get<RunAgain>(`/runs/${encodeURIComponent(run.idempotencyKey)}`);
      if (isLeft) return;
      const image = answer.ok ? answer.value.images[0] : undefined;
      if (image && isOver(image)) return setState(image);
      if (!answer.ok && answer.status === 404 && ++unknown === UNKNOWN_MAX) return setState('lost');
      setTimeout(() => void ask(), ASK_AGAIN_MS);
    };
    void ask();
    return () => {
      isLeft = true;
    };
  }, [run]);
  return state;
};

export const EarlierRun = () => {
  const [run, setRun] = useState(openRun);
  const state = useEarlierRun(run);
  if (!run) return null;
  const close = (): void => {
    forgetRun();
    setRun(undefined);
  };
  if (state === 'waiting') return <Notice>The run of {run.name} goes on. Its result will be here in a moment.</Notice>;
  return (
    <section class="stack tight earlier-run" aria-label="The run before the page was loaded again">
      <div class="row between">
        <h2>Your last run</h2>
        <Button compact kind="quiet" onClick={close}>
          Close
        </Button>
      </div>
      {state === 'lost' ? (
        <Notice tone="warn">
          The page was left before the run of {run.name} came to its end, and nothing was charged.
        </Notice>
      ) : (
        <ImageCard image={state} />
      )}
    </section>
  );
};
