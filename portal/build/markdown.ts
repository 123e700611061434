/** A page's HTML as Markdown. */
import type { Element, ElementContent, Root } from 'hast';
import rehypeParse from 'rehype-parse';
import rehypeRemark from 'rehype-remark';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import { markdownPath } from '../src/docs/contents.ts';

type Node = Root | ElementContent;
export const parsePage = (html: string): Root => unified().use(rehypeParse, { fragment: true }).parse(html);

export const classesOf = ({ properties }: Element): readonly (string | number)[] => {
  const found = properties['className'];
  return Array.isArray(found) ? found : [];
};
export const textOf = (node: Node): string =>
  node.type === 'text'
    ? node.value
    : 'children' in node
      ? node.children.map((child) => textOf(child as Node)).join('')
      : '';

const element = (tagName: string, children: ElementContent[]): Element => ({
  type: 'element',
  tagName,
  properties: {},
  children,
});

/** What a reader of Markdown can follow: absolute, and to the Markdown of a page where there is one. */
const linkTo = (href: string): string => {
  if (!href.startsWith('/')) return href;
  const [path = '', fragment] = href.split('#');
  const target = /^\/docs(\/|$)/.test(path) ? markdownPath(path) : path;
  return UNKNOWN_ORIGIN + target + (fragment === undefined ? '' : `#${fragment}`);
};

/** Left out: buttons and tabs, captions for screen readers, links of headings to themselves. */
const plainer = (node: ElementContent): ElementContent[] => {
  if (node.type !== 'element') return [node];
  const classes = classesOf(node);
  if (classes.includes('code-head') || classes.includes('visually-hidden') || node.tagName === 'button') return [];
  const children = node.children.flatMap(plainer);
  if (node.tagName === 'a' && classes.includes('anchor')) return children;
  const { dataName: name, href } = node.properties;
  const { hidden: _, ...shown } = node.properties;
  const kept: Element = {
    ...node,
    properties: typeof href === 'string' ? { ...shown, href: linkTo(href) } : shown,
    children,
  };
  if (node.tagName !== 'pre' || typeof name !== 'string') return [kept];
  return [element('p', [element('strong', [{ type: 'text', value: name }])]), kept];
};

const writer = unified()
  .use(rehypeRemark)
  .use(remarkGfm, { tablePipeAlign: false })
  .use(remarkStringify, { bullet: '-', fences: true, rule: '-', resourceLink: true });

export const markdownOf = (html: string): string => {
  const page = parsePage(html);
  const tree: Root = { ...page, children: page.children.flatMap((child) => plainer(child as ElementContent)) };
  return writer.stringify(writer.runSync(tree) as never);
};

const find = (node: Node, is: (found: Element) => boolean): Element | undefined => {
  if (node.type === 'element' && is(node)) return node;
  if (!('children' in node)) return undefined;
  for (const child of node.children) {
    const found = find(child as Node, is);
    if (found) return found;
  }
  return undefined;
};

/** The page's first paragraph, as plain text. */
export const ledeOf = (html: string): string => {
  const lede = find(parsePage(html), (found) => classesOf(found).includes('lede'));
  if (!lede) throw new Error('a page of the documentation begins without saying what it is about');
  return textOf(lede).replace(/\s+/g, ' ').trim();
};
