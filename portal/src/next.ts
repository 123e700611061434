/** Where a visitor goes on after signing in. */

const HERE = 'https://portal.invalid';

/**
 * Only paths of this portal: any other address would make sign-in an open redirect. What a browser makes of the text
 * counts, for it passes over tabs and lines in it.
 */
export const safeNext = (next: string | null | undefined): string => {
  if (!next?.startsWith('/') || !URL.canParse(next, HERE)) return '/overview';
  const { origin, pathname, search, hash } = new URL(next, HERE);
  return origin === HERE && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/overview';
};
