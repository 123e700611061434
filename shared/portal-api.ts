/**
 * What the portal's own API answers. Types only: server and browser code share them, and the browser gets no schema
 * library for it.
 */

import type { Compliance, ImageError, Output, ProductBox } from './api.ts';
import type { KeyMode } from './api-key.ts';
import type { PublicFinding } from './check-api.ts';
import type { Size } from './imaging/raster.ts';
import type { ApiKey } from './key-api.ts';
import type { Operator } from './operator.ts';
import type { Review } from './review.ts';
import type { Role } from './roles.ts';
import type { WebhookEventType } from './webhook-events.ts';

/** A JPEG in base64. */
export type QuickLookAnswer = { readonly image: string };

export type PortalConfig = {
  readonly local: boolean;
  /** How a pack is bought: Stripe, or the test checkout of local mode. */
  readonly checkout: 'stripe' | 'test';
  /** A tax may come on top of the price. */
  readonly automatic_tax: boolean;
  readonly mail: 'api' | 'outbox';
  readonly base_url: string;
  /** The public half of Cloudflare Turnstile's keys; null where visitors are not checked. */
  readonly turnstile_site_key: string | null;
  /** For the terms and privacy pages. */
  readonly operator: Operator;
  /** HEIC photos may be sent as they are. */
  readonly takes_heic: boolean;
};

export type Me = {
  readonly user: { readonly id: string; readonly email: string; readonly name: string; readonly created_at: string };
  /** The account that the session acts for, and as what. */
  readonly account: AccountSummary;
  readonly role: Role;
  /** All that the user is a member of, their own first. */
  readonly accounts: readonly AccountChoice[];
};
/** `moved`: the user is no member of the account chosen before; the session acts for another one from now on. */
export type SessionAnswer = { readonly me: Me | null; readonly moved?: true };
/** `name`: the mail address of the owner who is longest a member. */
export type AccountChoice = {
  readonly account_id: string;
  readonly name: string;
  readonly role: Role;
  readonly is_own: boolean;
};
/** Which account a page shows: a call with another one than the session's is refused. It opens nothing by itself. */
export const ACCOUNT_HEADER = 'x-packshot-account';
/** The same in the query of a link, which sends no header: a download. */
export const ACCOUNT_QUERY = 'account';

export type MemberRow = {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly joined_at: string;
  /** Null for those who are not told: owners alone see it. */
  readonly two_factor: boolean | null;
};
export type InvitationRow = {
  readonly invitation_id: string;
  readonly email: string;
  readonly role: Role;
  readonly sent_at: string;
  readonly expires_at: string;
  readonly expired: boolean;
};
/** What the link of an invitation stands for. `account`: as `AccountChoice.name`. */
export type InvitationLink = {
  readonly email: string;
  readonly role: Role;
  readonly account: string;
  readonly expires_at: string;
};
export type AccountSummary = {
  readonly account_id: string;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly granted: number;
};

/** One line of the audit log. */
export type AuditRow = {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  /** Who it was: the mail address of a user there still is, and their id; null where that is not known. */
  readonly member: string | null;
  readonly member_id: string | null;
  /** Kind and deed, e.g. `keys.revoked`. */
  readonly action: string;
  readonly subject: string | null;
  readonly detail: string | null;
  /** Null once it is 90 days old. */
  readonly address: string | null;
  readonly country: string | null;
};
export type AuditPage = { readonly rows: readonly AuditRow[]; readonly next_cursor: string | null };

export type SessionRow = {
  readonly id: string;
  /** e.g. `Firefox on Windows`. */
  readonly device: string;
  /** Two letters, where the session began; null where that is not known. */
  readonly country: string | null;
  readonly began_at: string;
  /** Exact to an hour. */
  readonly last_used_at: string;
  readonly current: boolean;
};
export type SecurityOverview = {
  readonly two_factor: boolean;
  readonly passkeys: readonly { readonly id: string; readonly name: string; readonly created_at: string }[];
  readonly sessions: readonly SessionRow[];
};

/** As the public API answers it. */
export type KeyRow = ApiKey;
export type KeyCreated = {
  readonly key: KeyRow /** The whole key: shown once, never again. */;
  readonly secret: string;
};

export type LogRow = {
  readonly request_id: string;
  readonly at: string;
  readonly key_id: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly error_code: string | null;
  readonly images: number;
  readonly credits: number;
  readonly duration_ms: number;
  readonly batch_id: string | null;
  /** File names of what was sent, the first ones; none where no images were sent, or one of them was deleted. */
  readonly names: readonly string[];
  readonly marketplaces: readonly string[];
};
/** A page of a search looks through a bounded number of requests, and may be empty and yet not the last. */
export type LogPage = { readonly rows: readonly LogRow[]; readonly next_cursor: string | null };

export type LogImage = {
  readonly image_id: string;
  readonly status: 'queued' | 'processing' | 'completed' | 'failed' | 'deleted';
  readonly filename: string | null;
  readonly original_name: string | null;
  /** Its photo is still there, and of a type that browsers show: `/logs/<request>/inputs/<index>`. */
  readonly has_input: boolean;
  readonly preview_url: string | null;
  readonly download_url: string | null;
  readonly expires_at: string | null;
  readonly width: number | null;
  readonly height: number | null;
  /** px of the full-size result, also where a test key's file is smaller; null where it has no canvas of its own. */
  readonly place: { readonly canvas: Size; readonly product_box: ProductBox } | null;
  readonly compliance: Compliance | null;
  /** The files of an image for several marketplaces, its first one's first; else none. */
  readonly outputs: readonly Output[];
  readonly findings: readonly PublicFinding[];
  readonly review: Review | null;
  /** 0 to 1. */
  readonly matte_confidence: number | null;
  readonly error: ImageError | null;
  /** As the node measured it, in the order of its work; null where it made nothing. */
  readonly timing: {
    readonly processing_ms: number;
    readonly stages: readonly { readonly name: string; readonly ms: number }[];
  } | null;
};
export type LogDetail = {
  readonly entry: LogRow;
  readonly batch_status: string | null;
  readonly images: readonly LogImage[];
  /** Null where the key is not known any more. */
  readonly key_label: string | null;
  /** As the batch took them; null where the request opened none. */
  readonly options: Readonly<Record<string, unknown>> | null;
  /** How the batch was sent; null where the request made none. So are `fields` and `request`. */
  readonly style: 'upload' | 'batch' | null;
  /** The options as fields of a form, without the defaults. Null also for a request of remove.bg's API. */
  readonly fields: Readonly<Record<string, string>> | null;
  /** As it was understood; queries of addresses are hidden. Its first images, as in `images`. */
  readonly request: Readonly<Record<string, unknown>> | null;
  /**
   * Of a request that was refused, as far as the log remembers it; of one that made a batch, made anew: of an upload its
   * answer, of a batch how it stands.
   */
  readonly response: Readonly<Record<string, unknown>> | null;
};

/** Photos that were dropped together; they run in batches, by the key that is named. */
export type FolderRow = {
  readonly folder_id: string;
  readonly name: string;
  readonly created_at: string;
  readonly key_id: string;
  /** Null where the key is not known any more; so is `mode`. */
  readonly key_label: string | null;
  readonly mode: 'live' | 'test' | null;
  /** Options, as a form sends them. */
  readonly fields: Readonly<Record<string, string>>;
  /** That were chosen. */
  readonly photos: number;
};
/** Photos by what became of them; those that never arrived are in none. `credits`: charged, and held for what runs. */
export type FolderCounts = {
  readonly running: number;
  readonly ready: number;
  readonly needs_a_look: number;
  readonly retake: number;
  readonly failed: number;
  readonly deleted: number;
  readonly credits: number;
};
export type FolderPage = {
  readonly rows: readonly (FolderRow & { readonly counts: FolderCounts })[];
  readonly next_cursor: string | null;
};
export type FolderPhoto = {
  /** Among the photos of the folder, from 0; that of the one that it replaces. */
  readonly position: number;
  readonly batch_id: string;
  /** Of the photo that was sent last for this position. Another than `batch_id` where that failed: the result before stays. */
  readonly last_batch_id: string;
  /** Why that failed. */
  readonly replacement_error: ImageError | null;
  readonly request_id: string;
  readonly image_id: string;
  readonly status: LogImage['status'];
  readonly original_name: string | null;
  readonly filename: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly preview_url: string | null;
  /** One for each marketplace; `url` null once the file is gone. */
  readonly files: readonly { readonly marketplace: string; readonly filename: string; readonly url: string | null }[];
  readonly review: Review | null;
  readonly error: ImageError | null;
};
export type FolderDetail = {
  readonly folder: FolderRow;
  readonly photos: readonly FolderPhoto[];
  /** Positions of photos that an upload is bringing, whose batch is not open yet. */
  readonly arriving: readonly number[];
  /** Batches that have not ended. */
  readonly running: readonly string[];
  readonly credits: readonly {
    readonly batch_id: string;
    readonly held: number;
    readonly posted: number;
    readonly voided: number;
  }[];
  /** How many ZIPs its results make. */
  readonly archives: number;
};
/** The code, of the field `positions`, of photos that another upload has brought; `replaces=true` sends them all the same. */
export const PHOTO_ALREADY_SENT = 'photo_already_sent';
/** A file that was no image when it arrived. */
export type RefusedPhoto = ImageError & { readonly position: number };

/** What became of a run of the playground, found again by its Idempotency-Key; no images before its batch is open. */
export type RunAgain = { readonly images: readonly LogImage[] };

/** One day, UTC. Latency over requests that were charged, as the images are counted: without those of test keys. */
export type UsageDay = {
  readonly day: string;
  readonly completed: number;
  readonly failed: number;
  readonly requests: number;
  readonly errors: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
};
export type Usage = { readonly days: readonly UsageDay[] };

export const usageSplits = ['outcome', 'key', 'marketplace'] as const;
export type UsageSplit = (typeof usageSplits)[number];

/**
 * `completed` and `failed`: images. `credits`: what the ledger charged for them; none for test keys. Latencies, ms: of the
 * requests that were charged, null where there were none.
 */
export type UsageFigures = Amount & {
  readonly completed: number;
  readonly failed: number;
  readonly requests: number;
  readonly errors: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
};
/**
 * What use is split into: a key's id, or a marketplace's name, `several` of them at once, `none`. `other`: those beyond
 * the largest. `unsplit`: from before it was noted. Split by outcome there is one part, `all`.
 */
export type UsagePart = UsageFigures & { readonly id: string; readonly label: string };
/** One part in one period, from `start` to `end`, both included; periods and parts without any use are left out. */
export type UsageRow = UsageFigures & { readonly start: string; readonly end: string; readonly part: string };
export type UsageReport = {
  readonly from: string;
  readonly to: string;
  /** The first day of which anything is kept. */
  readonly kept_from: string;
  readonly mode: KeyMode;
  readonly by: UsageSplit;
  readonly period: 'day' | 'week' | 'month';
  readonly periods: readonly { readonly start: string; readonly end: string }[];
  readonly total: UsageFigures;
  readonly parts: readonly UsagePart[];
  /** Newest first. */
  readonly rows: readonly UsageRow[];
  /** Completed images of which each marketplace has a file: of its own, and together with others, each image counted for each. */
  readonly marketplaces: readonly { readonly name: string; readonly alone: number; readonly together: number }[];
  /** Of the range, and in none of these figures: it is not known whose it was, or what for. */
  readonly left_out: { readonly completed: number; readonly failed: number; readonly requests: number };
};

export type LedgerRow = {
  readonly sequence: number;
  readonly at: string;
  readonly kind: string;
  readonly description: string;
  /** What each of the three gained or lost; over all rows they sum to the balance. */
  readonly available_change: number;
  readonly held_change: number;
  readonly spent_change: number;
  readonly available_after: number;
  readonly reference: string | null;
};
/** Up to `folded_through` only credits added or taken back are listed, because the archive could not be read; else null. */
export type LedgerPage = {
  readonly rows: readonly LedgerRow[];
  readonly next_cursor: string | null;
  readonly folded_through: number | null;
};

type Amount = { readonly credits: number; readonly amount_usd: string };
/** Spent in a UTC month (YYYY-MM) by key, most first. `uncounted`: spent before it was counted by key. */
export type Spending = Amount & {
  readonly month: string;
  /** `label` null: the key is not known any more. */
  readonly keys: readonly (Amount & { readonly key_id: string; readonly label: string | null })[];
  readonly uncounted: Amount;
};

/** When the owner is told by mail of a low balance; `level` null: never. `last`: when it was so the last time. */
export type BalanceAlert = {
  readonly level: number | null;
  readonly last: { readonly at: string; readonly balance: number; readonly level: number } | null;
};

/** Automatic top-up. The terms are those it is on with, or was the last time. */
export type AutomaticTopUp = {
  readonly enabled: boolean;
  /** Credits at or below which a pack is bought. */
  readonly level: number | null;
  /** Of the pack. */
  readonly credits: number | null;
  readonly monthly_limit_usd: number | null;
  /** What counts against the limit in this UTC month. */
  readonly month_usd: string;
  readonly pause:
    | 'card_declined'
    | 'authentication_required'
    | 'card_expired'
    | 'card_removed'
    | 'refunded'
    | 'disputed'
    | 'not_possible'
    | null;
  /** None is begun until then. */
  readonly waiting: { readonly for: 'month' | 'stripe'; readonly until: string } | null;
  /** `id`: of Stripe's; who switches on says which card that is for. */
  readonly card: {
    readonly id: string;
    readonly brand: string;
    readonly last4: string;
    readonly exp_month: number;
    readonly exp_year: number;
  } | null;
  /** Newest first. */
  readonly top_ups: readonly {
    readonly number: number;
    readonly state: 'due' | 'asked' | 'paid' | 'succeeded' | 'declined' | 'failed' | 'stopped';
    readonly reason: AutomaticTopUp['pause'];
    readonly credits: number;
    readonly amount_usd: string;
    readonly payment_id: string | null;
    readonly at: string;
  }[];
};

export type Receipt = {
  readonly payment_id: string;
  readonly paid_at: string;
  /** What was paid: the pack's price and the tax on it. */
  readonly amount_usd: string;
  readonly price_usd: string;
  readonly tax_usd: string;
  readonly credits: number;
  readonly email: string | null;
  readonly mode: 'stripe' | 'test';
  readonly adjustments: readonly {
    readonly kind: string;
    readonly at: string;
    readonly amount_usd: string;
    readonly credits: number;
  }[];
};

/** Of the seller what the operator has not set is null. `has_invoice`: Stripe may have one. */
export type ReceiptDetail = Receipt & {
  readonly seller: { readonly name: string | null; readonly address: string | null; readonly tax_id: string | null };
  readonly has_invoice: boolean;
};
/** Addresses at Stripe. */
export type Invoice = { readonly page: string; readonly pdf: string | null };
/** One attempt at a webhook. */
export type WebhookAttemptRow = {
  readonly attempt_id: string;
  readonly at: string;
  /** Null for a test, and for what is about no batch. */
  readonly batch_id: string | null;
  /** Null for a batch's own `webhook_url`. */
  readonly endpoint_id: string | null;
  readonly event: WebhookEventType;
  readonly event_id: string;
  /** Without what may be a secret in it. */
  readonly url: string;
  readonly sent_by: 'schedule' | 'resend' | 'test';
  /** `gone`: the receiver answered 410 and wants no more. */
  readonly outcome: 'delivered' | 'gone' | 'failed';
  /** Null where there was no answer; `failure` says why. */
  readonly status: number | null;
  readonly failure: string | null;
  readonly duration_ms: number;
  readonly body_bytes: number;
};
export type WebhookAttemptPage = { readonly rows: readonly WebhookAttemptRow[]; readonly next_cursor: string | null };
/** `body`: as it was signed, or its beginning; null once an image of the batch was deleted. */
export type WebhookAttemptDetail = {
  readonly attempt: WebhookAttemptRow;
  readonly body: string | null;
  readonly is_cut: boolean;
};
export type WebhookSent = { readonly attempt: WebhookAttemptRow };

/** Why it is disabled; `gone`: it answered 410, `failing`: it accepted nothing for days. */
type WebhookDisabled = { readonly why: 'owner' | 'gone' | 'failing'; readonly at: string };
export type WebhookEndpoint = {
  readonly endpoint_id: string;
  readonly url: string;
  /** Of the keys whose batches it is told of. */
  readonly mode: 'live' | 'test';
  readonly events: readonly WebhookEventType[];
  readonly created_at: string;
  readonly enabled: boolean;
  readonly disabled: WebhookDisabled | null;
  /** Deliveries to be made or made again. */
  readonly pending: number;
  /** Null where the last delivery was accepted. */
  readonly failing_since: string | null;
};
export type WebhookEndpointList = { readonly endpoints: readonly WebhookEndpoint[] };

export type WebhookSecret = { readonly secret: string; readonly rotated_at: string | null };
export type OutboxEntry = {
  readonly id: number;
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  readonly sent_at: string;
};
export type TestCheckoutInfo = {
  readonly id: string;
  readonly purpose: 'payment' | 'card';
  readonly email: string;
  readonly amount_usd: string;
  readonly credits: number;
};
export type PortalProblem = { readonly code: string; readonly detail: string };

/** The last deletion of the account's data; both null where none was asked for. `done_at` null: under way. */
export type DataErasure = { readonly asked_at: string | null; readonly done_at: string | null };

/** Days that files are kept: 0 for until their first complete download, null for the default. */
export type Retention = { readonly days: number | null };
