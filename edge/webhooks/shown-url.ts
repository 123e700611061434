/** Longer parts of a path are taken for secrets, as chat services put them there. */
const PLAIN_CHARS_MAX = 16;
const KEPT_CHARS = 4;

const shownPart = (part: string): string => (part.length > PLAIN_CHARS_MAX ? `${part.slice(0, KEPT_CHARS)}…` : part);

/** An address without its query, which may be a signature or a token; as it is where it is no address. */
export const withoutQuery = (text: string): string =>
  URL.canParse(text) ? hidden(new URL(text), (part) => part) : text.replace(/\?.*/s, '?…');

const hidden = ({ origin, pathname, search }: URL, shown: (part: string) => string): string =>
  `${origin}${pathname.split('/').map(shown).join('/')}${search === '' ? '' : '?…'}`;

/**
 * A webhook's address as it may be shown and kept: host and path, without the query, which may be a secret, and with long
 * parts of the path cut. Pure; the text has been read as a URL before.
 */
export const shownUrl = (text: string): string => hidden(new URL(text), shownPart);
