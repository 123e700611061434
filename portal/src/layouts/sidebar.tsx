/** Navigation of the dashboard, the balance, and who is signed in. */
import { Brand } from '../components/brand.tsx';
import { Icon } from '../components/icon.tsx';
import { NavLink } from '../components/nav-link.tsx';
import { ThemeButton } from '../components/theme-button.tsx';
import { count, dollars } from '../format.ts';
import { paletteKeys } from '../palette/use-palette.tsx';
import { useMay, useSession } from '../session.tsx';
import { AccountSwitch } from './account-switch.tsx';
import { places } from './places.ts';

const Balance = () => {
  const { me } = useSession();
  const available = me?.account.available;
  const may = useMay();
  const content = (
    <>
      <span class="muted">Balance</span>
      <strong class="num">{available === undefined ? '\u00a0' : dollars(available)}</strong>
      <span class="muted num">{available === undefined ? '\u00a0' : `${count(available)} credits`}</span>
    </>
  );
  return may('billing') ? (
    <a class="balance-chip" href="/billing">
      {content}
    </a>
  ) : (
    <div class="balance-chip">{content}</div>
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

type Props = { open: boolean; onPalette: () => void };

export const Sidebar = ({ open, onPalette }: Props) => {
  const { me, signOut } = useSession();
  const may = useMay();
  const shown = places
    .map((group) => ({ ...group, items: group.items.filter(({ needs }) => needs === undefined || may(needs)) }))
    .filter(({ items }) => items.length > 0);
  return (
    <aside class={`sidebar ${open ? 'open' : ''}`} id="sidebar" aria-label="Portal and account">
      {!open && <Brand href="/overview" />}
      <AccountSwitch />
      <button type="button" class="palette-button" onClick={onPalette}>
        <Icon name="search" size={14} />
        <span class="grow">Go to</span>
        <kbd>{paletteKeys()}</kbd>
      </button>
      <nav aria-label="Portal" class="stack">
        {shown.map((group) => (
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
    </aside>
  );
};
