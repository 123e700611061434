/** A small history router: one `path`, links are ordinary anchors. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export type Location = { readonly path: string; readonly query: URLSearchParams };

const read = (): Location => ({
  path: location.pathname.replace(/(.)\/+$/, '$1'),
  query: new URLSearchParams(location.search),
});
const listeners = new Set<() => void>();
const announce = (): void => listeners.forEach((listener) => listener());

export const navigate = (to: string, { replace = false } = {}): void => {
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  announce();
};

/**
 * Follows same-origin links without a page load; everything else (downloads, new tabs, API documents) is left to the
 * browser.
 */
const onClick = (event: MouseEvent): void => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const anchor = (event.target as Element).closest?.('a');
  if (!anchor || anchor.target || anchor.hasAttribute('download') || anchor.origin !== location.origin) return;
  if (anchor.pathname.startsWith('/api/') || anchor.pathname.startsWith('/portal/')) return;
  event.preventDefault();
  const samePage = anchor.pathname === location.pathname && anchor.hash !== '';
  navigate(anchor.pathname + anchor.search + anchor.hash);
  if (samePage) document.getElementById(anchor.hash.slice(1))?.scrollIntoView();
  else if (!anchor.hash) scrollTo(0, 0);
};

export const useLocation = (): Location => {
  const [current, setCurrent] = useState(read);
  useEffect(() => {
    const update = (): void => setCurrent(read());
    listeners.add(update);
    addEventListener('popstate', update);
    document.addEventListener('click', onClick);
    return () => {
      listeners.delete(update);
      removeEventListener('popstate', update);
      document.removeEventListener('click', onClick);
    };
  }, []);
  return current;
};

type LinkProps = { href: string; children?: ComponentChildren };
/** An anchor that says `aria-current` when it names this page or one below it. */
export const NavLink = ({ href, children }: LinkProps) => {
  const { path } = useLocation();
  const current = path === href || (href !== '/' && path.startsWith(`${href}/`));
  return (
    <a href={href} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
};

/** Sets the document's title and moves the focus to the page's heading, so that a screen reader hears where it is. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · packshot`;
  }, [title]);
};
