/** A country as Cloudflare codes it, in words. */
const regions = new Intl.DisplayNames('en', { type: 'region' });

/** T1 stands for Tor, XX for unknown. */
export const placeOf = (country: string | null): string => {
  if (country === 'T1') return 'Tor';
  if (country === null || country === 'XX' || !/^[A-Z]{2}$/.test(country)) return 'Unknown';
  return regions.of(country) ?? country;
};
