/**
 * Every page of the documentation as HTML, for the build: it makes Markdown and the search index of them, so these say
 * what the pages say.
 */
import type { ComponentType } from 'preact';
import { renderToString } from 'preact-render-to-string';
import Batch from './batch.tsx';
import type { WrittenPage } from './built.ts';
import { contents, type DocPath } from './contents.ts';
import Errors from './errors.tsx';
import Findings from './findings.tsx';
import Keys from './keys.tsx';
import Limits from './limits.tsx';
import Marketplaces from './marketplaces.tsx';
import type { OpenApi } from './openapi.ts';
import Options from './options.tsx';
import QuickStart from './quick-start.tsx';
import { ReferenceOf } from './reference.tsx';
import Removebg from './removebg.tsx';
import Upload from './upload.tsx';
import Webhooks from './webhooks.tsx';

const pages = (document: OpenApi): Record<DocPath, ComponentType> => ({
  '/docs': QuickStart,
  '/docs/upload': Upload,
  '/docs/batch': Batch,
  '/docs/findings': Findings,
  '/docs/webhooks': Webhooks,
  '/docs/removebg': Removebg,
  '/docs/keys': Keys,
  '/docs/options': Options,
  '/docs/marketplaces': Marketplaces,
  '/docs/errors': Errors,
  '/docs/limits': Limits,
  '/docs/reference': () => <ReferenceOf document={document} />,
});

export const writtenPages = (document: OpenApi): WrittenPage[] => {
  const components = pages(document);
  return contents.flatMap((group) =>
    group.pages.map(([path, title]) => {
      const Page = components[path];
      return { path, title, html: renderToString(<Page />) };
    }),
  );
};
