/**
 * What the build renders in Node. The documentation's pages by themselves: Markdown and the search index are made of
 * them, so these say what the pages say. The public pages whole: they can be read before any code has run, and without
 * it; of a visitor (a session, a theme) they show what is known before the browser says it.
 */
import type { ComponentChild } from 'preact';
import { LocationProvider } from 'preact-iso/router';
import { renderToString } from 'preact-render-to-string';
import { UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import { App } from './app.tsx';
import { Figure } from './components/figure.tsx';
import type { RenderedPage } from './docs/built.ts';
import { contents } from './docs/contents.ts';
import { knowOpenApi, type OpenApi } from './docs/openapi.ts';
import { routeOf } from './routes.ts';
import { renderedTitle } from './use-title.ts';

/** `location` is read by the router, and by samples for the address that they call. */
const renderAt = async (path: string, element: () => ComponentChild): Promise<string> => {
  Object.defineProperty(globalThis, 'location', { value: new URL(path, UNKNOWN_ORIGIN), configurable: true });
  try {
    await routeOf(path).page.preload();
    return renderToString(<LocationProvider>{element()}</LocationProvider>);
  } finally {
    Reflect.deleteProperty(globalThis, 'location');
  }
};

const documentPages = async (): Promise<RenderedPage[]> => {
  const pages: RenderedPage[] = [];
  for (const group of contents)
    for (const [path, title] of group.pages) {
      const { page: Page } = routeOf(path);
      pages.push({ path, title, html: await renderAt(path, () => <Page />) });
    }
  return pages;
};

const publicPages = async (paths: readonly string[]): Promise<RenderedPage[]> => {
  const pages: RenderedPage[] = [];
  for (const path of paths) {
    const html = await renderAt(path, () => <App />);
    pages.push({ path, title: renderedTitle(), html });
  }
  return pages;
};

export const render = async (paths: readonly string[], document: OpenApi) => {
  knowOpenApi(document);
  return {
    documents: await documentPages(),
    pages: await publicPages(paths),
    /** As SVG without its styles. */
    figure: renderToString(<Figure />),
  };
};
