/** What may be wider than the page. It takes the focus, so that it can be scrolled by keyboard. */
import type { ComponentChildren } from 'preact';

type Props = { label: string; class?: string; children?: ComponentChildren };

export const ScrollRegion = ({ label, class: extra = '', children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard (axe: scrollable-region-focusable).
  <section class={`scroll-x ${extra}`} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
