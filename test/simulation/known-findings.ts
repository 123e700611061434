/** Laws that the edge breaks today and that are being worked on; `--known` passes over them. Empty when that is done. */
import type { Law } from './auditor/laws.ts';

export const knownFindings: readonly { readonly law: Law; readonly why: string }[] = [
  { law: 'told', why: 'no call is made again; an upload looks at the balance before it looks at its Idempotency-Key' },
  { law: 'exported', why: 'an alarm that was lost or dropped is not set again' },
  { law: 'outcome', why: 'an alarm that was lost or dropped is not set again' },
  { law: 'kept', why: 'an alarm that was lost or dropped is not set again' },
  { law: 'patience', why: 'being told to wait counts as an attempt' },
];
