/** Longer parts of a path are taken for secrets, as chat services put them there. */
const PLAIN_CHARS_MAX = 16;
const KEPT_CHARS = 4;

const shownPart = (part: string): string => (part.length > PLAIN_CHARS_MAX ? `${part.slice(0, KEPT_CHARS)}…` : part);

/**
 * A webhook's address as it may be shown and kept: host and path, without the query, which may be a secret, and with long
 * parts of the path cut. Pure; the text has been read as a URL before.
 */
export const shownUrl = (text: string): string => {
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname.split('/').map(shownPart).join('/')}${search === '' ? '' : '?…'}`;
};
