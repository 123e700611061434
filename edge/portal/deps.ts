/** What the portal's routes are given. */
import type { RecordAudit } from '../audit/record.ts';
import type { Services } from '../ports.ts';
import type { Auth } from './auth.ts';
import type { SendMail } from './mail.ts';
import type { PortalSettings } from './settings.ts';

export type PortalDeps = {
  readonly settings: PortalSettings;
  readonly db: D1Database;
  readonly auth: Auth;
  readonly services: Services;
  readonly audit: RecordAudit;
  readonly sendMail: SendMail;
  /** Keeps work alive after the response, so that answers take the same time whether or not a mail is sent. */
  readonly afterResponse: (work: Promise<unknown>) => Promise<void>;
  readonly trustedOrigins: readonly string[];
};
