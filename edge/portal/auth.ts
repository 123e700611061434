/** People who sign in: better-auth on D1. A user owns exactly one credit account, whose id is made at sign-up. */
import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { limits } from '../../shared/limits.ts';
import { PORTAL_API_PREFIX } from '../../shared/paths.ts';
import { edgeLimits } from '../limits.ts';
import { guardAfter, guardBefore } from './access/guards.ts';
import { endLinksOf } from './access/mailed-links.ts';
import { rememberNetwork } from './access/sign-in-limit.ts';
import type { SendMail } from './mail.ts';
import { passwordChangedMail, resetMail } from './mail-texts.ts';
import type { PortalSettings } from './settings.ts';

export const AUTH_PATH = `${PORTAL_API_PREFIX}/auth`;

export type AuthDeps = {
  readonly settings: PortalSettings;
  readonly db: D1Database;
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
    secret: deps.settings.authSecret,
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
    session: { expiresIn: edgeLimits.portal.sessionMs / 1000, updateAge: 24 * 60 * 60 },
    rateLimit,
    databaseHooks: {
      user: { create: { before: async (user) => ({ data: { ...user, accountId: deps.newAccountId() } }) } },
    },
    hooks: { before: guardBefore(deps), after: guardAfter(deps) },
    advanced: advanced(deps),
    // What has a route of our own: registering (sign-up.ts), the address (address.ts), and deletion, which asks for the
    // credits that are lost.
    disabledPaths: [
      '/sign-up/email',
      '/verify-email',
      '/send-verification-email',
      '/delete-user',
      '/change-email',
      '/update-user',
      '/link-social',
      '/sign-in/social',
      '/list-accounts',
      '/unlink-account',
    ],
  });

const passwords = ({ settings, sendMail, db, nowMs }: AuthDeps) =>
  ({
    enabled: true,
    requireEmailVerification: true,
    minPasswordLength: limits.portal.passwordCharsMin,
    maxPasswordLength: limits.portal.passwordCharsMax,
    resetPasswordTokenExpiresIn: edgeLimits.portal.mailLinkSeconds,
    revokeSessionsOnPasswordReset: true,
    sendResetPassword: ({ user, token }) =>
      sendMail(resetMail(user.email, `${settings.publicBaseUrl}/reset-password?token=${token}`)),
    onPasswordReset: async ({ user }, request) => {
      // Who reads the owner's mail is let in, however many strangers have guessed meanwhile.
      const address = request?.headers.get('cf-connecting-ip') ?? undefined;
      await rememberNetwork(db, { email: user.email, address }, nowMs());
      await endLinksOf(db, user.id, user.email);
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
    ipAddress: { ipAddressHeaders: ['cf-connecting-ip'] },
    backgroundTasks: { handler: (work) => void afterResponse(work) },
  }) satisfies BetterAuthOptions['advanced'];

const perMinute = { window: 60, max: edgeLimits.portal.authRequestsPerMinute };
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
    '/get-session': false,
  },
} satisfies BetterAuthOptions['rateLimit'];
