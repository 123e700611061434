import { useState } from 'preact/hooks';
import type { PortalProblem } from '../../shared/portal-api.ts';
import type { Answer } from './api.ts';

type Call = {
  readonly busy: boolean;
  readonly problem: PortalProblem | undefined;
  readonly run: <T>(answering: Promise<Answer<T>>) => Promise<Answer<T>>;
};

/** A call made by a click or a form: busy while it runs, then why it was refused. `messages`: our text for a code. */
export const useCall = (messages: Readonly<Record<string, string>> = {}): Call => {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PortalProblem>();
  const run = async <T>(answering: Promise<Answer<T>>): Promise<Answer<T>> => {
    setBusy(true);
    const answer = await answering;
    setBusy(false);
    if (answer.ok) setProblem(undefined);
    else setProblem({ ...answer.problem, detail: messages[answer.problem.code] ?? answer.problem.detail });
    return answer;
  };
  return { busy, problem, run };
};
