/** What the portal's routes are given. */
import type { Services } from '../ports.ts';
import type { Auth } from './auth.ts';
import type { PortalSettings } from './settings.ts';

export type PortalDeps = {
  readonly settings: PortalSettings;
  readonly db: D1Database;
  readonly auth: Auth;
  readonly services: Services;
  readonly trustedOrigins: readonly string[];
};
