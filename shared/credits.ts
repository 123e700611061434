/**
 * Money is counted in whole credits; dollars exist only in responses, as numbers in upload responses and as "$" strings
 * in batch responses (specification, sections 2.1 and 2.2).
 */
export const CENTS_PER_CREDIT = 25;
export const CREDITS_PER_IMAGE = 1;

export type Pack = { readonly credits: number; readonly usdCents: number };
/** The specified pack, and what is bought where nothing else is said. */
export const PACK = { credits: 1_000, usdCents: 25_000 } as const satisfies Pack;
/** All that can be bought, smallest first. A credit costs the same in each. */
export const PACKS: readonly Pack[] = [{ credits: 40, usdCents: 1_000 }, { credits: 200, usdCents: 5_000 }, PACK];
/** Undefined where there is no such pack. */
export const packOf = (credits: number): Pack | undefined => PACKS.find((pack) => pack.credits === credits);

/** Dollars as a number with at most two decimals: 999 → 249.75. */
export const usdNumber = (credits: number): number => (credits * CENTS_PER_CREDIT) / 100;

/** Dollars as the batch style writes them: 999 → "$249.75"; a negative balance → "-$0.25". */
export const usdString = (credits: number): string => {
  const cents = Math.abs(credits) * CENTS_PER_CREDIT;
  return `${credits < 0 ? '-' : ''}$${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
};
