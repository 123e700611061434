/** Structured log lines, one JSON object each. No key, token, URL with a signature or image content belongs in one. */
export type LogLevel = 'info' | 'warn' | 'error';

export type LogEvent = (
  level: LogLevel,
  event: string,
  fields?: Readonly<Record<string, string | number | boolean | null | undefined>>,
) => void;

export const logEvent: LogEvent = (level, event, fields = {}) =>
  console[level](JSON.stringify({ level, event, ...fields }));
