/** The heading of a page. It takes the focus on navigation, so that screen readers announce the new page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useTitle } from '../use-title.ts';

type Props = { title: string; lead?: ComponentChildren; children?: ComponentChildren };

export const PageHead = ({ title, lead, children }: Props) => {
  useTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [title]);
  return (
    <div class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <p>{lead}</p>}
      </div>
      {children && <div class="row">{children}</div>}
    </div>
  );
};
