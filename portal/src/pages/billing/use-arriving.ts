import { useEffect, useState } from 'preact/hooks';

const POLLS_MAX = 15;
const POLL_MS = 2_000;

/** Asks again a few times while something is on its way that no call of this page brings; `late` once it gave up. */
export const useArriving = (isAwaited: boolean, reload: () => void): { readonly late: boolean } => {
  const [polls, setPolls] = useState(0);
  useEffect(() => {
    if (!isAwaited) return setPolls(0);
    if (polls >= POLLS_MAX) return;
    const timer = setTimeout(() => {
      setPolls(polls + 1);
      reload();
    }, POLL_MS);
    return () => clearTimeout(timer);
  }, [isAwaited, polls]);
  return { late: polls >= POLLS_MAX };
};
