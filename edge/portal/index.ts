/** The developer portal's API, as one Hono application to be mounted at "/". Pages are static files beside it. */
import { waitUntil } from 'cloudflare:workers';
import { Hono } from 'hono';
import { newId } from '../../shared/ids.ts';
import type { PortalConfig } from '../../shared/portal-api.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import { AUTH_PATH, createAuth } from './auth.ts';
import type { PortalDeps } from './deps.ts';
import { apiHeaders, bodyAtMost, type PortalContext, refuse, sameOrigin, signedIn } from './guard.ts';
import { mailSender } from './mail.ts';
import { accountRoutes, sessionRoute } from './routes/account.ts';
import { billingRoutes } from './routes/billing.ts';
import { keyRoutes } from './routes/keys.ts';
import { outboxRoutes, testCheckoutRoutes } from './routes/local.ts';
import { logRoutes } from './routes/logs.ts';
import { stripeWebhook } from './routes/stripe-webhook.ts';
import { type PortalBindings, type PortalSettings, portalSettings } from './settings.ts';

const BASE = '/portal/api';

/** Local mode is reached as 127.0.0.1 and as localhost alike. */
const trustedOriginsOf = ({ local, publicBaseUrl }: PortalSettings): readonly string[] => {
  const { origin, port } = new URL(publicBaseUrl);
  return local ? [origin, `http://localhost:${port}`, `http://127.0.0.1:${port}`] : [origin];
};

const portalDeps = (env: PortalBindings, services: Services): PortalDeps => {
  const settings = portalSettings(env);
  const trustedOrigins = trustedOriginsOf(settings);
  const auth = createAuth({
    settings,
    db: env.DB,
    sendMail: mailSender(settings, env.DB),
    newAccountId: () => newId('account', services.clock.nowMs(), services.randomBytes),
    afterResponse: waitUntil,
    trustedOrigins,
  });
  return { settings, db: env.DB, auth, services, trustedOrigins };
};

/** Throws where the environment is incomplete; say so at the start, not at the first customer. */
export const createPortal = (env: PortalBindings, services: Services): Hono => {
  const deps = portalDeps(env, services);
  const { settings, auth, trustedOrigins } = deps;
  const webhook = stripeWebhook(deps);
  const config: PortalConfig = {
    local: settings.local,
    checkout: settings.checkout.kind,
    mail: settings.mail.kind,
    base_url: settings.publicBaseUrl,
  };

  const account = new Hono<PortalContext>().use(signedIn(deps));
  account
    .route('/', accountRoutes(deps))
    .route('/', keyRoutes(deps))
    .route('/', logRoutes(deps))
    .route('/', billingRoutes(deps));
  if (settings.local && settings.checkout.kind === 'test') account.route('/local', testCheckoutRoutes(deps, webhook));

  const portal = new Hono();
  portal.use(`${BASE}/*`, apiHeaders);
  portal.route('/', webhook);
  portal.use(`${BASE}/*`, sameOrigin(trustedOrigins), bodyAtMost(edgeLimits.portal.bodyBytesMax));
  portal.on(['GET', 'POST'], `${AUTH_PATH}/*`, (c) => auth.handler(c.req.raw));
  portal.get(`${BASE}/config`, (c) => c.json(config));
  portal.route(BASE, sessionRoute(deps));
  if (settings.local) portal.route(`${BASE}/local`, outboxRoutes(deps));
  portal.route(BASE, account);
  portal.all(`${BASE}/*`, (c) => refuse(c, 404, 'not_found', 'Nothing is here.'));
  return portal;
};
