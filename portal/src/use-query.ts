/** Loading something for a page: the last value stays while it is refreshed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { PortalProblem } from '../../shared/portal-api.ts';
import { get } from './api.ts';

export type Query<T> = {
  readonly value: T | undefined;
  readonly problem: PortalProblem | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
};

/** GETs `path` of the portal API; undefined means "not yet". A change of path aborts what runs. */
export const useQuery = <T>(path: string | undefined): Query<T> => {
  const [state, setState] = useState<{ value?: T; problem?: PortalProblem; loading: boolean }>({ loading: true });
  const [round, setRound] = useState(0);
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    const keep = shown.current === path;
    shown.current = path;
    setState((before) => ({ ...(keep && before.value !== undefined ? { value: before.value } : {}), loading: true }));
    get<T>(path, abort.signal).then(
      (answer) =>
        setState(answer.ok ? { value: answer.value, loading: false } : { problem: answer.problem, loading: false }),
      () => undefined,
    );
    return () => abort.abort();
  }, [path, round]);
  const reload = useCallback(() => setRound((n) => n + 1), []);
  return { value: state.value, problem: state.problem, loading: state.loading, reload };
};
