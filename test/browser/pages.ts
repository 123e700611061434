/** Every page of the portal. `session`: shown to signed-in customers only. */
export const pages = [
  { name: 'landing', path: '/', session: false },
  { name: 'sign-in', path: '/sign-in', session: false },
  { name: 'sign-up', path: '/sign-up', session: false },
  { name: 'forgot-password', path: '/forgot-password', session: false },
  { name: 'reset-password', path: '/reset-password?token=none', session: false },
  { name: 'outbox', path: '/outbox', session: false },
  { name: 'not-found', path: '/nothing-is-here', session: false },
  { name: 'docs', path: '/docs', session: false },
  { name: 'docs-upload', path: '/docs/upload', session: false },
  { name: 'docs-batch', path: '/docs/batch', session: false },
  { name: 'docs-options', path: '/docs/options', session: false },
  { name: 'docs-webhooks', path: '/docs/webhooks', session: false },
  { name: 'docs-findings', path: '/docs/findings', session: false },
  { name: 'docs-removebg', path: '/docs/removebg', session: false },
  { name: 'docs-errors', path: '/docs/errors', session: false },
  { name: 'docs-limits', path: '/docs/limits', session: false },
  { name: 'docs-reference', path: '/docs/reference', session: false },
  { name: 'overview', path: '/overview', session: true },
  { name: 'keys', path: '/keys', session: true },
  { name: 'logs', path: '/logs', session: true },
  { name: 'playground', path: '/playground', session: true },
  { name: 'billing', path: '/billing', session: true },
  { name: 'webhooks', path: '/webhooks', session: true },
  { name: 'settings', path: '/settings', session: true },
] as const satisfies readonly { name: string; path: string; session: boolean }[];

export type PageRow = (typeof pages)[number];
