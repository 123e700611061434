/**
 * Money is counted in whole credits; dollars exist only in responses, as numbers in upload responses and as "$" strings
 * in batch responses (specification, sections 2.1 and 2.2).
 */
const CENTS_PER_CREDIT = 25;
export const CREDITS_PER_IMAGE = 1;
export const PACK = { credits: 1_000, usdCents: 25_000 } as const;

/** Dollars as a number with at most two decimals: 999 → 249.75. */
export const usdNumber = (credits: number): number => (credits * CENTS_PER_CREDIT) / 100;

/** Dollars as the batch style writes them: 999 → "$249.75"; a negative balance → "-$0.25". */
export const usdString = (credits: number): string => {
  const cents = Math.abs(credits) * CENTS_PER_CREDIT;
  return `${credits < 0 ? '-' : ''}$${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
};
