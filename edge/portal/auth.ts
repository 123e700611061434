/** People who sign in: better-auth on D1. The id of a user's own account is made at sign-up; team/ has the others. */

import { passkey } from '@better-auth/passkey';
import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { APIError } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { limits } from '../../shared/limits.ts';
import { PORTAL_API_PREFIX } from '../../shared/paths.ts';
import { clientOf, type RecordAudit } from '../audit/record.ts';
import { ADDRESS_HEADER, clientAddress } from '../client-address.ts';
import { edgeLimits } from '../limits.ts';
import { guardAfter, guardBefore } from './access/guards.ts';
import { endLinksOf } from './access/mailed-links.ts';
import { rememberNetwork } from './access/sign-in-limit.ts';
import { authSecrets } from './auth-secrets.ts';
import type { SendMail } from './mail.ts';
import { passwordChangedMail, resetMail } from './mail-texts.ts';
import type { PortalSettings } from './settings.ts';
import { firstAccountOf } from './team/membership.ts';

export const AUTH_PATH = `${PORTAL_API_PREFIX}/auth`;

/**
 * The routes of better-auth that are open, below `AUTH_PATH`; any other answers 404. Closed is what has a route of our own
 * (registering, the address, sessions, deletion), and what only our own code may call: `/verify-password` counts no tries.
 */
export const authRoutes: readonly (readonly ['GET' | 'POST', path: string])[] = [
  ['POST', '/sign-in/email'],
  ['POST', '/sign-out'],
  ['POST', '/request-password-reset'],
  ['POST', '/reset-password'],
  ['POST', '/change-password'],
  ['POST', '/two-factor/enable'],
  ['POST', '/two-factor/disable'],
  ['POST', '/two-factor/generate-backup-codes'],
  ['POST', '/two-factor/verify-totp'],
  ['POST', '/two-factor/verify-backup-code'],
  ['GET', '/passkey/generate-register-options'],
  ['POST', '/passkey/verify-registration'],
  ['GET', '/passkey/generate-authenticate-options'],
  ['POST', '/passkey/verify-authentication'],
  ['POST', '/passkey/delete-passkey'],
];

export type AuthDeps = {
  readonly settings: PortalSettings;
  readonly db: D1Database;
  readonly audit: RecordAudit;
  readonly sendMail: SendMail;
  readonly newAccountId: () => string;
  readonly nowMs: () => number;
  /** Keeps work alive after the response, so that answers take the same time whether or not a mail is sent. */
  readonly afterResponse: (work: Promise<unknown>) => Promise<void>;
  readonly trustedOrigins: readonly string[];
};

export type Auth = ReturnType<typeof createAuth>;

export const createAuth = (deps: AuthDeps) =>
  betterAuth({
    appName: 'packshot',
    baseURL: deps.settings.publicBaseUrl,
    basePath: AUTH_PATH,
    ...authSecrets(deps.settings),
    database: deps.db,
    trustedOrigins: [...deps.trustedOrigins],
    telemetry: { enabled: false },
    logger: { level: 'error' },
    emailAndPassword: passwords(deps),
    user: {
      additionalFields: {
        accountId: { type: 'string', required: false, input: false, returned: false, fieldName: 'account_id' },
      },
      deleteUser: { enabled: true },
    },
    session: {
      expiresIn: portal.sessionMs / 1000,
      updateAge: portal.sessionStepMs / 1000,
      freshAge: portal.freshSessionMs / 1000,
      additionalFields: {
        country: { type: 'string', required: false, input: false, returned: false },
        accountId: { type: 'string', required: false, input: false, returned: false, fieldName: 'account_id' },
      },
    },
    plugins: [twoFactor({ issuer: 'packshot' }), passkeys(deps)],
    rateLimit,
    databaseHooks: {
      user: { create: { before: async (user) => ({ data: { ...user, accountId: deps.newAccountId() } }) } },
      session: {
        create: {
          before: async (session, ctx) => ({
            data: {
              ...session,
              country: ctx?.headers?.get('cf-ipcountry') ?? session['country'] ?? null,
              accountId: await firstAccountOf(deps.db, session.userId),
            },
          }),
        },
      },
    },
    hooks: { before: guardBefore(deps), after: guardAfter(deps) },
    advanced: advanced(deps),
  });

const { portal } = edgeLimits;

/** A passkey stands for the password and the second factor, so the authenticator must have asked who holds it. */
const passkeys = ({ settings: { local, publicBaseUrl } }: AuthDeps) =>
  passkey({
    rpName: 'packshot',
    // No browser makes a passkey for an address such as 127.0.0.1.
    rpID: local ? 'localhost' : new URL(publicBaseUrl).hostname,
    origin: local ? publicBaseUrl.replace('//127.0.0.1', '//localhost') : publicBaseUrl,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    authentication: {
      afterVerification: async ({ verification }) => {
        if (!verification.authenticationInfo.userVerified)
          throw new APIError('UNAUTHORIZED', {
            code: 'USER_NOT_VERIFIED',
            message: 'This passkey did not ask for a PIN, a fingerprint or a face.',
          });
      },
    },
  });

const passwords = ({ settings, sendMail, audit, db, nowMs }: AuthDeps) =>
  ({
    enabled: true,
    requireEmailVerification: true,
    minPasswordLength: limits.portal.passwordCharsMin,
    maxPasswordLength: limits.portal.passwordCharsMax,
    resetPasswordTokenExpiresIn: portal.mailLinkSeconds,
    revokeSessionsOnPasswordReset: true,
    sendResetPassword: ({ user, token }) =>
      sendMail(resetMail(user.email, `${settings.publicBaseUrl}/reset-password?token=${token}`)),
    onPasswordReset: async ({ user }, request) => {
      // Who reads the owner's mail is let in, however many strangers have guessed meanwhile.
      await rememberNetwork(db, { email: user.email, address: clientAddress(request?.headers) }, nowMs());
      await endLinksOf(db, user.id, user.email);
      const client = clientOf(request?.headers);
      await audit({ of: { userId: user.id }, actor: 'owner', action: 'access.password_reset', client });
      await sendMail(passwordChangedMail(user.email));
    },
  }) satisfies BetterAuthOptions['emailAndPassword'];

const advanced = ({ settings, afterResponse }: AuthDeps) =>
  ({
    // Checking the schema would be I/O of whichever request comes first, and a Worker's other requests can never await
    // that one's. The migrations are tested instead.
    database: { validateSchema: false },
    cookiePrefix: 'packshot',
    useSecureCookies: settings.publicBaseUrl.startsWith('https://'),
    defaultCookieAttributes: { sameSite: 'lax', httpOnly: true },
    ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
    backgroundTasks: { handler: (work) => void afterResponse(work) },
  }) satisfies BetterAuthOptions['advanced'];

const perMinute = { window: 60, max: portal.authRequestsPerMinute };
const rateLimit = {
  enabled: true,
  storage: 'database',
  window: 60,
  max: 120,
  customRules: {
    '/sign-in/email': perMinute,
    '/request-password-reset': perMinute,
    '/reset-password': perMinute,
    '/change-password': perMinute,
    '/passkey/generate-authenticate-options': perMinute,
    '/passkey/verify-authentication': perMinute,
  },
} satisfies BetterAuthOptions['rateLimit'];
