/** Chooses page and layout for the path, loads the page's code, and keeps signed-out visitors from customers' pages. */
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { Route, Router, useLocation } from 'preact-iso/router';
import { roleMay } from '../../shared/roles.ts';
import { NotAllowed } from './components/not-allowed.tsx';
import { DashboardLayout } from './layouts/dashboard.tsx';
import { DocsLayout } from './layouts/docs.tsx';
import { NarrowLayout } from './layouts/narrow.tsx';
import { safeNext } from './next.ts';
import { type LayoutName, type PageRoute, routeOf } from './routes.ts';
import { SessionContext, useSession, useSessionState } from './session.tsx';

type Children = { children?: ComponentChildren };

const layouts: Record<LayoutName, ComponentType<Children>> = {
  dashboard: DashboardLayout,
  docs: DocsLayout,
  narrow: NarrowLayout,
  bare: ({ children }: Children) => <>{children}</>,
};

/** Where a visitor goes who may not see the page. */
const placeFor = (access: PageRoute['access'], url: string): string => {
  const { searchParams } = new URL(url, location.origin);
  if (access === 'signedOut') return safeNext(searchParams.get('next'));
  // An expired link of a mail comes back with its error.
  const error = searchParams.get('error');
  return error ? `/sign-in?error=${encodeURIComponent(error)}` : `/sign-in?next=${encodeURIComponent(url)}`;
};

/** Whether the visitor may see the page; undefined while that is not known. Sends away who may not. */
const useAdmission = ({ access, page }: PageRoute): boolean | undefined => {
  const { url, route: navigate } = useLocation();
  const { me } = useSession();
  const admitted = access === 'any' ? true : me === undefined ? undefined : (access === 'session') === (me !== null);
  // The code need not wait for the session.
  useEffect(() => void page.preload(), [page]);
  useEffect(() => {
    if (admitted === false) navigate(placeFor(access, url), true);
  }, [admitted]);
  return admitted;
};

/** The router brings a new page into view at its top; a fragment names a place further down. */
const scrollToFragment = (): void => document.getElementById(location.hash.slice(1))?.scrollIntoView();

const Page = () => {
  const route = routeOf(useLocation().path);
  const admitted = useAdmission(route);
  const Layout = layouts[route.layout];
  const { me } = useSession();
  const isRefused = me != null && route.needs !== undefined && !roleMay(me.role, route.needs);
  // A customer's page of one account never goes on in another.
  const accountId = route.access === 'session' ? me?.account.account_id : undefined;
  // Kept between renders: a router that renders again while a page loads drops the page before it.
  const content = useMemo(
    () => (
      <Router key={accountId} onRouteChange={scrollToFragment} onLoadEnd={scrollToFragment}>
        {[<Route key={route.path} path={route.path} component={route.page} />]}
      </Router>
    ),
    [route, accountId],
  );
  return <Layout>{admitted && (isRefused ? <NotAllowed /> : content)}</Layout>;
};

export const App = () => {
  const session = useSessionState();
  return (
    <SessionContext.Provider value={session}>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <Page />
    </SessionContext.Provider>
  );
};
