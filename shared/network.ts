/** Whose client a network address belongs to, as far as that can be told. Pure. */
import ipaddr from 'ipaddr.js';

const UNKNOWN = 'unknown';

const cut = (address: string | undefined, bits: { readonly v4: number; readonly v6: number }): string => {
  if (address === undefined || !ipaddr.isValid(address)) return UNKNOWN;
  const parsed = ipaddr.process(address);
  const prefix = parsed.kind() === 'ipv4' ? bits.v4 : bits.v6;
  const bytes = parsed
    .toByteArray()
    .map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - i * 8))) & 0xff);
  return `${ipaddr.fromByteArray(bytes).toString()}/${prefix}`;
};

/**
 * One line or one site: an IPv4 address, or the /64 that every IPv6 client may choose its addresses from. `unknown` for
 * what is no address.
 */
export const lineOf = (address: string | undefined): string => cut(address, { v4: 32, v6: 64 });

/** One provider's customers of one place, or one rented block: IPv4 /24, IPv6 /48. `unknown` for what is no address. */
export const networkOf = (address: string | undefined): string => cut(address, { v4: 24, v6: 48 });
