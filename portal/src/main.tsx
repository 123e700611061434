/** The portal: a small shell at once, each page's code when it is opened. */
import { render } from 'preact';
import { App } from './app.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/surfaces.css';
import './styles/content.css';
import './styles/layout.css';
import './styles/common.css';
import './styles/landing.css';
import './styles/dashboard.css';
import './styles/playground.css';
import './styles/docs.css';
import './styles/narrow.css';

render(<App />, document.getElementById('app')!);
