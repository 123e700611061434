/** Laws that the edge breaks today and that are being worked on; `--known` passes over them. Empty when that is done. */
import type { Law } from './auditor/laws.ts';

export const knownFindings: readonly { readonly law: Law; readonly why: string }[] = [];
