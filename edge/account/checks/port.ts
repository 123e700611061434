/** The account's free checks; checks.ts counts them. */

/** One allowance as the RateLimit headers show it: so many checks a window, what is left, when the window ends. */
export type Quota = {
  readonly policy: 'checks-minute' | 'checks-day';
  readonly perWindow: number;
  readonly windowMs: number;
  readonly remaining: number;
  readonly resetMs: number;
};

export type BeginCheckReply =
  /** Counted, and running until `endCheck`. */
  | { readonly result: 'begun'; readonly quotas: readonly Quota[] }
  | { readonly result: 'quota_exceeded'; readonly quotas: readonly Quota[]; readonly spent: Quota }
  /** As many are running as may. Not counted. */
  | { readonly result: 'too_many_running'; readonly quotas: readonly Quota[] };

export type ChecksPort = {
  /** Takes one check of this minute's and this day's; repeated while the check runs, it takes no other. */
  beginCheck(checkId: string): Promise<BeginCheckReply>;
  endCheck(checkId: string): Promise<void>;
};
