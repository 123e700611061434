/** The runs that a reload interrupted: waited for, then shown as the log shows them. */
import { useEffect, useState } from 'preact/hooks';
import type { LogImage, RunAgain } from '../../../shared/portal-api.ts';
import { get } from '../api.ts';
import { Button } from '../components/button.tsx';
import { ImageCard } from '../components/image-card.tsx';
import { Notice } from '../components/notice.tsx';
import { forgetRun, type OpenRun, openRuns } from './run-memory.ts';

const ASK_AGAIN_MS = 1_000;
/** A request whose body was still under way when the page was left never reaches the API. */
const UNKNOWN_MAX = 8;

type State = 'waiting' | 'lost' | LogImage;

const isOver = ({ status }: LogImage): boolean => status !== 'queued' && status !== 'processing';

const useEarlierRun = (run: OpenRun): State => {
  const [state, setState] = useState<State>('waiting');
  useEffect(() => {
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

const EarlierRun = ({ run, onClose }: { run: OpenRun; onClose: () => void }) => {
  const state = useEarlierRun(run);
  if (state === 'waiting') return <Notice>The run of {run.name} goes on. Its result will be here in a moment.</Notice>;
  return (
    <section class="stack tight earlier-run" aria-label="The run before the page was loaded again">
      <div class="row between">
        <h2>Your last run</h2>
        <Button compact kind="quiet" onClick={onClose}>
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

export const EarlierRuns = () => {
  const [runs, setRuns] = useState(openRuns);
  const close = ({ idempotencyKey }: OpenRun): void => {
    forgetRun(idempotencyKey);
    setRuns((before) => before.filter((run) => run.idempotencyKey !== idempotencyKey));
  };
  return (
    <>
      {runs.map((run) => (
        <EarlierRun key={run.idempotencyKey} run={run} onClose={() => close(run)} />
      ))}
    </>
  );
};
