/**
 * Structured log lines, one JSON object each. No key, token, URL with a signature or image content belongs in one;
 * download paths and signed queries that get into one nevertheless, in a caught error say, are cut.
 */
import { withoutTokens } from '../shared/without-tokens.ts';

type LogLevel = 'info' | 'warn' | 'error';

export type LogEvent = (
  level: LogLevel,
  event: string,
  fields?: Readonly<Record<string, string | number | boolean | null | undefined>>,
) => void;

export const logEvent: LogEvent = (level, event, fields = {}) =>
  console[level](withoutTokens(JSON.stringify({ level, event, ...fields })));

/** A caught bug as text, with its stack where it has one. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Why a call to `url` failed. The runtime may quote the URL, whose path and query can carry a secret: they are cut. */
export const fetchErrorText = (error: unknown, url: URL): string =>
  String(error).replaceAll(url.href, url.origin).replaceAll(`${url.pathname}${url.search}`, '/');
