/** The portal: a small shell at once, each page's code when it is opened. */
import { render } from 'preact';
import { LocationProvider } from 'preact-iso/router';
import { App } from './app.tsx';
import './styles/index.css';

/** Links that the portal follows itself; the APIs (downloads, documents, links of mails) are left to the browser. */
const PORTAL_LINKS = /^\/(?!api\/|portal\/)/;

render(
  <LocationProvider scope={PORTAL_LINKS}>
    <App />
  </LocationProvider>,
  document.getElementById('app')!,
);
