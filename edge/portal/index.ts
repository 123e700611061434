/** The developer portal's API, one Hono application with whole paths. The pages are static files. */
import { waitUntil } from 'cloudflare:workers';
import { Hono } from 'hono';
import { errors } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import { PORTAL_API_PREFIX } from '../../shared/paths.ts';
import type { PortalConfig } from '../../shared/portal-api.ts';
import { auditRecorder } from '../audit/record.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { failedTries, signedInCalls } from './access/rates.ts';
import { turnstile } from './access/turnstile.ts';
import { AUTH_PATH, authRoutes, createAuth } from './auth.ts';
import { withCookiesSignedAnew } from './cookies-signed-anew.ts';
import type { PortalDeps } from './deps.ts';
import { apiHeaders, bodyAtMost, type PortalContext, refuse, sameOrigin, sameOriginForm, signedIn } from './guard.ts';
import { mailSender } from './mail.ts';
import { permitted } from './permissions.ts';
import { accountRoutes } from './routes/account.ts';
import { addressRoutes, confirmAddressRoute } from './routes/address.ts';
import { auditRoutes } from './routes/audit.ts';
import { balanceAlertRoutes } from './routes/balance-alert.ts';
import { billingRoutes } from './routes/billing.ts';
import { folderUploads } from './routes/folder-uploads.ts';
import { folderRoutes } from './routes/folders.ts';
import { invitationRoutes } from './routes/invitations.ts';
import { acceptRoute, invitedRoutes } from './routes/invited.ts';
import { keyRoutes } from './routes/keys.ts';
import { outboxRoutes, testCheckoutRoutes } from './routes/local.ts';
import { logRoutes } from './routes/logs.ts';
import { memberRoutes } from './routes/members.ts';
import { quickLookRoute } from './routes/quick-look.ts';
import { securityRoutes } from './routes/security.ts';
import { chooseAccountRoute, sessionRoute } from './routes/session.ts';
import { signUpRoutes } from './routes/sign-up.ts';
import { spendingRoutes } from './routes/spending.ts';
import { stripeWebhook } from './routes/stripe-webhook.ts';
import { topUpRoutes } from './routes/top-up.ts';
import { usageRoutes } from './routes/usage.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { type PortalBindings, type PortalSettings, portalSettings } from './settings.ts';

/** Local mode is reached as 127.0.0.1 and as localhost alike. */
const trustedOriginsOf = ({ local, publicBaseUrl }: PortalSettings): readonly string[] => {
  const { origin, port } = new URL(publicBaseUrl);
  return local ? [origin, `http://localhost:${port}`, `http://127.0.0.1:${port}`] : [origin];
};

const portalDeps = (env: PortalBindings, services: Services): PortalDeps => {
  const settings = portalSettings(env);
  const trustedOrigins = trustedOriginsOf(settings);
  const sendMail = mailSender(settings, env.DB);
  // Local mode waits, so that its outbox shows a mail with the answer to what sent it.
  const afterResponse = async (work: Promise<unknown>): Promise<void> => {
    const sent = work.then(
      () => undefined,
      (error: unknown) => logEvent('error', 'mail_not_sent', { error: errorText(error) }),
    );
    if (settings.local) await sent;
    else waitUntil(sent);
  };
  const audit = auditRecorder(env.DB, services.clock.nowMs);
  const auth = createAuth({
    settings,
    audit,
    db: env.DB,
    sendMail,
    newAccountId: () => newId('account', services.clock.nowMs(), services.randomBytes),
    nowMs: services.clock.nowMs,
    afterResponse,
    trustedOrigins,
  });
  return { settings, db: env.DB, auth, services, audit, sendMail, afterResponse, trustedOrigins };
};

/** Where a stranger may try passwords, and links of mails. */
const TRIED_BY_STRANGERS = [
  `${AUTH_PATH}/sign-in/email`,
  `${AUTH_PATH}/reset-password`,
  `${PORTAL_API_PREFIX}/sign-up/*`,
  `${PORTAL_API_PREFIX}/address/confirm`,
  `${PORTAL_API_PREFIX}/invitations/link`,
  `${PORTAL_API_PREFIX}/invitations/sign-up`,
];

const QUICK_LOOK = `${PORTAL_API_PREFIX}/quick-look`;
const FOLDER_UPLOADS = `${PORTAL_API_PREFIX}/folders/:id/uploads`;

/** What makes us check a password or send a mail, and needs no session. */
const OPEN_TO_STRANGERS = [
  `${AUTH_PATH}/sign-in/email`,
  `${AUTH_PATH}/request-password-reset`,
  `${PORTAL_API_PREFIX}/sign-up`,
];

const nothingHere = (): Response => refuse(404, 'not_found', errors.not_found.title);

/** Throws where the environment is incomplete; index.ts checks that at the start, before the first customer. */
export const createPortal = (env: PortalBindings, services: Services): Hono => {
  const deps = portalDeps(env, services);
  const { settings, auth, trustedOrigins } = deps;
  const webhook = stripeWebhook(deps);
  const config: PortalConfig = {
    local: settings.local,
    checkout: settings.checkout.kind,
    automatic_tax: settings.checkout.kind === 'stripe' && settings.checkout.automaticTax,
    mail: settings.mail.kind,
    base_url: settings.publicBaseUrl,
    turnstile_site_key: settings.turnstile?.siteKey ?? null,
    operator: settings.operator,
    takes_heic: settings.takesHeic,
  };

  const mayCall = signedInCalls(services.clock);
  const account = new Hono<PortalContext>().use(signedIn(deps), mayCall, permitted);
  account
    .route('/', accountRoutes(deps))
    .route('/', addressRoutes(deps))
    .route('/', securityRoutes(deps))
    .route('/', auditRoutes(deps))
    .route('/', chooseAccountRoute(deps))
    .route('/', memberRoutes(deps))
    .route('/', invitationRoutes(deps))
    .route('/', acceptRoute(deps))
    .route('/', keyRoutes(deps))
    .route('/', logRoutes(deps))
    .route('/', webhookRoutes(deps))
    .route('/', webhookEndpointRoutes(deps))
    .route('/', folderRoutes(deps))
    .route('/', billingRoutes(deps))
    .route('/', balanceAlertRoutes(deps))
    .route('/', topUpRoutes(deps))
    .route('/', spendingRoutes(deps))
    .route('/', usageRoutes(deps));
  if (settings.local && settings.checkout.kind === 'test') account.route('/local', testCheckoutRoutes(deps, webhook));

  const portal = new Hono();
  portal.use(`${PORTAL_API_PREFIX}/*`, apiHeaders);
  const { authSecret, authSecretPrevious } = settings;
  if (authSecretPrevious !== undefined)
    portal.use(`${PORTAL_API_PREFIX}/*`, async (c, next) => {
      c.req.raw = await withCookiesSignedAnew(c.req.raw, authSecret, authSecretPrevious);
      await next();
    });
  portal.route('/', webhook);
  // Photos: a form, larger than what pages send else.
  portal.post(FOLDER_UPLOADS, sameOriginForm(trustedOrigins, 'idempotency-key'), signedIn(deps), mayCall, permitted);
  portal.route(PORTAL_API_PREFIX, folderUploads(deps));
  portal.post(QUICK_LOOK, sameOrigin(trustedOrigins), bodyAtMost(limits.quickLook.bodyBytesMax));
  portal.route(PORTAL_API_PREFIX, quickLookRoute(deps));
  portal.use(`${PORTAL_API_PREFIX}/*`, sameOrigin(trustedOrigins), bodyAtMost(edgeLimits.portal.bodyBytesMax));
  const tries = failedTries(services.clock);
  for (const path of TRIED_BY_STRANGERS) portal.post(path, tries);
  for (const path of OPEN_TO_STRANGERS) portal.post(path, turnstile(settings));
  for (const [method, path] of authRoutes) portal.on(method, `${AUTH_PATH}${path}`, (c) => auth.handler(c.req.raw));
  portal.all(`${AUTH_PATH}/*`, nothingHere);
  portal.get(`${PORTAL_API_PREFIX}/config`, (c) => c.json(config));
  portal.route(PORTAL_API_PREFIX, sessionRoute(deps));
  portal.route(PORTAL_API_PREFIX, signUpRoutes(deps));
  portal.route(PORTAL_API_PREFIX, confirmAddressRoute(deps));
  portal.route(PORTAL_API_PREFIX, invitedRoutes(deps));
  if (settings.local) portal.route(`${PORTAL_API_PREFIX}/local`, outboxRoutes(deps));
  portal.route(PORTAL_API_PREFIX, account);
  portal.all(`${PORTAL_API_PREFIX}/*`, nothingHere);
  portal.onError((error, c) => {
    logEvent('error', 'portal_threw', { path: c.req.path, error: errorText(error) });
    return refuse(500, 'internal_error', errors.internal_error.title);
  });
  return portal;
};
