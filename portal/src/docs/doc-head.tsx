import type { ComponentChildren } from 'preact';
import { useTitle } from '../use-title.ts';

export const DocHead = ({ title, children }: { title: string; children?: ComponentChildren }) => {
  useTitle(title);
  return (
    <>
      <h1 tabIndex={-1}>{title}</h1>
      {children && <p class="lede">{children}</p>}
    </>
  );
};

/** A heading that can be linked to. */
export const H2 = ({ id, children }: { id: string; children: ComponentChildren }) => (
  <h2 id={id}>
    <a class="anchor" href={`#${id}`}>
      {children}
    </a>
  </h2>
);

export const Next = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <p class="next">
    Next: <a href={href}>{children}</a>
  </p>
);
