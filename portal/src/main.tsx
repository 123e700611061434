/** The portal: a small shell at once, each page's code when it is opened. Public pages are there already, as HTML. */
import { hydrate, render } from 'preact';
import { LocationProvider } from 'preact-iso/router';
import { App } from './app.tsx';
import { routeOf } from './routes.ts';
import './styles/index.css';

/** Links that the portal follows itself; the APIs (downloads, documents, links of mails) are left to the browser. */
const PORTAL_LINKS = /^\/(?!api\/|portal\/)/;

const portal = (
  <LocationProvider scope={PORTAL_LINKS}>
    <App />
  </LocationProvider>
);
const root = document.getElementById('app')!;
// What is already shown stays until the page's own code can take it over.
if (root.hasChildNodes())
  void routeOf(location.pathname)
    .page.preload()
    .then(() => hydrate(portal, root));
else render(portal, root);
