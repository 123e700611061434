/**
 * What the edge does not yet stand, while it is being worked on: laws that `--known` passes over and faults that it
 * leaves out. Both are empty when that is done.
 */
import type { Law } from './auditor/laws.ts';
import type { Faults } from './platform/faults.ts';

export const knownFindings: {
  readonly laws: readonly { readonly law: Law; readonly why: string }[];
  readonly faults: readonly { readonly fault: keyof Faults; readonly why: string }[];
} = {
  laws: [
    { law: 'told', why: 'no call is made again; an upload looks at the balance before its Idempotency-Key' },
    { law: 'patience', why: 'being told to wait counts as an attempt' },
    { law: 'prompt', why: 'an alarm that was dropped is not set again' },
    { law: 'outcome', why: 'an alarm that was dropped is not set again' },
    { law: 'exported', why: 'an alarm that was dropped is not set again' },
  ],
  faults: [{ fault: 'alarmLost', why: 'nothing but the alarm itself sets the next one' }],
};
