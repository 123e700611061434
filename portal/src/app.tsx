/** Chooses page and frame for the address; loads the page's code; keeps signed-out visitors from signed-in pages. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { DashboardFrame } from './frames/dashboard.tsx';
import { DocsFrame } from './frames/docs.tsx';
import { NarrowFrame } from './frames/narrow.tsx';
import { navigate, useLocation } from './router.tsx';
import { type Frame, matchRoute, type PageProps, type Route } from './routes.ts';
import { SessionContext, useSession, useSessionState } from './session.tsx';

const frames: Record<Frame, ComponentType> = {
  dashboard: DashboardFrame,
  docs: DocsFrame,
  narrow: NarrowFrame,
  bare: ({ children }: { children?: preact.ComponentChildren }) => <>{children}</>,
};

const loaded = new Map<Route, ComponentType<PageProps>>();

const usePage = (route: Route): ComponentType<PageProps> | 'failed' | undefined => {
  const [, loadedNow] = useState<unknown>();
  const [failed, setFailed] = useState<Route>();
  useEffect(() => {
    if (loaded.has(route)) return;
    route.load().then(
      (module) => {
        loaded.set(route, module.default);
        loadedNow({});
      },
      () => setFailed(route),
    );
  }, [route]);
  return loaded.get(route) ?? (failed === route ? 'failed' : undefined);
};

const Page = () => {
  const { path } = useLocation();
  const { me } = useSession();
  const { route, params } = matchRoute(path);
  const Content = usePage(route);
  const refused = (route.access === 'session' && me === null) || (route.access === 'signedOut' && Boolean(me));
  useEffect(() => {
    if (!refused) return;
    const here = location.pathname + location.search;
    // A link of a mail that is too old comes back with its error.
    const error = new URLSearchParams(location.search).get('error');
    navigate(
      route.access === 'signedOut'
        ? '/overview'
        : error
          ? `/sign-in?error=${encodeURIComponent(error)}`
          : `/sign-in?next=${encodeURIComponent(here)}`,
      { replace: true },
    );
  }, [refused]);
  const Frame = frames[route.frame];
  const waiting = refused || !Content || (route.access !== 'any' && me === undefined);
  return (
    <Frame>
      {Content === 'failed' ? (
        <p role="alert">This page could not be loaded. Reload to try again.</p>
      ) : waiting ? (
        <div class="page-wait" role="status" aria-label="Loading" />
      ) : (
        <Content key={path} params={params} />
      )}
    </Frame>
  );
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
