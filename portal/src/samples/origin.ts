/** The address that samples call: this portal's own. Pages that are written out at build time have none yet. */
import { UNKNOWN_ORIGIN } from '../../../shared/paths.ts';

export const origin = (): string => (typeof location === 'undefined' ? UNKNOWN_ORIGIN : location.origin);
