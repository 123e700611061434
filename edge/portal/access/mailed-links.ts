/** Links in mails of ours. A link works once and for an hour; the database keeps only its hash. */
import { base64Url } from '../../../shared/base64.ts';
import { sha256 } from '../../../shared/digest.ts';
import { edgeLimits } from '../../limits.ts';

export type MailedLink =
  | { readonly kind: 'sign_up'; readonly email: string; readonly userId: null }
  | { readonly kind: 'address'; readonly email: string; readonly userId: string };
type Kind = MailedLink['kind'];
type LinkOf<K extends Kind> = Extract<MailedLink, { kind: K }>;

const lifeMs = edgeLimits.portal.mailLinkSeconds * 1000;

/** Answers the token that goes into the mail. */
export const addLink = async (db: D1Database, { kind, email, userId }: MailedLink, nowMs: number): Promise<string> => {
  const token = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  await db
    .prepare('insert into mailed_links (token_sha256, kind, email, user_id, expires_at) values (?, ?, ?, ?, ?)')
    .bind(await sha256(token), kind, email, userId, nowMs + lifeMs)
    .run();
  return token;
};

const COLUMNS = 'kind, email, user_id as userId';

/** What a link stands for, without using it up. */
export const readLink = async <K extends Kind>(
  db: D1Database,
  kind: K,
  token: string,
  nowMs: number,
): Promise<LinkOf<K> | null> =>
  db
    .prepare(`select ${COLUMNS} from mailed_links where token_sha256 = ? and kind = ? and expires_at > ?`)
    .bind(await sha256(token), kind, nowMs)
    .first<LinkOf<K>>();

/** Uses the link up: of two calls at once only one gets it. */
export const takeLink = async <K extends Kind>(
  db: D1Database,
  kind: K,
  token: string,
  nowMs: number,
): Promise<LinkOf<K> | null> =>
  db
    .prepare(`delete from mailed_links where token_sha256 = ? and kind = ? and expires_at > ? returning ${COLUMNS}`)
    .bind(await sha256(token), kind, nowMs)
    .first<LinkOf<K>>();

/** Every other link that could open this account or move it: to reset its password, to change its address. */
export const endLinksOf = async (db: D1Database, userId: string, email: string): Promise<void> => {
  await db.batch([
    db.prepare('delete from mailed_links where user_id = ?1 or email = ?2').bind(userId, email),
    db.prepare(`delete from verification where "value" = ?`).bind(userId),
  ]);
};
