import type { ComponentChildren } from 'preact';
import type { PortalProblem } from '../../../shared/portal-api.ts';
import { Problem } from './problem.tsx';

type Props = {
  id?: string;
  class?: string;
  onSubmit: () => Promise<unknown>;
  problem?: PortalProblem | undefined;
  children?: ComponentChildren;
};

/** A form that script submits, with what was refused above its fields. */
export const Form = ({ class: extra = '', onSubmit, problem, children, ...rest }: Props) => (
  <form
    {...rest}
    class={`form ${extra}`}
    onSubmit={(event) => {
      event.preventDefault();
      void onSubmit();
    }}
  >
    <Problem problem={problem} />
    {children}
  </form>
);
