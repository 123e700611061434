import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso/router';

type Props = {
  href: string;
  /** True: pages below `href` do not count as this one. */
  exact?: boolean;
  children?: ComponentChildren;
};

/** An anchor that says `aria-current` where it names this page or one below it. */
export const NavLink = ({ href, exact = false, children }: Props) => {
  const { path } = useLocation();
  const current = path === href || (!exact && path.startsWith(`${href}/`));
  return (
    <a href={href} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
};
