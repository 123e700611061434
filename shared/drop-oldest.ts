/** Forgets what was put in first, until no more than `max` are left. */
export const dropOldest = (kept: Set<string> | Map<string, unknown>, max: number): void => {
  for (const oldest of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(oldest);
  }
};
