/** The first request that made an image, as soon as there is one. */
import { useEffect, useState } from 'preact/hooks';
import type { LogPage, LogRow } from '../../../../shared/portal-api.ts';
import { get } from '../../api.ts';

const POLL_MS = 3_000;
/** Of one visit, some 20 minutes of a page that is looked at. */
const POLLS_MAX = 400;

const madeImage = ({ method, status, images }: LogRow): boolean => method === 'POST' && status < 300 && images > 0;

/** Null while nothing is known yet, undefined while there is none. */
export const useFirstImage = (isNeeded: boolean): LogRow | null | undefined => {
  const [row, setRow] = useState<LogRow | null | undefined>(null);
  const isFound = row !== null && row !== undefined;
  useEffect(() => {
    if (!isNeeded || isFound) return;
    const stopping = new AbortController();
    let polls = 0;
    const look = async (): Promise<void> => {
      if (document.hidden || polls++ >= POLLS_MAX) return;
      const answer = await get<LogPage>('/logs', stopping.signal);
      if (answer.ok) setRow(answer.value.rows.find(madeImage));
    };
    const poll = (): void => void look().catch(() => undefined);
    poll();
    const timer = setInterval(poll, POLL_MS);
    return () => {
      clearInterval(timer);
      stopping.abort();
    };
  }, [isNeeded, isFound]);
  return row;
};
