/** The head of public pages. */

import { Brand } from '../components/brand.tsx';
import { NavLink } from '../components/nav-link.tsx';
import { ThemeButton } from '../components/theme-button.tsx';
import { useSession } from '../session.tsx';

export const SiteHead = ({ wide = false }: { wide?: boolean }) => {
  const { me } = useSession();
  return (
    <header class="site-head">
      <div class={wide ? 'site-head-inner wide' : 'site-head-inner'}>
        <Brand />
        <nav aria-label="Site" class="site-nav">
          <NavLink href="/docs">Docs</NavLink>
          <ThemeButton />
          {me ? (
            <a class="button primary compact" href="/overview">
              Dashboard
            </a>
          ) : (
            <>
              <a class="quiet-link" href="/sign-in">
                Sign in
              </a>
              <a class="button primary compact" href="/sign-up">
                Register
              </a>
            </>
          )}
        </nav>
      </div>
    </header>
  );
};
