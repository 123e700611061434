/**
 * Every identifier: a prefix that names its kind, then a ULID in lower case (48 bits of time, 80 random bits), so that
 * ids and the object keys made of them sort by creation time. Pure: time and random bytes are passed in.
 */
export const ID_PREFIX = {
  account: 'acc',
  apiKey: 'key',
  batch: 'bat',
  check: 'chk',
  quickLook: 'qlk',
  request: 'req',
  ledgerEntry: 'led',
  event: 'evt',
  payment: 'pay',
  audit: 'aud',
  folder: 'fld',
  webhookAttempt: 'wha',
  invitation: 'inv',
} as const;
export type IdKind = keyof typeof ID_PREFIX;

/** Fills and returns `n` random bytes; `crypto.getRandomValues` in every runtime we have. */
export type RandomBytes = (n: number) => Uint8Array;

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

const encodeTime = (nowMs: number): string => {
  let text = '';
  for (let rest = nowMs, i = 0; i < TIME_CHARS; i++, rest = Math.floor(rest / 32)) text = CROCKFORD[rest % 32] + text;
  return text;
};

/** `kind` + "_" + 26 lower-case ULID characters, e.g. `bat_01jd…`. */
export const newId = (kind: IdKind, nowMs: number, random: RandomBytes): string => {
  const tail = Array.from(random(RANDOM_CHARS), (byte) => CROCKFORD[byte % 32]).join('');
  return `${ID_PREFIX[kind]}_${encodeTime(nowMs)}${tail}`;
};

/** The smallest id of that time: what was made earlier sorts before it, what was made then or later does not. */
export const firstId = (kind: IdKind, atMs: number): string => newId(kind, Math.max(0, atMs), (n) => new Uint8Array(n));

const ULID = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const patterns = Object.fromEntries(
  Object.entries(ID_PREFIX).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}_${ULID}$`)]),
) as Record<IdKind, RegExp>;

export const isId = (kind: IdKind, text: string): boolean => patterns[kind].test(text);

/** Creation time in ms of a ULID-based id; undefined for any other text. */
export const idTimeMs = (id: string): number | undefined => {
  const tail = id.slice(id.lastIndexOf('_') + 1);
  if (!new RegExp(`^${ULID}$`).test(tail)) return undefined;
  return [...tail.slice(0, TIME_CHARS)].reduce((ms, c) => ms * 32 + CROCKFORD.indexOf(c), 0);
};

const IMAGE_INDEX_DIGITS = 4;
const IMAGE = new RegExp(`^img_(${ULID})_([0-9]{${IMAGE_INDEX_DIGITS}})$`);

/** A batch ends once, so its event's id is its own ULID. */
export const webhookEventId = (batchId: string): string => ID_PREFIX.event + batchId.slice(ID_PREFIX.batch.length);

/** Image ids are derived from their batch, so an id alone leads to the batch and to the image's index in it. */
export const imageId = (batchId: string, index: number): string =>
  `img_${batchId.slice(ID_PREFIX.batch.length + 1)}_${String(index).padStart(IMAGE_INDEX_DIGITS, '0')}`;

/** The batch and the index an image id names; undefined for anything else. */
export const parseImageId = (id: string): { batchId: string; index: number } | undefined => {
  const match = IMAGE.exec(id);
  return match ? { batchId: `${ID_PREFIX.batch}_${match[1]}`, index: Number(match[2]) } : undefined;
};
