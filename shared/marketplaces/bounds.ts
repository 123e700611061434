/** What a marketplace's rules mean for the encoder. */
import type { Marketplace, RequirementOf, Rule } from './rule.ts';

export type FileBounds = {
  readonly bytesMin: number;
  readonly bytesMax: number;
  /** The encoder goes no lower to keep within the bytes; undefined where the marketplace names none. */
  readonly qualityMin: number | undefined;
};

/** Recommended bounds are kept too: it costs nothing but bytes. */
export const fileBounds = ({ rules }: Pick<Marketplace, 'rules'>): FileBounds => {
  const bytes = requirements(rules, 'file_bytes');
  const qualities = requirements(rules, 'jpeg_quality').map(({ min }) => min);
  return {
    bytesMin: Math.max(0, ...bytes.map(({ min = 0 }) => min)),
    bytesMax: Math.min(Number.POSITIVE_INFINITY, ...bytes.map(({ max = Number.POSITIVE_INFINITY }) => max)),
    qualityMin: qualities.length > 0 ? Math.max(...qualities) : undefined,
  };
};

const requirements = <Kind extends Rule['requires']['kind']>(
  rules: readonly Rule[],
  kind: Kind,
): RequirementOf<Kind>[] =>
  rules.flatMap(({ requires }) => (requires.kind === kind ? [requires as RequirementOf<Kind>] : []));
