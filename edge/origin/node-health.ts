/**
 * Which nodes of a fleet to ask, best first. A lost node rests, each further loss in a row doubling the rest; then one
 * call tries it while all others still go
 * elsewhere. Own code: libraries for this let callers wait for each other's trial, which requests of a Worker may not.
 */
import { limits } from '../../shared/limits.ts';

export type NodeCircuits = {
  /**
   * Nodes in service, in random order; then those at rest, the soonest back first: a node at rest is better than none.
   */
  order(): string[];
  /** The node is about to be asked. */
  asking(node: string): void;
  answered(node: string): void;
  /** It wants to be left alone for `ms`. */
  busy(node: string, ms: number): void;
  lost(node: string): void;
};

/** `losses` in a row. `trial`: the rest is over, and one call is finding out. */
type Rest = { readonly untilMs: number; readonly losses: number; readonly trial: boolean };

/** `chance`: 0 ≤ x < 1. */
export const createNodeCircuits = (
  nodes: readonly string[],
  nowMs: () => number,
  chance: () => number,
): NodeCircuits => {
  const rests = new Map<string, Rest>();
  const { restMsBase, restMsCap, headersMsMax } = limits.origin;
  const untilMs = (node: string): number => {
    const rest = rests.get(node);
    return rest && rest.untilMs > nowMs() ? rest.untilMs : 0;
  };
  return {
    order: () =>
      nodes
        .map((node) => ({ node, untilMs: untilMs(node), turn: chance() }))
        .sort((a, b) => a.untilMs - b.untilMs || a.turn - b.turn)
        .map(({ node }) => node),
    asking: (node) => {
      const rest = rests.get(node);
      if (rest && rest.untilMs <= nowMs()) rests.set(node, { ...rest, untilMs: nowMs() + headersMsMax, trial: true });
    },
    answered: (node) => void rests.delete(node),
    busy: (node, ms) => void rests.set(node, { untilMs: nowMs() + ms, losses: 0, trial: false }),
    lost: (node) => {
      const rest = rests.get(node);
      // The calls that were at the node when it went are one loss.
      if (rest && !rest.trial && rest.losses > 0 && rest.untilMs > nowMs()) return;
      const losses = (rest?.losses ?? 0) + 1;
      rests.set(node, { untilMs: nowMs() + Math.min(restMsBase * 2 ** (losses - 1), restMsCap), losses, trial: false });
    },
  };
};
