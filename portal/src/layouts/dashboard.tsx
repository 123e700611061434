/** Sidebar and content. On a phone the sidebar opens over the page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { Brand } from '../components/brand.tsx';
import { Icon } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { usePalette } from '../palette/use-palette.tsx';
import { useSession } from '../session.tsx';
import { Sidebar } from './sidebar.tsx';

export const DashboardLayout = ({ children }: { children?: ComponentChildren }) => {
  const [open, setOpen] = useState(false);
  const { path } = useLocation();
  const palette = usePalette();
  const { isMoved } = useSession();
  useEffect(() => setOpen(false), [path]);
  return (
    <div class="shell">
      <header class="topbar no-print">
        <Brand href="/overview" />
        <button
          type="button"
          class="button quiet icon-only"
          aria-label={open ? 'Close menu' : 'Open menu'}
          aria-expanded={open}
          aria-controls="sidebar"
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'close' : 'menu'} />
        </button>
      </header>
      <Sidebar open={open} onPalette={palette.open} />
      <div class="column">
        <main class="content" id="main" tabIndex={-1}>
          {isMoved && (
            <div class="moved-notice">
              <Notice tone="warn">
                You are no longer a member of the account that was shown before. This is another one of yours.
              </Notice>
            </div>
          )}
          {children}
        </main>
      </div>
      {palette.palette}
    </div>
  );
};
