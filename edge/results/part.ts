/** The number of an archive as an address names it, from 1; NaN for what is none. Pure. */
export const partOf = (part = '1'): number => (/^\d{1,4}$/.test(part) ? Number(part) : Number.NaN);
