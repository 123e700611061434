/** Every page: its path, its layout, who may see it, and where its code is. */
import type { ComponentType } from 'preact';
import lazy from 'preact-iso/lazy';
import { exec } from 'preact-iso/router';
import type { Permission } from '../../shared/roles.ts';
import { LoadFailed } from './components/load-failed.tsx';
import type { PagePath } from './page-paths.ts';

export type LayoutName = 'dashboard' | 'narrow' | 'docs' | 'bare';
/** `session`: customers only. `signedOut`: customers are sent to the overview. */
type Access = 'any' | 'session' | 'signedOut';
type Page = ComponentType & { readonly preload: () => Promise<unknown> };
export type PageRoute = {
  readonly path: string;
  readonly layout: LayoutName;
  readonly access: Access;
  readonly page: Page;
  /** What the role of the visitor must allow. */
  readonly needs?: Permission | undefined;
};

const at = (
  path: PagePath | '*',
  layout: LayoutName,
  access: Access,
  load: () => Promise<{ default: ComponentType }>,
  needs?: Permission,
): PageRoute => ({
  path,
  layout,
  access,
  needs,
  page: lazy(() => load().catch(() => ({ default: LoadFailed }))) as unknown as Page,
});

const routes: readonly PageRoute[] = [
  at('/', 'bare', 'any', () => import('./pages/landing.tsx')),
  at('/sign-in', 'narrow', 'signedOut', () => import('./pages/sign-in.tsx')),
  at('/sign-up', 'narrow', 'signedOut', () => import('./pages/sign-up.tsx')),
  at('/sign-up/complete', 'narrow', 'signedOut', () => import('./pages/complete-sign-up.tsx')),
  at('/invitation', 'narrow', 'any', () => import('./pages/invitation.tsx')),
  at('/confirm-address', 'narrow', 'any', () => import('./pages/confirm-address.tsx')),
  at('/forgot-password', 'narrow', 'any', () => import('./pages/forgot-password.tsx')),
  at('/reset-password', 'narrow', 'any', () => import('./pages/reset-password.tsx')),
  at('/test-checkout', 'narrow', 'session', () => import('./pages/test-checkout.tsx'), 'billing'),
  at('/disclosure', 'bare', 'any', () => import('./pages/disclosure.tsx')),
  at('/status', 'bare', 'any', () => import('./pages/status.tsx')),
  at('/changelog', 'bare', 'any', () => import('./pages/changelog.tsx')),
  at('/terms', 'bare', 'any', () => import('./pages/terms.tsx')),
  at('/privacy', 'bare', 'any', () => import('./pages/privacy.tsx')),
  at('/outbox', 'bare', 'any', () => import('./pages/outbox.tsx')),
  at('/overview', 'dashboard', 'session', () => import('./pages/overview.tsx')),
  at('/keys', 'dashboard', 'session', () => import('./pages/keys.tsx'), 'keys'),
  at('/batches', 'dashboard', 'session', () => import('./pages/batches.tsx'), 'images'),
  at('/batches/:folderId', 'dashboard', 'session', () => import('./pages/batch.tsx'), 'images'),
  at('/batches/:folderId/touch-up', 'dashboard', 'session', () => import('./pages/touch-up.tsx'), 'images'),
  at('/usage', 'dashboard', 'session', () => import('./pages/usage.tsx'), 'overview'),
  at('/logs', 'dashboard', 'session', () => import('./pages/logs.tsx'), 'images'),
  at('/logs/:requestId', 'dashboard', 'session', () => import('./pages/log-entry.tsx'), 'images'),
  at('/playground', 'dashboard', 'session', () => import('./pages/playground.tsx'), 'images'),
  at('/billing', 'dashboard', 'session', () => import('./pages/billing.tsx'), 'billing'),
  at('/billing/receipts/:paymentId', 'dashboard', 'session', () => import('./pages/receipt.tsx'), 'billing'),
  at('/webhooks', 'dashboard', 'session', () => import('./pages/webhooks.tsx'), 'webhooks'),
  at('/activity', 'dashboard', 'session', () => import('./pages/activity.tsx'), 'activity'),
  at('/members', 'dashboard', 'session', () => import('./pages/members.tsx'), 'overview'),
  at('/security', 'dashboard', 'session', () => import('./pages/security.tsx')),
  at('/settings', 'dashboard', 'session', () => import('./pages/settings.tsx')),
  at('/docs', 'docs', 'any', () => import('./docs/quick-start.tsx')),
  at('/docs/upload', 'docs', 'any', () => import('./docs/upload.tsx')),
  at('/docs/batch', 'docs', 'any', () => import('./docs/batch.tsx')),
  at('/docs/keys', 'docs', 'any', () => import('./docs/keys.tsx')),
  at('/docs/credits', 'docs', 'any', () => import('./docs/credits.tsx')),
  at('/docs/members', 'docs', 'any', () => import('./docs/members.tsx')),
  at('/docs/options', 'docs', 'any', () => import('./docs/options.tsx')),
  at('/docs/marketplaces', 'docs', 'any', () => import('./docs/marketplaces.tsx')),
  at('/docs/findings', 'docs', 'any', () => import('./docs/findings.tsx')),
  at('/docs/webhooks', 'docs', 'any', () => import('./docs/webhooks.tsx')),
  at('/docs/removebg', 'docs', 'any', () => import('./docs/removebg.tsx')),
  at('/docs/errors', 'docs', 'any', () => import('./docs/errors.tsx')),
  at('/docs/limits', 'docs', 'any', () => import('./docs/limits.tsx')),
  at('/docs/reference', 'docs', 'any', async () => (await import('./docs/reference.tsx')).loadReference()),
];

const notFound = at('*', 'narrow', 'any', () => import('./pages/not-found.tsx'));

/** No path of the portal needs an escape, and `exec` throws on a malformed one. */
const PLAIN = /^[\w/-]+$/;

export const routeOf = (path: string): PageRoute =>
  (PLAIN.test(path) ? routes.find((route) => exec(path, route.path)) : undefined) ?? notFound;
