/** Where a visitor goes on after signing in. */

/** Only paths of this portal: any other address would make sign-in an open redirect. */
export const safeNext = (next: string | null | undefined): string =>
  next && /^\/(?![/\\])/.test(next) ? next : '/overview';
