/**
 * Text for a log. Some addresses are secrets: the path of a download is its permission, as is the query of a presigned
 * URL, and whoever reads a log must not be able to use them.
 */
const DOWNLOAD = /(\/downloads\/)[^\s/"'?]+(?:\/[^\s"'?)]*)?/g;
const SIGNED_QUERY = /((?:[?&]|%3F|%26)X-Amz-[A-Za-z-]+=)[^\s&"')]+/gi;

/** `text` with the secret part of such addresses replaced. */
export const withoutTokens = (text: string): string =>
  text.replace(DOWNLOAD, '$1[redacted]').replace(SIGNED_QUERY, '$1[redacted]');
