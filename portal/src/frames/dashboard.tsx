/** Sidebar, balance, content. On a phone the sidebar opens over the page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { count, dollars } from '../format.ts';
import { NavLink, useLocation } from '../router.tsx';
import { useSession } from '../session.tsx';
import { Brand, Icon, type IconName } from '../ui/icons.tsx';
import { ThemeButton } from '../ui/theme-button.tsx';

type Item = { href: string; name: string; icon: IconName };
const groups: readonly { title?: string; items: readonly Item[] }[] = [
  {
    items: [
      { href: '/overview', name: 'Overview', icon: 'overview' },
      { href: '/playground', name: 'Playground', icon: 'playground' },
    ],
  },
  {
    title: 'Developers',
    items: [
      { href: '/keys', name: 'API keys', icon: 'keys' },
      { href: '/logs', name: 'Logs', icon: 'logs' },
      { href: '/webhooks', name: 'Webhooks', icon: 'webhooks' },
      { href: '/docs', name: 'Documentation', icon: 'docs' },
    ],
  },
  {
    title: 'Account',
    items: [
      { href: '/billing', name: 'Billing', icon: 'billing' },
      { href: '/settings', name: 'Settings', icon: 'settings' },
    ],
  },
];

const Balance = () => {
  const { me } = useSession();
  const available = me?.account.available;
  return (
    <a class="balance-chip" href="/billing">
      <span class="muted">Balance</span>
      <strong class="num">{available === undefined ? '\u00a0' : dollars(available)}</strong>
      <span class="muted num">{available === undefined ? '\u00a0' : `${count(available)} credits`}</span>
    </a>
  );
};

const LocalMark = () => {
  const { config } = useSession();
  if (!config?.local) return null;
  return (
    <p class="local-mark">
      Local mode.{config.checkout === 'test' && ' No real money moves.'}{' '}
      {config.mail === 'outbox' && <a href="/outbox">Outbox</a>}
    </p>
  );
};

const Sidebar = ({ open }: { open: boolean }) => {
  const { me, signOut } = useSession();
  return (
    <div class={`sidebar ${open ? 'open' : ''}`} id="sidebar">
      {!open && <Brand href="/overview" />}
      <nav aria-label="Portal" class="stack">
        {groups.map((group) => (
          <div key={group.title}>
            {group.title && <div class="nav-title">{group.title}</div>}
            <ul class="nav">
              {group.items.map(({ href, name, icon }) => (
                <li key={href}>
                  <NavLink href={href}>
                    <Icon name={icon} />
                    {name}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="sidebar-foot">
        <LocalMark />
        <Balance />
        <div class="user">
          <span title={me?.user.email}>{me?.user.email}</span>
          <div class="user-actions">
            <ThemeButton />
            <button
              type="button"
              class="button quiet icon-only"
              aria-label="Sign out"
              title="Sign out"
              onClick={() => void signOut()}
            >
              <Icon name="signOut" />
            </button>
          </div>
        </div>
      </div>
    </div>
  );
};

export const DashboardFrame = ({ children }: { children?: ComponentChildren }) => {
  const [open, setOpen] = useState(false);
  const { path } = useLocation();
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
      <Sidebar open={open} />
      <div class="column">
        <main class="content" id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
};
