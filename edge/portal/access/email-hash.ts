import { sha256 } from '../../../shared/digest.ts';

/** A mail address as counters and cookies know it, however it was typed. */
export const emailHash = (email: string): Promise<string> => sha256(email.trim().toLowerCase());
