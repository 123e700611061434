/** Where the palette can lead, and what of it a text means. Pure. */
import { isId } from '../../../shared/ids.ts';
import type { Permission } from '../../../shared/roles.ts';
import type { IconName } from '../components/icon-paths.ts';
import { contents } from '../docs/contents.ts';
import { places } from '../layouts/places.ts';

export type Target = {
  readonly href: string;
  readonly name: string;
  /** What the name is part of. */
  readonly group: string;
  readonly icon: IconName;
  /** What it may be called else. */
  readonly alias?: string;
  readonly needs?: Permission;
};

const ALIASES: Readonly<Record<string, string>> = {
  '/billing': 'buy credits pack receipts invoices ledger balance money spending',
  '/keys': 'secret token new key roll revoke',
  '/usage': 'statistics report images credits latency chart csv by key marketplace',
  '/logs': 'requests history errors',
  '/batches': 'folder photos upload zip',
  '/playground': 'try preview photo',
  '/webhooks': 'deliveries signing secret test event',
  '/settings': 'retention delete account data name',
  '/security': 'password two-factor passkey sessions',
  '/activity': 'audit',
  '/members': 'team users people invite invitation role owner developer',
  '/overview': 'home',
};

const targets: readonly Target[] = [
  ...places.flatMap(({ title = 'Portal', items }) =>
    items.map((item) => ({ ...item, group: title, alias: ALIASES[item.href] ?? '' })),
  ),
  ...contents.flatMap(({ pages }) =>
    pages.map(([href, name]): Target => ({ href, name, group: 'Documentation', icon: 'docs' })),
  ),
];

/** Ids lead to what they name. */
const named = (text: string): readonly Target[] => {
  if (isId('request', text))
    return [{ href: `/logs/${text}`, name: text, group: 'Request', icon: 'logs', needs: 'images' }];
  if (isId('folder', text))
    return [{ href: `/batches/${text}`, name: text, group: 'Batch', icon: 'batches', needs: 'images' }];
  if (isId('payment', text))
    return [{ href: `/billing/receipts/${text}`, name: text, group: 'Receipt', icon: 'billing', needs: 'billing' }];
  return [];
};

/** Best first: by the beginning of the name or of a word of it, by parts of it, by anything else; then the log, for any text. What the role does not allow is left out. */
export const targetsFor = (text: string, may: (permission: Permission) => boolean): readonly Target[] =>
  found(text).filter(({ needs }) => needs === undefined || may(needs));

const found = (text: string): readonly Target[] => {
  const asked = text.trim().toLowerCase();
  if (asked === '') return targets;
  const words = asked.split(/\s+/);
  const rank = ({ name, group, alias = '' }: Target): number => {
    const title = name.toLowerCase();
    if (title.startsWith(asked) || title.includes(` ${asked}`)) return 0;
    if (words.every((word) => title.includes(word))) return 1;
    const all = `${title} ${group.toLowerCase()} ${alias}`;
    return words.every((word) => all.includes(word)) ? 2 : 3;
  };
  const matching = targets
    .map((target) => ({ target, rank: rank(target) }))
    .filter((entry) => entry.rank < 3)
    .sort((a, b) => a.rank - b.rank);
  const log: Target = {
    href: `/logs?name=${encodeURIComponent(text.trim())}`,
    name: `Photos named “${text.trim()}”`,
    group: 'Search the log',
    icon: 'logs',
    needs: 'images',
  };
  return [...named(asked), ...matching.map(({ target }) => target), log];
};
