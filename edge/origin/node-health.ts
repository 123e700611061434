/**
 * Which nodes of a fleet to ask, best first: a circuit breaker for each. An unhealthy node has a cooldown, doubled by
 * each further failure in a row; after it the node is half-open: one call tries it while all others still go to other
 * nodes. Own code, because the libraries for this let callers wait for each other's trial call, and one request of a
 * Worker may not await another's promise.
 */
import { backoffMs } from '../../shared/backoff.ts';
import { edgeLimits } from '../limits.ts';

export type NodeHealth = {
  /**
   * Healthy nodes in random order, then those in cooldown, the soonest back first: a node in cooldown is better than
   * none.
   */
  order(): string[];
  /** The node is about to be asked. */
  asking(node: string): void;
  answered(node: string): void;
  /** It asked to be left alone for `ms`. */
  busy(node: string, ms: number): void;
  unhealthy(node: string): void;
  /** Whether the node has answered any call since `sinceMs`. */
  answeredSince(node: string, sinceMs: number): boolean;
};

/** `failures` in a row, 0 for a busy node. `halfOpen`: the cooldown is over, and one call is finding out. */
type Cooldown = { readonly untilMs: number; readonly failures: number; readonly halfOpen: boolean };

const backoff = { baseMs: edgeLimits.origin.cooldownMsBase, capMs: edgeLimits.origin.cooldownMsCap };

/** `random`: 0 ≤ x < 1. */
export const createNodeHealth = (nodes: readonly string[], nowMs: () => number, random: () => number): NodeHealth => {
  const cooldowns = new Map<string, Cooldown>();
  const answeredAtMs = new Map<string, number>();
  const untilMs = (node: string): number => {
    const cooldown = cooldowns.get(node);
    return cooldown && cooldown.untilMs > nowMs() ? cooldown.untilMs : 0;
  };
  return {
    order: () =>
      nodes
        .map((node) => ({ node, untilMs: untilMs(node), shuffle: random() }))
        .sort((a, b) => a.untilMs - b.untilMs || a.shuffle - b.shuffle)
        .map(({ node }) => node),
    asking(node) {
      const cooldown = cooldowns.get(node);
      if (!cooldown || cooldown.untilMs > nowMs()) return;
      // Until this call's verdict; should it never come, the node is tried again once headers would be overdue.
      cooldowns.set(node, { ...cooldown, untilMs: nowMs() + edgeLimits.origin.headersMsMax, halfOpen: true });
    },
    answered(node) {
      answeredAtMs.set(node, nowMs());
      cooldowns.delete(node);
    },
    busy(node, ms) {
      answeredAtMs.set(node, nowMs());
      cooldowns.set(node, { untilMs: nowMs() + ms, failures: 0, halfOpen: false });
    },
    unhealthy(node) {
      const cooldown = cooldowns.get(node);
      // The calls that were at the node when it went away count as one failure.
      if (cooldown && !cooldown.halfOpen && cooldown.failures > 0 && cooldown.untilMs > nowMs()) return;
      const failures = (cooldown?.failures ?? 0) + 1;
      cooldowns.set(node, { untilMs: nowMs() + backoffMs(failures - 1, backoff), failures, halfOpen: false });
    },
    answeredSince: (node, sinceMs) => (answeredAtMs.get(node) ?? Number.NEGATIVE_INFINITY) >= sinceMs,
  };
};
