/** The pages of the portal as its navigation has them. */
import type { Permission } from '../../../shared/roles.ts';
import type { IconName } from '../components/icon-paths.ts';

export type Place = {
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
  /** What a role must allow for the place to be shown. */
  readonly needs?: Permission;
};

export const places: readonly { readonly title?: string; readonly items: readonly Place[] }[] = [
  {
    items: [
      { href: '/overview', name: 'Overview', icon: 'overview' },
      { href: '/playground', name: 'Playground', icon: 'playground', needs: 'images' },
      { href: '/batches', name: 'Batches', icon: 'batches', needs: 'images' },
    ],
  },
  {
    title: 'Developers',
    items: [
      { href: '/keys', name: 'API keys', icon: 'keys', needs: 'keys' },
      { href: '/usage', name: 'Usage', icon: 'usage' },
      { href: '/logs', name: 'Logs', icon: 'logs', needs: 'images' },
      { href: '/webhooks', name: 'Webhooks', icon: 'webhooks', needs: 'webhooks' },
      { href: '/docs', name: 'Documentation', icon: 'docs' },
    ],
  },
  {
    title: 'Account',
    items: [
      { href: '/billing', name: 'Billing', icon: 'billing', needs: 'billing' },
      { href: '/members', name: 'Members', icon: 'members' },
      { href: '/activity', name: 'Activity', icon: 'activity', needs: 'activity' },
      { href: '/security', name: 'Security', icon: 'security' },
      { href: '/settings', name: 'Settings', icon: 'settings' },
    ],
  },
];
