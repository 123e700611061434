/** The platform's own header: a client cannot set it. It is missing only where no platform is in front of us. */
export const ADDRESS_HEADER = 'cf-connecting-ip';
/** The client's network address. */
export const clientAddress = (headers: Headers | undefined): string | undefined =>
  headers?.get(ADDRESS_HEADER) ?? undefined;
