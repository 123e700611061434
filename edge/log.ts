/** Structured log lines, one JSON object each. No key, token, URL with a signature or image content belongs in one. */
export type LogLevel = 'info' | 'warn' | 'error';

export const logEvent = (level: LogLevel, event: string, fields: Readonly<Record<string, string | number | boolean | null | undefined>> = {}): void =>
  console[level](JSON.stringify({ level, event, ...fields }));
