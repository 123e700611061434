/** Documentation: contents at the left, text in a readable measure. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { NavLink } from '../components/nav-link.tsx';
import { contents } from '../docs/contents.ts';
import { PageTools } from '../docs/page-tools.tsx';
import { DocSearch } from '../docs/search.tsx';
import { SiteFoot } from './site-foot.tsx';
import { SiteHead } from './site-head.tsx';

const Contents = () => (
  <nav aria-label="Documentation" class="docs-contents">
    {contents.map(({ title, pages }) => (
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
          <DocSearch />
          <Contents />
        </aside>
        <details class="docs-menu" ref={menu}>
          <summary>Contents and search</summary>
          <DocSearch />
          <Contents />
        </details>
        <main class="prose" id="main" tabIndex={-1}>
          <PageTools path={path} />
          {children}
        </main>
      </div>
      <SiteFoot />
    </>
  );
};
