/** Every page: its path, how it is framed, and where its code is. */
import type { ComponentType } from 'preact';

export type Frame = 'dashboard' | 'narrow' | 'docs' | 'bare';
export type PageProps = { readonly params: readonly string[] };
export type Route = {
  readonly path: RegExp;
  readonly frame: Frame;
  /** Dashboard pages need a session; `signedOut` pages send those who have one to the overview. */
  readonly access: 'any' | 'session' | 'signedOut';
  readonly load: () => Promise<{ default: ComponentType<PageProps> }>;
};

export const routes: readonly Route[] = [
  { path: /^\/$/, frame: 'bare', access: 'any', load: () => import('./pages/landing.tsx') },
  { path: /^\/sign-in$/, frame: 'narrow', access: 'signedOut', load: () => import('./pages/sign-in.tsx') },
  { path: /^\/sign-up$/, frame: 'narrow', access: 'signedOut', load: () => import('./pages/sign-up.tsx') },
  { path: /^\/forgot-password$/, frame: 'narrow', access: 'any', load: () => import('./pages/forgot-password.tsx') },
  { path: /^\/reset-password$/, frame: 'narrow', access: 'any', load: () => import('./pages/reset-password.tsx') },
  { path: /^\/test-checkout$/, frame: 'narrow', access: 'session', load: () => import('./pages/test-checkout.tsx') },
  { path: /^\/outbox$/, frame: 'bare', access: 'any', load: () => import('./pages/outbox.tsx') },
  { path: /^\/overview$/, frame: 'dashboard', access: 'session', load: () => import('./pages/overview.tsx') },
  { path: /^\/keys$/, frame: 'dashboard', access: 'session', load: () => import('./pages/keys.tsx') },
  { path: /^\/logs$/, frame: 'dashboard', access: 'session', load: () => import('./pages/logs.tsx') },
  {
    path: /^\/logs\/(req_[0-9a-z]+)$/,
    frame: 'dashboard',
    access: 'session',
    load: () => import('./pages/log-entry.tsx'),
  },
  { path: /^\/playground$/, frame: 'dashboard', access: 'session', load: () => import('./pages/playground.tsx') },
  { path: /^\/billing$/, frame: 'dashboard', access: 'session', load: () => import('./pages/billing.tsx') },
  {
    path: /^\/billing\/receipts\/(pay_[0-9a-z]+)$/,
    frame: 'dashboard',
    access: 'session',
    load: () => import('./pages/receipt.tsx'),
  },
  { path: /^\/webhooks$/, frame: 'dashboard', access: 'session', load: () => import('./pages/webhooks.tsx') },
  { path: /^\/settings$/, frame: 'dashboard', access: 'session', load: () => import('./pages/settings.tsx') },
  { path: /^\/docs$/, frame: 'docs', access: 'any', load: () => import('./docs/quick-start.tsx') },
  { path: /^\/docs\/upload$/, frame: 'docs', access: 'any', load: () => import('./docs/upload.tsx') },
  { path: /^\/docs\/batch$/, frame: 'docs', access: 'any', load: () => import('./docs/batch.tsx') },
  { path: /^\/docs\/options$/, frame: 'docs', access: 'any', load: () => import('./docs/options.tsx') },
  { path: /^\/docs\/webhooks$/, frame: 'docs', access: 'any', load: () => import('./docs/webhooks.tsx') },
  { path: /^\/docs\/errors$/, frame: 'docs', access: 'any', load: () => import('./docs/errors.tsx') },
  { path: /^\/docs\/limits$/, frame: 'docs', access: 'any', load: () => import('./docs/limits.tsx') },
  { path: /^\/docs\/reference$/, frame: 'docs', access: 'any', load: () => import('./docs/reference.tsx') },
];

const missing: Route = { path: /.*/, frame: 'narrow', access: 'any', load: () => import('./pages/not-found.tsx') };

export const matchRoute = (path: string): { route: Route; params: readonly string[] } => {
  for (const route of routes) {
    const match = route.path.exec(path);
    if (match) return { route, params: match.slice(1) };
  }
  return { route: missing, params: [] };
};
