/** The changelog for programs: an Atom feed of what is dated, and Markdown. Both are made of CHANGELOG.md, as the page is. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import { type Entry, parseChangelog, type Release, textOfEntry } from '../src/changelog/parse.ts';

const FEED_ENTRIES_MAX = 50;
const TITLE_CHARS_MAX = 90;
const PAGE = `${UNKNOWN_ORIGIN}/changelog`;
const FEED = `${UNKNOWN_ORIGIN}/changelog.xml`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The first sentence, so that a reader's list of titles can be read. */
const titleOf = (entry: Entry): string => {
  const text = textOfEntry(entry);
  const first = text.split(/[.;] /)[0] ?? text;
  return first.length <= TITLE_CHARS_MAX ? first : `${first.slice(0, first.lastIndexOf(' ', TITLE_CHARS_MAX))} …`;
};

const htmlOf = ({ parts }: Entry): string =>
  `<p>${parts.map(({ kind, text }) => (kind === 'code' ? `<code>${escaped(text)}</code>` : escaped(text))).join('')}</p>`;

/** Entries without a date are left out: a feed's entries have one. By RFC 4287. */
export const atomFeed = (releases: readonly Release[]): string => {
  const entries = releases.flatMap(({ date, groups }) =>
    date === null ? [] : groups.flatMap(({ kind, entries: own }) => own.map((entry) => ({ date, kind, entry }))),
  );
  const updated = entries[0] ? `${entries[0].date}T00:00:00Z` : '1970-01-01T00:00:00Z';
  return `${[
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${PAGE}</id>`,
    '  <title>packshot changelog</title>',
    `  <updated>${updated}</updated>`,
    '  <author><name>packshot</name></author>',
    `  <link rel="self" type="application/atom+xml" href="${FEED}"/>`,
    `  <link rel="alternate" type="text/html" href="${PAGE}"/>`,
    ...entries
      .slice(0, FEED_ENTRIES_MAX)
      .map(({ date, kind, entry }) =>
        [
          '  <entry>',
          `    <id>${PAGE}#${entry.anchor}</id>`,
          `    <title>${escaped(titleOf(entry))}</title>`,
          `    <updated>${date}T00:00:00Z</updated>`,
          `    <link rel="alternate" type="text/html" href="${PAGE}#${entry.anchor}"/>`,
          `    <category term="${escaped(kind)}"/>`,
          `    <content type="html">${escaped(htmlOf(entry))}</content>`,
          '  </entry>',
        ].join('\n'),
      ),
    '</feed>',
  ].join('\n')}\n`;
};

export const changelogMarkdown = (releases: readonly Release[]): string =>
  `${[
    '# Changelog',
    ...releases.map(({ date, groups }) =>
      [
        `## ${date ?? 'Latest'}`,
        ...groups.map(({ kind, entries }) =>
          [
            `### ${kind}\n`,
            ...entries.map(
              ({ parts }) => `- ${parts.map(({ kind: of, text }) => (of === 'code' ? `\`${text}\`` : text)).join('')}`,
            ),
          ].join('\n'),
        ),
      ].join('\n\n'),
    ),
  ].join('\n\n')}\n`;

export const buildChangelogFiles = async (root: string, into: string): Promise<void> => {
  const releases = parseChangelog(await readFile(join(root, 'CHANGELOG.md'), 'utf8'));
  await writeFile(join(into, 'changelog.xml'), atomFeed(releases));
  await writeFile(join(into, 'changelog.md'), changelogMarkdown(releases));
};
