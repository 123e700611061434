/** The pages of the portal as its navigation has them. */
import type { IconName } from '../components/icon-paths.ts';

export type Place = { readonly href: string; readonly name: string; readonly icon: IconName };

export const places: readonly { readonly title?: string; readonly items: readonly Place[] }[] = [
  {
    items: [
      { href: '/overview', name: 'Overview', icon: 'overview' },
      { href: '/playground', name: 'Playground', icon: 'playground' },
      { href: '/batches', name: 'Batches', icon: 'batches' },
    ],
  },
  {
    title: 'Developers',
    items: [
      { href: '/keys', name: 'API keys', icon: 'keys' },
      { href: '/usage', name: 'Usage', icon: 'usage' },
      { href: '/logs', name: 'Logs', icon: 'logs' },
      { href: '/webhooks', name: 'Webhooks', icon: 'webhooks' },
      { href: '/docs', name: 'Documentation', icon: 'docs' },
    ],
  },
  {
    title: 'Account',
    items: [
      { href: '/billing', name: 'Billing', icon: 'billing' },
      { href: '/activity', name: 'Activity', icon: 'activity' },
      { href: '/security', name: 'Security', icon: 'security' },
      { href: '/settings', name: 'Settings', icon: 'settings' },
    ],
  },
];
