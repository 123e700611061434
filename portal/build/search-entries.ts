/** The parts of each page that the search finds: by heading, and by row where a table's rows can be linked to. */
import type { Element, Root, RootContent } from 'hast';
import type { RenderedPage, SearchEntry } from '../src/docs/built.ts';
import { classesOf, parsePage, textOf } from './markdown.ts';

type Part = { readonly fragment: string; readonly title: string; text: string };

const HEADINGS = new Set(['h2', 'h3']);
const idOf = ({ properties }: Element): string | undefined =>
  typeof properties['id'] === 'string' ? properties['id'] : undefined;

const rowTitle = (row: Element): string => {
  const [first] = row.children.filter((child) => child.type === 'element');
  return first ? textOf(first) : '';
};

/** Goes through the page in its order; text belongs to the heading or row before it. */
const walk = (node: Root | RootContent, parts: Part[]): void => {
  const last = parts.at(-1);
  if (node.type === 'text' && last) last.text += `${node.value} `;
  if (node.type !== 'element' && node.type !== 'root') return;
  if (node.type === 'element') {
    if (classesOf(node).includes('code-head') || classesOf(node).includes('visually-hidden')) return;
    const id = idOf(node);
    if (id !== undefined && HEADINGS.has(node.tagName)) {
      parts.push({ fragment: `#${id}`, title: textOf(node), text: '' });
      return;
    }
    if (id !== undefined && node.tagName === 'tr') {
      const heading = parts.at(-1) ?? { fragment: '', title: '' };
      parts.push({ fragment: `#${id}`, title: rowTitle(node), text: '' });
      for (const child of node.children.slice(1)) walk(child, parts);
      parts.push({ ...heading, text: '' });
      return;
    }
    if (node.tagName === 'h1') return;
  }
  for (const child of node.children) walk(child, parts);
};

const partsOf = ({ title, html }: RenderedPage): Part[] => {
  const parts: Part[] = [{ fragment: '', title, text: '' }];
  walk(parsePage(html), parts);
  return parts.filter(({ text }) => text.trim() !== '');
};

export const searchEntries = (pages: readonly RenderedPage[]): SearchEntry[] =>
  pages
    .flatMap((page) => partsOf(page).map((part) => ({ page, part })))
    .map(({ page, part: { fragment, title, text } }, id) => ({
      id,
      href: page.path + fragment,
      page: page.title,
      title,
      text: text.replace(/\s+/g, ' ').trim(),
    }));
