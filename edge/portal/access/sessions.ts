/** The sessions of a user, as the portal lists and ends them. */
export type StoredSession = {
  readonly id: string;
  readonly createdAt: string;
  /** Written down once an hour while the session is used. */
  readonly updatedAt: string;
  readonly userAgent: string | null;
  readonly country: string | null;
};

/** Newest use first. `nowMs` leaves out those that have ended. */
export const listSessions = async (db: D1Database, userId: string, nowMs: number): Promise<StoredSession[]> => {
  const { results } = await db
    .prepare(
      `select "id", "createdAt", "updatedAt", "userAgent", "country" from "session"
       where "userId" = ? and "expiresAt" > ? order by "updatedAt" desc`,
    )
    .bind(userId, new Date(nowMs).toISOString())
    .all<StoredSession>();
  return results;
};

/** False where it is no session of this user. */
export const endSession = async (db: D1Database, userId: string, id: string): Promise<boolean> =>
  (await db.prepare('delete from "session" where "id" = ? and "userId" = ?').bind(id, userId).run()).meta.changes > 0;

export const endOtherSessions = async (db: D1Database, userId: string, keptId: string): Promise<void> =>
  void (await db.prepare('delete from "session" where "userId" = ? and "id" <> ?').bind(userId, keptId).run());

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const;
const nameIn = (names: readonly (readonly [RegExp, string])[], agent: string): string | undefined =>
  names.find(([pattern]) => pattern.test(agent))?.[1];

/** "Firefox on Windows", as far as the browser says. */
export const deviceOf = (userAgent: string | null): string => {
  const browser = nameIn(BROWSERS, userAgent ?? '');
  const system = nameIn(SYSTEMS, userAgent ?? '');
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Unknown device';
};
