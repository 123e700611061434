/** CSV of RFC 4180; a text that a spreadsheet would run as a formula is made inert. */
const csvCell = (value: string | number | null): string => {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvOf = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

/**
 * A CSV file a piece at a time. `next` gives the next piece, and whether it is the last; one that is empty is passed over,
 * for a stream that is given nothing is not asked again.
 */
export const csvStream = (
  head: string,
  next: () => Promise<{ readonly text: string; readonly isLast: boolean }>,
): ReadableStream<Uint8Array> => {
  const utf8 = new TextEncoder();
  return new ReadableStream({
    start: (controller) => controller.enqueue(utf8.encode(head)),
    async pull(controller) {
      for (;;) {
        const { text, isLast } = await next();
        if (text !== '') controller.enqueue(utf8.encode(text));
        if (isLast) controller.close();
        if (isLast || text !== '') return;
      }
    },
  });
};
