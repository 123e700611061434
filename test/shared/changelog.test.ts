/** CHANGELOG.md as its readers get it: page, feed and Markdown of one source. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atomFeed, changelogMarkdown } from '../../portal/build/changelog-files.ts';
import { parseChangelog, textOfEntry } from '../../portal/src/changelog/parse.ts';

const SMALL = `# Changelog

Text before.

## Unreleased

### Added
- Not dated yet.

## 2026-11-22

### Added
- Send \`a<b\` & read it. A second sentence.
- Send \`a<b\` & read it. Another second sentence.

### Operating
- For operators.

## 2026-10-01

### Operating
- Only for operators.
`;

describe('the changelog', () => {
  it('has sections by day, entries with anchors of their own, and nothing for operators', () => {
    const releases = parseChangelog(SMALL);
    expect(releases.map(({ date }) => date)).toEqual([null, '2026-11-22']);
    const entries = releases.flatMap(({ groups }) => groups.flatMap((group) => group.entries));
    expect(entries.map(({ anchor }) => anchor)).toEqual([
      'not-dated-yet',
      'send-a-b-read-it-a',
      'send-a-b-read-it-another',
    ]);
    expect(entries[1]?.parts).toEqual([
      { kind: 'text', text: 'Send ' },
      { kind: 'code', text: 'a<b' },
      { kind: 'text', text: ' & read it. A second sentence.' },
    ]);
  });

  it('stops the build at a line that it does not understand, and names it', () => {
    for (const line of ['A paragraph.', '## 1.0.0', '  - a nested item'])
      expect(() => parseChangelog(`${SMALL}\n${line}\n`), line).toThrow(line.trim());
  });

  it('feeds dated entries alone, escaped, each with an id that its page answers', () => {
    const feed = atomFeed(parseChangelog(SMALL));
    expect(feed.match(/<entry>/g)).toHaveLength(2);
    expect(feed).not.toContain('Not dated yet');
    expect(feed).toContain('<title>Send a&lt;b &amp; read it</title>');
    expect(feed).toContain('&lt;p&gt;Send &lt;code&gt;a&amp;lt;b&lt;/code&gt; &amp;amp; read it.');
    expect(feed).toContain('<id>https://this-service.invalid/changelog#send-a-b-read-it-a</id>');
    expect(feed).toContain('<updated>2026-11-22T00:00:00Z</updated>');
  });

  it('reads as it was written: every entry of the file itself comes through whole, once', () => {
    const file = readFileSync(join(import.meta.dirname, '..', '..', 'CHANGELOG.md'), 'utf8');
    const releases = parseChangelog(file);
    const entries = releases.flatMap(({ groups }) => groups.flatMap((group) => group.entries));
    expect(entries.length).toBeGreaterThan(50);
    expect(new Set(entries.map(({ anchor }) => anchor)).size).toBe(entries.length);
    const lines = new Set(file.split('\n').map((line) => line.slice(2).replaceAll('`', '')));
    expect(entries.filter((entry) => !lines.has(textOfEntry(entry)))).toEqual([]);
    const markdown = changelogMarkdown(releases);
    for (const line of markdown.split('\n').filter((one) => one.startsWith('- '))) expect(file).toContain(line);
    expect(parseChangelog(markdown.replace('## Latest', '## Unreleased'))).toEqual(releases);
  });
});
