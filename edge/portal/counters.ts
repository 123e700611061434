/** How often something happened within a window, in D1. A window begins with the first and ends with all at once. */
const COUNT = `
  insert into counters (name, count, ends_at) values (?1, 1, ?2 + ?3)
  on conflict (name) do update set
    count = case when ends_at <= ?2 then 1 else count + 1 end,
    ends_at = case when ends_at <= ?2 then ?2 + ?3 else ends_at end
  returning count, ends_at as endsAtMs`;

export type Bound = { readonly max: number; readonly windowMs: number };
/** How long to wait; 0 where what was asked for is allowed. */
export type Wait = { readonly waitMs: number };

/** Counts one in one atomic statement. What was refused is counted too. `name` must not hold a mail address in clear. */
export const countWithin = async (
  db: D1Database,
  name: string,
  { max, windowMs }: Bound,
  nowMs: number,
): Promise<Wait> => {
  const row = await db.prepare(COUNT).bind(name, nowMs, windowMs).first<{ count: number; endsAtMs: number }>();
  if (!row) throw new Error('a counter answered no row');
  return { waitMs: row.count <= max ? 0 : row.endsAtMs - nowMs };
};

/** Several counters of one deed, each as `countWithin`, up to the first that refuses it: the later ones are not touched then. */
export const countEach = async (
  db: D1Database,
  counters: readonly (readonly [name: string, max: number, windowMs: number])[],
  nowMs: number,
): Promise<Wait> => {
  for (const [name, max, windowMs] of counters) {
    const wait = await countWithin(db, name, { max, windowMs }, nowMs);
    if (wait.waitMs > 0) return wait;
  }
  return { waitMs: 0 };
};

/** Whole seconds for a Retry-After header, at least one. */
export const retryAfterSeconds = ({ waitMs }: Wait): number => Math.max(1, Math.ceil(waitMs / 1000));
