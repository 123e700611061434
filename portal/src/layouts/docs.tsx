/** Documentation: contents at the left, text in a readable measure. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { NavLink } from '../components/nav-link.tsx';
import { SiteHead } from './site-head.tsx';

const groups = [
  {
    title: 'Start',
    pages: [
      ['/docs', 'Quick start'],
      ['/docs/upload', 'Uploading files'],
      ['/docs/batch', 'Batches of URLs'],
      ['/docs/webhooks', 'Webhooks'],
      ['/docs/removebg', 'From remove.bg'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['/docs/options', 'Options'],
      ['/docs/errors', 'Errors'],
      ['/docs/limits', 'Limits'],
      ['/docs/reference', 'API reference'],
    ],
  },
] as const;

const Contents = () => (
  <nav aria-label="Documentation" class="docs-contents">
    {groups.map(({ title, pages }) => (
      <div key={title}>
        <div class="nav-title">{title}</div>
        <ul class="nav">
          {pages.map(([href, name]) => (
            <li key={href}>
              {/* Every page's path begins with that of the first. */}
              <NavLink href={href} exact={href === '/docs'}>
                {name}
              </NavLink>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </nav>
);

export const DocsLayout = ({ children }: { children?: ComponentChildren }) => {
  const menu = useRef<HTMLDetailsElement>(null);
  const { path } = useLocation();
  useEffect(() => {
    if (menu.current) menu.current.open = false;
  }, [path]);
  return (
    <>
      <SiteHead wide />
      <div class="docs">
        <aside class="docs-side">
          <Contents />
        </aside>
        <details class="docs-menu" ref={menu}>
          <summary>Contents</summary>
          <Contents />
        </details>
        <main class="prose" id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </>
  );
};
