/** What automatic top-up says of itself. */
import type { AutomaticTopUp } from '../../../../shared/portal-api.ts';
import { dateText, timeText } from '../../format.ts';

type Pause = NonNullable<AutomaticTopUp['pause']>;

const PAUSES: Readonly<Record<Pause, string>> = {
  card_declined: 'Paused: your bank declined the card. Replace it, or switch on again once the bank allows the charge.',
  authentication_required:
    'Paused: your bank wants you to confirm charges. Replace the card with the same one, which asks the bank to allow later charges, or buy a pack above.',
  card_expired: 'Paused: the card has expired. Replace it.',
  card_removed: 'Paused: the card does not exist any more. Replace it.',
  not_possible: 'Paused: the charge was not possible for a reason on our side. Buy a pack above, or try again later.',
  refunded: 'Paused: a payment was refunded. Switch on again whenever you like.',
  disputed: 'Switched off: a payment was disputed at the bank. Settle it there before you switch on again.',
};
export const pauseText = (pause: Pause): string => PAUSES[pause];

export const waitingText = ({ for: what, until }: NonNullable<AutomaticTopUp['waiting']>): string =>
  what === 'month'
    ? `The monthly limit is reached: nothing is bought before ${dateText(until)}, unless you raise it.`
    : `The payment service did not answer. Nothing was charged; the next try is at ${timeText(until)}.`;

type Row = AutomaticTopUp['top_ups'][number];

/** The number of the last one that bought something; 0 before the first. */
export const lastBought = (rows: readonly Pick<Row, 'number' | 'state'>[]): number =>
  Math.max(0, ...rows.flatMap(({ number, state }) => (state === 'succeeded' ? [number] : [])));

const STATES: Readonly<Record<Row['state'], string>> = {
  due: 'Beginning',
  asked: 'Charging',
  paid: 'Paid, credits on their way',
  succeeded: 'Done',
  declined: 'Refused',
  failed: 'No answer, not charged',
  stopped: 'Stopped, not charged',
};
export const stateText = ({ state }: Row): string => STATES[state];
