/**
 * The documentation without a browser: every page as Markdown, llms.txt, and the index of the search. All are made of
 * the HTML that the pages' own components render.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import { type RenderedPage, SEARCH_PATH } from '../src/docs/built.ts';
import { contents, markdownPath } from '../src/docs/contents.ts';
import { ledeOf, markdownOf } from './markdown.ts';
import { searchEntries } from './search-entries.ts';

/** By llmstxt.org: what this is, then a list of links, each with a line. */
const llmsText = (ledes: ReadonlyMap<string, string>): string => {
  const groups = contents.map(({ title, pages }) =>
    [
      `## ${title}`,
      '',
      ...pages.map(([path, name]) => `- [${name}](${UNKNOWN_ORIGIN}${markdownPath(path)}): ${ledes.get(path)}`),
    ].join('\n'),
  );
  return `${[
    '# packshot',
    '> A REST service that turns product photos into marketplace main images: background removed, product centred, pure white canvas. Prepaid by credits; an image that has no download costs nothing.',
    `Every request carries \`Authorization: Bearer packshot_live_…\`. One path takes files (multipart/form-data, answered with results) and URLs (application/json, answered with a batch to poll). Send an \`Idempotency-Key\` with whatever you might repeat. The API as OpenAPI 3.1: ${UNKNOWN_ORIGIN}/api/v1/openapi.json`,
    ...groups,
    `## Service\n\n- [Changelog](${UNKNOWN_ORIGIN}/changelog.md): What is new, newest first; ${UNKNOWN_ORIGIN}/changelog.xml is an Atom feed.\n- [Status](${UNKNOWN_ORIGIN}/status.json): What the service's own probes find now and found in 90 days.`,
  ].join('\n\n')}\n`;
};

export const buildDocuments = async (pages: readonly RenderedPage[], into: string): Promise<void> => {
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(into, path)), { recursive: true });
    await writeFile(join(into, path), text);
  };
  for (const { path, html } of pages) await write(markdownPath(path), markdownOf(html));
  await write('llms.txt', llmsText(new Map(pages.map(({ path, html }) => [path, ledeOf(html)]))));
  await write(SEARCH_PATH, JSON.stringify(searchEntries(pages)));
};
