/** The portal: a small shell at once, each page's code when it is opened. */
import { render } from 'preact';
import { App } from './app.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/layout.css';
import './styles/pages.css';

render(<App />, document.getElementById('app')!);
