/**
 * CHANGELOG.md as the page, the feed and the Markdown have it: sections by day, entries by kind. What only operators and
 * contributors need (`### Operating`) is left out. Pure.
 */

type Inline = { readonly kind: 'text' | 'code'; readonly text: string };
export type Entry = { readonly anchor: string; readonly parts: readonly Inline[] };
export type Release = {
  /** YYYY-MM-DD; null: not dated yet. */
  readonly date: string | null;
  readonly groups: readonly { readonly kind: string; readonly entries: readonly Entry[] }[];
};

const LEFT_OUT = 'Operating';
const SECTION = /^## (?:Unreleased|(\d{4}-\d{2}-\d{2}))$/;
const KIND = /^### (.+)$/;
const ITEM = /^- (.+)$/;
const ANCHOR_WORDS = 6;

const plainText = (text: string): string => text.replaceAll('`', '');

const anchorOf = (text: string, taken: Set<string>): string => {
  const words = plainText(text)
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['entry'];
  const base = words.slice(0, ANCHOR_WORDS).join('-');
  let anchor = base;
  for (let n = 2; taken.has(anchor); n++) anchor = `${base}-${n}`;
  taken.add(anchor);
  return anchor;
};

const partsOf = (text: string): readonly Inline[] =>
  text
    .split('`')
    .map((part, i): Inline => ({ kind: i % 2 === 1 ? 'code' : 'text', text: part }))
    .filter(({ text: part }) => part !== '');

/** Newest first, as the file has them. Throws where a line is none of a changelog's. */
export const parseChangelog = (markdown: string): readonly Release[] => {
  const taken = new Set<string>();
  const releases: { date: string | null; groups: { kind: string; entries: Entry[] }[] }[] = [];
  for (const line of markdown.slice(markdown.indexOf('\n## ') + 1).split('\n')) {
    const release = releases.at(-1);
    const group = release?.groups.at(-1);
    const [section, kind, item] = [SECTION.exec(line), KIND.exec(line), ITEM.exec(line)];
    if (section) releases.push({ date: section[1] ?? null, groups: [] });
    else if (kind?.[1] && release) release.groups.push({ kind: kind[1], entries: [] });
    else if (item?.[1] && group) group.entries.push({ anchor: anchorOf(item[1], taken), parts: partsOf(item[1]) });
    else if (line.trim() !== '') throw new Error(`CHANGELOG.md: not understood: ${line.slice(0, 80)}`);
  }
  return releases
    .map(({ date, groups }) => ({
      date,
      groups: groups.filter(({ kind, entries }) => kind !== LEFT_OUT && entries.length > 0),
    }))
    .filter(({ groups }) => groups.length > 0);
};

export const textOfEntry = ({ parts }: Entry): string => parts.map(({ text }) => text).join('');
