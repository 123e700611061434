/** Unix ms → ISO 8601; null stays null. */
export const timeOf = <T extends number | null>(ms: T): T extends null ? null : string =>
  (ms === null ? null : new Date(ms).toISOString()) as T extends null ? null : string;
