/** Bounds of payments: webhook deliveries, the re-drive and the questions put to Stripe. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KiB = 1_024;

export const paymentLimits = Object.freeze({
  webhookBodyBytesMax: 256 * KiB,
  /** Stripe signs a time; older deliveries are replays. */
  webhookAgeSecondsMax: 300,
  callMsMax: 20 * SECOND,
  receiptRowsMax: 100,
  testCheckoutMs: 1 * HOUR,
  /** After which Stripe expires a checkout by itself. */
  openCheckoutMsMax: 1 * DAY,
  /** Open ones of all accounts that the deletion of one looks through; with more, it is refused. */
  openCheckoutsMax: 5_000,
  /** Movements that one settlement plans; a payment with more is finished by the re-drive. */
  plansPerSettleMax: 100,
  /** What is unsettled or unknown for longer than this was not merely on its way: the re-drive takes it up, and alerts. */
  deliveryMsMax: 15 * MINUTE,
  pendingPerSweepMax: 50,
  /** Reversals without a payment that one run looks up at Stripe. */
  straysPerSweepMax: 25,
  /** Stripe lists and resends events for 30 days; what has no payment after three times that never gets one. */
  strayKeptMs: 90 * DAY,
  strayRowsPerSweepMax: 1_000,
  /** The first poll goes back nearly as far as Stripe lists events (30 days). */
  pollBackMsMax: 29 * DAY,
  /** With the page size, some 600 statements of the 1,000 that D1 allows one run. */
  pollPagesPerSweepMax: 2,
  /** Stripe's own maximum. */
  pollPageRows: 100,
  comparesPerSweepMax: 20,
  /** Pages of ledger entries read for one account's comparison. */
  comparePagesMax: 10,
});
