/** Names of what can be wrong. */
export const disagreementKinds = [
  'malformed_id',
  'ledger_gap',
  'ledger_balance',
  'ledger_arithmetic',
  'export_conflict',
  'checkpoint_mismatch',
  'checkpoint_unverified',
  'checkpoint_missing',
  'image_settled_twice',
  'batch_oversettled',
  'batch_unsettled',
  'batch_counts',
  'batch_without_hold',
  'posted_without_outcome',
  'posted_but_failed',
  'voided_but_completed',
  'completed_but_unsettled',
] as const;
export type DisagreementKind = (typeof disagreementKinds)[number];
export type Disagreement = { readonly kind: DisagreementKind; readonly subject: string; readonly detail: string };
