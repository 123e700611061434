/** What the mails about automatic top-up say. The same for each try, or the mail API would take it for another mail. */
import { usdString } from '../../shared/credits.ts';
import type { TopUpNotice } from '../account/top-up/port.ts';
import type { Mail } from './mail.ts';

const CONTINUES = 'Your credits can be spent as before; no pack is bought by itself until you act.';

/** Subject, what happened, what to do. */
const TEXTS: Readonly<Record<TopUpNotice['what'], (of: string) => readonly [string, string, string]>> = {
  charged: (of) => [
    `Automatic top-up: ${of}`,
    `Your balance fell to the level you chose, and your saved card was charged for ${of}. The credits are in your account. Tax, where it is due, is on the invoice.`,
    'See the receipt, change the level or the monthly limit, or switch automatic top-up off:',
  ],
  month_limit: (of) => [
    'Automatic top-up reached its monthly limit',
    `Your balance is at the level you chose, but ${of} would pass the monthly limit you set. Your card was not charged. Automatic top-up goes on when the next month begins (UTC).`,
    'Raise the limit, or buy a pack yourself:',
  ],
  card_declined: (of) => [
    'Automatic top-up is paused: your card was declined',
    `Your bank declined the charge for ${of}. Nothing was charged. ${CONTINUES}`,
    'Save another card, or switch automatic top-up on again once the bank allows it:',
  ],
  authentication_required: (of) => [
    'Automatic top-up is paused: your bank asks for you',
    `Your bank wants you to confirm the charge for ${of} yourself, which an automatic charge cannot do. Nothing was charged. ${CONTINUES}`,
    'Save the card again, which asks the bank to allow later charges, or buy a pack yourself:',
  ],
  card_expired: (of) => [
    'Automatic top-up is paused: your card has expired',
    `The charge for ${of} was refused because the card has expired. Nothing was charged. ${CONTINUES}`,
    'Save another card:',
  ],
  card_removed: (of) => [
    'Automatic top-up is paused: the card is gone',
    `The charge for ${of} was not possible because the saved card does not exist any more. Nothing was charged. ${CONTINUES}`,
    'Save another card:',
  ],
  not_possible: (of) => [
    'Automatic top-up is paused',
    `The charge for ${of} was not possible for a reason on our side. Nothing was charged, and we were told. ${CONTINUES}`,
    'Buy a pack yourself meanwhile, or try again later:',
  ],
  refunded: () => [
    'Automatic top-up is paused: a payment was refunded',
    `A payment of your account was refunded, so automatic top-up does not charge your card for what the refund took from the balance. ${CONTINUES}`,
    'Switch it on again whenever you like:',
  ],
  disputed: () => [
    'Automatic top-up is off: a payment is disputed',
    `A payment of your account was disputed at the bank, so automatic top-up was switched off. ${CONTINUES}`,
    'If you know the payment, settle it with your bank and switch automatic top-up on again:',
  ],
};

const packText = ({ credits, usdCents }: TopUpNotice): string =>
  credits === null || usdCents === null
    ? 'a pack'
    : `${credits.toLocaleString('en-US')} credits (${usdString(credits)})`;

export const topUpMail = (to: string, notice: TopUpNotice, url: string): Omit<Mail, 'once'> => {
  const [subject, happened, toDo] = TEXTS[notice.what](packText(notice));
  return { to, subject, text: `${happened}\n\n${toDo}\n\n${url}\n` };
};
