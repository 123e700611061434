/** A report of usage, of what ledger and log say of each key and set of marketplaces. Pure. */
import type { KeyMode } from '../../shared/api-key.ts';
import { CREDITS_PER_IMAGE, usdString } from '../../shared/credits.ts';
import { marketplaces } from '../../shared/marketplaces/index.ts';
import type { UsageFigures, UsagePart, UsageReport, UsageRow } from '../../shared/portal-api.ts';
import type { ImageSplit } from '../account/ledger/port.ts';
import { OTHER, periodStart, UNKNOWN_KEY, UNKNOWN_SET } from '../account/period.ts';
import { type Histogram, percentile, sumOf } from '../account/requests/latency.ts';
import type { RequestsBySplit } from '../account/requests/port.ts';
import { edgeLimits } from '../limits.ts';
import { periodsOf, type UsageQuery } from './usage-query.ts';

export type UsageSources = {
  readonly images: readonly ImageSplit[];
  readonly requests: RequestsBySplit;
  readonly keys: readonly { readonly keyId: string; readonly label: string; readonly mode: KeyMode }[];
};

const { partsMax } = edgeLimits.portal.usageReport;

/** Of one period, key and set, of either source. */
type Use = {
  readonly start: string;
  readonly keyId: string;
  readonly marketplaces: string;
  readonly completed: number;
  readonly failed: number;
  readonly requests: number;
  readonly errors: number;
  readonly latencies: Histogram;
};

const usesOf = ({ mode }: UsageQuery, { images, requests, keys }: UsageSources): readonly Use[] => {
  const modes = new Map(keys.map((key) => [key.keyId, key.mode]));
  return [
    ...images
      .filter((image) => image.mode === mode)
      .map((image) => ({ ...image, requests: 0, errors: 0, latencies: {} })),
    ...requests.groups
      .filter(({ keyId }) => modes.get(keyId) === mode)
      .map((group) => ({ ...group, completed: 0, failed: 0 })),
  ];
};

const namesOf = (set: string): readonly string[] => (set === '' ? [] : set.split(','));
const isAskedFor =
  ({ keyId, marketplace }: UsageQuery) =>
  (use: Use): boolean =>
    (keyId === undefined || use.keyId === keyId) &&
    (marketplace === undefined || namesOf(use.marketplaces).includes(marketplace));

const sum = (uses: readonly Use[], field: 'completed' | 'failed' | 'requests' | 'errors'): number =>
  uses.reduce((total, use) => total + use[field], 0);

const figuresOf = ({ mode }: UsageQuery, uses: readonly Use[], latencies?: Histogram): UsageFigures => {
  const histogram = latencies ?? uses.map((use) => use.latencies).reduce(sumOf, {});
  const credits = mode === 'live' ? sum(uses, 'completed') * CREDITS_PER_IMAGE : 0;
  return {
    completed: sum(uses, 'completed'),
    failed: sum(uses, 'failed'),
    credits,
    amount_usd: usdString(credits),
    requests: sum(uses, 'requests'),
    errors: sum(uses, 'errors'),
    p50_ms: percentile(histogram, 0.5),
    p95_ms: percentile(histogram, 0.95),
  };
};

const byKey = ({ keyId }: Use): string => (keyId === UNKNOWN_KEY ? 'unsplit' : keyId === OTHER ? 'other' : keyId);
/** An image for several marketplaces is one image: it has a part of its own, so that parts add up to all. */
const byMarketplace = ({ marketplaces: set }: Use): string =>
  set === UNKNOWN_SET ? 'unsplit' : set === OTHER ? 'other' : set === '' ? 'none' : set.includes(',') ? 'several' : set;
const partOf = { outcome: () => 'all', key: byKey, marketplace: byMarketplace } as const;

/** After the others, in this order. */
const LAST = ['several', 'none', 'other', 'unsplit'];

/** The largest parts as they are, smaller ones as `other`. */
const toldApart = (uses: readonly Use[], idOf: (use: Use) => string): ((use: Use) => string) => {
  const sizes = [...Map.groupBy(uses, idOf)]
    .filter(([id]) => !LAST.includes(id))
    .map(([id, own]) => ({ id, images: sum(own, 'completed') + sum(own, 'failed'), requests: sum(own, 'requests') }))
    .sort((a, b) => b.images - a.images || b.requests - a.requests || (a.id < b.id ? -1 : 1));
  const shown = new Set(sizes.slice(0, partsMax).map(({ id }) => id));
  return (use) => {
    const id = idOf(use);
    return shown.has(id) || LAST.includes(id) ? id : 'other';
  };
};

const labelOf = ({ by }: UsageQuery, { keys }: UsageSources, id: string): string => {
  if (id === 'all') return 'All';
  if (id === 'unsplit') return 'Not split';
  if (id === 'other') return by === 'key' ? 'Other keys' : 'Other marketplaces';
  if (by === 'key') return keys.find(({ keyId }) => keyId === id)?.label ?? 'A key that is not known any more';
  if (id === 'several') return 'Several marketplaces';
  if (id === 'none') return 'No marketplace';
  // One that is not offered any more keeps its name.
  return (marketplaces as Readonly<Record<string, { readonly label: string }>>)[id]?.label ?? id;
};

const rank = ({ id }: UsagePart): number => LAST.indexOf(id);

const isUsed = (uses: readonly Use[]): boolean =>
  uses.some(({ completed, failed, requests }) => completed + failed + requests > 0);

/** Of all live keys together also from before requests were split: only these are charged, which latencies are of. */
const allLatencies = (query: UsageQuery, { requests }: UsageSources, start?: string): Histogram | undefined => {
  const isAll = query.mode === 'live' && query.keyId === undefined && query.marketplace === undefined;
  if (!isAll) return undefined;
  const periods = requests.all.filter((period) => start === undefined || period.start === start);
  return periods.map(({ latencies }) => latencies).reduce(sumOf, {});
};

/** Newest first, the parts of a period in the order of `parts`. */
const rowsOf = (query: UsageQuery, sources: UsageSources, byPart: ReadonlyMap<string, readonly Use[]>): UsageRow[] => {
  const split = [...byPart].map(([part, own]) => ({ part, byPeriod: Map.groupBy(own, ({ start }) => start) }));
  return periodsOf(query)
    .toReversed()
    .flatMap((shown) => {
      const start = periodStart(shown.start, query.period);
      return split.flatMap(({ part, byPeriod }): UsageRow[] => {
        const own = byPeriod.get(start) ?? [];
        const latencies = part === 'all' ? allLatencies(query, sources, start) : undefined;
        return isUsed(own) ? [{ ...shown, part, ...figuresOf(query, own, latencies) }] : [];
      });
    });
};

const marketplacesOf = (uses: readonly Use[]): UsageReport['marketplaces'] => {
  const known = uses.filter(({ marketplaces: set }) => set !== UNKNOWN_SET && set !== OTHER);
  const names = new Set(known.filter(({ completed }) => completed > 0).flatMap((use) => namesOf(use.marketplaces)));
  return [...names]
    .map((name) => {
      const own = known.filter(({ marketplaces: set }) => namesOf(set).includes(name));
      const alone = sum(
        own.filter(({ marketplaces: set }) => set === name),
        'completed',
      );
      return { name, alone, together: sum(own, 'completed') - alone };
    })
    .sort((a, b) => b.alone + b.together - a.alone - a.together || (a.name < b.name ? -1 : 1));
};

/** What may or may not belong to what is asked for. Requests that were not split are of live and test keys together. */
const leftOut = (query: UsageQuery, uses: readonly Use[], { requests }: UsageSources): UsageReport['left_out'] => {
  const { keyId, marketplace } = query;
  const mayBe = uses.filter((use) => {
    const isUnknownKey = use.keyId === UNKNOWN_KEY || use.keyId === OTHER;
    const isUnknownSet = use.marketplaces === UNKNOWN_SET || use.marketplaces === OTHER;
    if (keyId !== undefined && use.keyId !== keyId && !isUnknownKey) return false;
    return (keyId !== undefined && isUnknownKey) || (marketplace !== undefined && isUnknownSet);
  });
  const [logged, known] = [requests.all, requests.groups.filter((group) => group.keyId !== OTHER)].map((some) =>
    some.reduce((total, one) => total + one.requests, 0),
  );
  return {
    completed: sum(mayBe, 'completed'),
    failed: sum(mayBe, 'failed'),
    requests: (logged ?? 0) - (known ?? 0) + sum(mayBe, 'requests'),
  };
};

export const usageReport = (query: UsageQuery, sources: UsageSources): UsageReport => {
  const every = usesOf(query, sources);
  const uses = every.filter(isAskedFor(query));
  const idOf = toldApart(uses, partOf[query.by]);
  const byPart = Map.groupBy(uses, idOf);
  const parts = [...byPart]
    .filter(([, own]) => isUsed(own))
    .map(([id, own]): UsagePart => {
      const latencies = id === 'all' ? allLatencies(query, sources) : undefined;
      return { id, label: labelOf(query, sources, id), ...figuresOf(query, own, latencies) };
    })
    .sort((a, b) => rank(a) - rank(b) || b.completed + b.failed - a.completed - a.failed || b.requests - a.requests);
  return {
    ...query.range,
    kept_from: query.keptFrom,
    mode: query.mode,
    by: query.by,
    period: query.period,
    periods: periodsOf(query),
    total: figuresOf(query, uses, allLatencies(query, sources)),
    parts,
    rows: rowsOf(query, sources, new Map(parts.map(({ id }) => [id, byPart.get(id) ?? []]))),
    marketplaces: marketplacesOf(uses),
    left_out: leftOut(query, every, sources),
  };
};
