/**
 * Automatic top-up: where the credits that can be spent fall to a level, one pack is bought with a saved card. The account
 * decides that it is bought, once and within a month's limit; Stripe is asked by its alarm; credits come by the signed
 * payment event alone, and it is that grant in the ledger which ends a top-up as succeeded.
 */
import type { Pack } from '../../../shared/credits.ts';

/** `level`: available credits at or below which a pack is bought. `monthlyLimitCents`: of packs' prices, before tax. */
export type TopUpTerms = { readonly level: number; readonly pack: Pack; readonly monthlyLimitCents: number };

/** What may be shown of a card, and Stripe's ids of it and of whose it is. Never a number. */
export type SavedCard = {
  readonly customer: string;
  readonly paymentMethod: string;
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
};

/** Reasons that lie in the card: another card ends the pause. */
export const CARD_FAULTS = ['card_declined', 'authentication_required', 'card_expired', 'card_removed'] as const;
export type CardFault = (typeof CARD_FAULTS)[number];
/** `not_possible`: Stripe refused the request itself; the operator has to look. */
export type TopUpPause = CardFault | 'refunded' | 'disputed' | 'not_possible';

/**
 * `due`: Stripe was not asked. `asked`: whether the card was charged is not known. `paid`: it was, and the credits are on
 * their way. The others are ends: `failed` got no answer in time and `stopped` was not wanted any more; the invoice of
 * either was closed before it was paid.
 */
export type TopUpState = 'due' | 'asked' | 'paid' | 'succeeded' | 'declined' | 'failed' | 'stopped';

/** `number`: 1, 2, 3 … within the account. */
export type TopUp = {
  readonly number: number;
  readonly state: TopUpState;
  readonly credits: number;
  readonly usdCents: number;
  readonly customer: string;
  readonly paymentMethod: string;
  /** Stripe's, once there is one. */
  readonly invoice: string | null;
  readonly paymentIntent: string | null;
  /** Our payment, once its credits are here. */
  readonly payment: string | null;
  readonly reason: TopUpPause | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
};

/** `waitFor`: none is begun until `untilMs`, because the month's limit is reached or Stripe did not answer. */
export type TopUpView = {
  /** What it is on with, or was the last time. */
  readonly terms: TopUpTerms | null;
  readonly isOn: boolean;
  readonly pause: TopUpPause | null;
  readonly card: SavedCard | null;
  readonly waiting: { readonly for: 'month' | 'stripe'; readonly untilMs: number } | null;
  /** What counts against this UTC month's limit. */
  readonly monthCents: number;
  /** The account is not to be closed now. */
  readonly isCharging: boolean;
  /** Of a deleted account. */
  readonly isClosed: boolean;
  /** Newest first. */
  readonly last: readonly TopUp[];
};

export type TopUpPort = {
  topUp(): Promise<TopUpView>;
  /**
   * Switches on, or off with null. One that is open and not known to be paid is stopped; what is needed under the new terms
   * is begun in the same transaction. Ends a pause. The same terms again change nothing. `card`: the payment method that
   * the owner consents to; another one that was saved meanwhile is not charged for it.
   */
  setTopUp(terms: TopUpTerms | null, card?: string): Promise<'saved' | 'unchanged' | 'no_card' | 'card_changed'>;
  /** Begins none until the owner switches it on again, and tells the owner once. */
  pauseTopUp(pause: 'refunded' | 'disputed'): Promise<void>;
  /** `atMs`: when it was entered. One from before the last change is not kept, and goes at Stripe too. */
  saveCard(card: SavedCard, atMs: number): Promise<'saved' | 'known' | 'outdated'>;
  /** Switches off, and detaches it at Stripe. */
  removeCard(): Promise<void>;
  /**
   * For good: of a deleted account. `charging`: not closed, for the card is being charged or the credits are on
   * their way; after `topUp.closesWithinMs` it is closed all the same.
   */
  closeTopUp(): Promise<'closed' | 'charging'>;
};

/** What the owner is told, each once. */
export type TopUpNotice = {
  /** 1, 2, 3 … within the account. */
  readonly notice: number;
  readonly what: 'charged' | 'month_limit' | TopUpPause;
  /** Of what was charged, or would have been. */
  readonly credits: number | null;
  readonly usdCents: number | null;
  readonly atMs: number;
};

/** `id`: the same for each try, other than that of any other top-up. */
export type Charge = Pick<TopUp, 'credits' | 'usdCents' | 'customer' | 'paymentMethod'> & {
  readonly id: string;
  readonly accountId: string;
};
/** `why`: for the log. */
export type Refused = { readonly result: 'refused'; readonly reason: TopUpPause; readonly why: string };
type Opened = { readonly result: 'opened'; readonly invoice: string } | Refused;
type Readied = { readonly result: 'ready'; readonly paymentIntent: string } | Refused;

/** Who charges cards. All of it may be asked again with the same; each throws while its outcome is not known. */
export type ChargeCard = {
  /** An invoice of one pack, which nothing pays by itself. */
  readonly open: (charge: Charge) => Promise<Opened>;
  /** Makes it payable, and marks it so that the event of its payment tells whose credits were paid. */
  readonly ready: (charge: Charge, invoice: string) => Promise<Readied>;
  /** Charges the card. After `refused` nothing can be paid any more. */
  readonly pay: (charge: Charge, invoice: string) => Promise<{ readonly result: 'paid' } | Refused>;
  /** Afterwards it is paid, or never will be. */
  readonly close: (charge: Charge, invoice: string) => Promise<'paid' | 'closed'>;
  /** Of a card that is not to be charged any more. One that is gone is detached. */
  readonly detach: (paymentMethod: string) => Promise<void>;
};

/** May be called again. Throws while it is not known to be told. */
export type TellTopUp = (accountId: string, notice: TopUpNotice) => Promise<'told' | 'nobody'>;

/**
 * Records what a paid invoice says of its payment, as its event does. Answers the payment intent, null where there is none.
 * May be called again. Throws while it is not known.
 */
export type FetchCredits = (invoice: string) => Promise<string | null>;

export type TopUpServices = {
  readonly cards: ChargeCard;
  readonly tell: TellTopUp;
  readonly fetchCredits: FetchCredits;
};

/** The ledger's id of the grant for a payment. */
export const purchaseId = (paymentIntent: string): string => `purchase:${paymentIntent}`;
