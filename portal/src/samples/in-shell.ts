/** A text as one word of a shell, whatever it holds. */
export const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
