/** `/status.json`, asked again while the page is looked at. What cannot be asked any more is not shown as good. */
import { useEffect, useState } from 'preact/hooks';
import {
  type ComponentState,
  type ComponentStatus,
  STATUS_PATH,
  type StatusAnswer,
  stateNow,
  worstOf,
} from '../../../shared/status.ts';

const ASK_EVERY_MS = 30_000;
const TICK_MS = 5_000;

type Asked = {
  readonly answer: StatusAnswer;
  /** The server's clock when it answered, and this page's own, which cannot be set wrong. */
  readonly serverMs: number;
  readonly askedAtMs: number;
};

export type Status = {
  readonly answer: StatusAnswer;
  /** By the server's clock. */
  readonly nowMs: number;
  readonly state: ComponentState;
  readonly stateOf: (component: ComponentStatus) => ComponentState;
  /** The last request failed. */
  readonly isLost: boolean;
};

const ask = async (): Promise<Asked | undefined> => {
  try {
    const response = await fetch(STATUS_PATH);
    if (!response.ok) return undefined;
    const answer = (await response.json()) as StatusAnswer;
    const serverMs = Date.parse(response.headers.get('date') ?? '') || Date.now();
    return { answer, serverMs, askedAtMs: performance.now() };
  } catch {
    return undefined;
  }
};

/** Undefined until the first answer; `failed` where there was none. */
export const useStatus = (): Status | 'failed' | undefined => {
  const [asked, setAsked] = useState<Asked>();
  const [isLost, setLost] = useState(false);
  const [tickMs, setTick] = useState(0);
  useEffect(() => {
    let isOver = false;
    const renew = async (): Promise<void> => {
      if (document.hidden) return;
      const next = await ask();
      if (isOver) return;
      setLost(next === undefined);
      if (next) setAsked(next);
      setTick(performance.now());
    };
    void renew();
    const asking = setInterval(() => void renew(), ASK_EVERY_MS);
    const ticking = setInterval(() => setTick(performance.now()), TICK_MS);
    const shown = (): void => void renew();
    document.addEventListener('visibilitychange', shown);
    return () => {
      isOver = true;
      clearInterval(asking);
      clearInterval(ticking);
      document.removeEventListener('visibilitychange', shown);
    };
  }, []);
  if (!asked) return isLost ? 'failed' : undefined;
  const nowMs = asked.serverMs + Math.max(0, tickMs - asked.askedAtMs);
  const stateOf = (component: ComponentStatus): ComponentState => stateNow(component, nowMs);
  return { answer: asked.answer, nowMs, isLost, stateOf, state: worstOf(asked.answer.components.map(stateOf)) };
};
