/** Generated from the OpenAPI document by generate.ts; a change here is lost. */
export type BatchRequest = ManyImagesRequest | OneImageRequest;
export type StatusImage = UnfinishedImage | FailedImage | CompletedImage | DeletedImage;
/**
 * What is measured on the finished file, and the bounds it has to keep.
 */
export type Requirement =
  | {
      kind: 'background_white';
      shadow: 'tolerated' | 'forbidden';
    }
  | {
      kind: 'product_fill';
      min?: number;
      max?: number;
    }
  | {
      kind: 'product_side';
      min?: number;
      max?: number;
    }
  | {
      kind: 'longest_side';
      min?: number;
      max?: number;
    }
  | {
      kind: 'shortest_side';
      min?: number;
      max?: number;
    }
  | {
      kind: 'size';
      min_width: number;
      min_height: number;
    }
  | {
      kind: 'pixels';
      max: number;
    }
  | {
      kind: 'aspect';
      width: number;
      height: number;
    }
  | {
      kind: 'file_bytes';
      min?: number;
      max?: number;
    }
  | {
      kind: 'format';
      /**
       * @minItems 1
       */
      any_of: ('jpg' | 'png' | 'webp')[];
    }
  | {
      kind: 'jpeg_quality';
      min: number;
    }
  | {
      kind: 'colour_space';
    }
  | {
      kind: 'bit_depth';
    }
  | {
      kind: 'centred';
      within_px: number;
    };

export interface ManyImagesRequest {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  images: BatchItem[];
  options?: Options;
  /**
   * Value of the `Authorization` header with which every `input_url` is fetched, for stores whose photos are private. All addresses must have the same scheme (https), host and port: it is sent there alone, and not after a redirect elsewhere. Kept encrypted until the last image is decided; never answered or logged.
   */
  input_authorization?: string;
  webhook_url?: string;
}
export interface BatchItem {
  input_url: string;
  filename?: string;
}
export interface Options {
  /**
   * Sets the defaults of canvas, fill and format, and the rules of the compliance check.
   */
  marketplace?:
    | 'amazon'
    | 'walmart'
    | 'ebay'
    | 'etsy'
    | 'google'
    | 'shopify'
    | 'tiktok-shop'
    | 'zalando'
    | 'bol'
    | 'mercado-libre'
    | 'kaufland'
    | 'allegro'
    | 'coupang'
    | 'lazada'
    | 'shopee'
    | 'meta'
    | 'noon'
    | 'aliexpress';
  /**
   * Up to 8 marketplaces, set apart by commas or as a list: one file and one compliance report each, in `outputs`, for one credit. All other options hold for each of them. Not with marketplace.
   */
  marketplaces?:
    | (
        | 'amazon'
        | 'walmart'
        | 'ebay'
        | 'etsy'
        | 'google'
        | 'shopify'
        | 'tiktok-shop'
        | 'zalando'
        | 'bol'
        | 'mercado-libre'
        | 'kaufland'
        | 'allegro'
        | 'coupang'
        | 'lazada'
        | 'shopee'
        | 'meta'
        | 'noon'
        | 'aliexpress'
      )[]
    | string;
  /**
   * Side of the square canvas, or WIDTHxHEIGHT such as 1801x2600, px: sides of 100 to 10000, at most 64 megapixels. Only with layout hero.
   */
  canvas?: number | string;
  /**
   * Share of the canvas that the product box takes, by the side that fills more of it. Only with layout hero.
   */
  fill?: number;
  /**
   * File format of the result. On white, jpg and png are exactly (255, 255, 255) around the product; webp is lossy, and a few levels off near it.
   */
  format?: 'jpg' | 'png' | 'webp';
  /**
   * Encoder quality. It is lowered where the marketplace limits the bytes of a file. Not with png.
   */
  quality?: number;
  /**
   * white, transparent (png or webp) or a colour like #f4f4f4.
   */
  background?: string;
  /**
   * hero: product centred on the canvas. original: same framing as the input.
   */
  layout?: 'hero' | 'original';
  /**
   * Only the product in this part of the upright photo: x,y,width,height in pixels, or each in percent. Leave a little room around it.
   */
  region?: string;
  /**
   * soft: a contact shadow below the product. Not with a transparent background.
   */
  shadow?: 'none' | 'soft';
  /**
   * iptc: the file says in its XMP that a photo was altered by an algorithm (IPTC DigitalSourceType algorithmicallyEnhanced). By default it carries no metadata.
   */
  provenance?: 'none' | 'iptc';
  /**
   * What a finding that the marketplace refuses a listing for does: warn lists it beside the result, fail ends the image with its code, at no charge.
   */
  on_finding?: 'warn' | 'fail';
}
export interface OneImageRequest {
  input_url: string;
  filename?: string;
  options?: Options;
  /**
   * Value of the `Authorization` header with which every `input_url` is fetched, for stores whose photos are private. All addresses must have the same scheme (https), host and port: it is sent there alone, and not after a redirect elsewhere. Kept encrypted until the last image is decided; never answered or logged.
   */
  input_authorization?: string;
  webhook_url?: string;
}
export interface CheckBody {
  input_url: string;
  filename?: string;
  options?: Options;
  /**
   * Value of the `Authorization` header with which every `input_url` is fetched, for stores whose photos are private. All addresses must have the same scheme (https), host and port: it is sent there alone, and not after a redirect elsewhere. Kept encrypted until the last image is decided; never answered or logged.
   */
  input_authorization?: string;
}
export interface RetentionChange {
  /**
   * Days that results of batches sent from now on are kept; 0: until their first complete download; null: as the service keeps them, 7 days.
   */
  retention_days: number | null;
}
export interface KeyCreation {
  label: string;
  mode?: 'live' | 'test';
  /**
   * `images:write`: make and check images. `batches:read`: read the batches that the key made. `account:read`: balance. `admin`: manage keys.
   *
   * @minItems 1
   * @maxItems 4
   */
  scopes?: ('images:write' | 'batches:read' | 'account:read' | 'admin')[];
  /**
   * When the key ends; null: never.
   */
  expires_at?: string | null;
  /**
   * Addresses and ranges (CIDR, IPv4 and IPv6) from which alone the key is taken, at most 20; null: from everywhere.
   */
  allowed_ips?: string[] | null;
  /**
   * Credits that the key, and the keys it makes, may hold or spend on one UTC day; null: all that the account has. A voided image gives its credit back to the day on which it was held. Test keys spend nothing and have none.
   */
  daily_credit_cap?: number | null;
}
export interface KeyChange {
  label?: string;
  /**
   * `images:write`: make and check images. `batches:read`: read the batches that the key made. `account:read`: balance. `admin`: manage keys.
   *
   * @minItems 1
   * @maxItems 4
   */
  scopes?: ('images:write' | 'batches:read' | 'account:read' | 'admin')[];
  /**
   * When the key ends; null: never.
   */
  expires_at?: string | null;
  /**
   * Addresses and ranges (CIDR, IPv4 and IPv6) from which alone the key is taken, at most 20; null: from everywhere.
   */
  allowed_ips?: string[] | null;
  /**
   * Credits that the key, and the keys it makes, may hold or spend on one UTC day; null: all that the account has. A voided image gives its credit back to the day on which it was held. Test keys spend nothing and have none.
   */
  daily_credit_cap?: number | null;
}
export interface KeyRoll {
  /**
   * For how long the secrets before still work; 0: they end at once.
   */
  overlap_hours?: number;
}
export interface BalanceLow {
  /**
   * The same as `webhook-id`.
   */
  id: string;
  type: 'balance.low';
  created_at: string;
  data: LowBalance;
}
export interface LowBalance {
  account_id: string;
  /**
   * Credits that are not used yet, those that running images hold too. May be below 0.
   */
  balance: number;
  balance_usd: string;
  /**
   * Credits at which you asked to be told.
   */
  level: number;
}
export interface UploadResponse {
  /**
   * True when every file was processed.
   */
  success: boolean;
  processed_count: number;
  cost_usd: number;
  remaining_api_credits_usd: number;
  results: (UploadResult | UploadFailedResult)[];
  request_id: string;
  batch_id: string;
}
export interface UploadResult {
  original_name: string;
  clean_url: string;
  /**
   * Of the file delivered, px. With a test key at most 512.
   */
  width: number;
  /**
   * Of the file delivered, px. With a test key at most 512.
   */
  height: number;
  /**
   * ZIP only for results of /v1.0/removebg.
   */
  format: 'JPG' | 'PNG' | 'WEBP' | 'ZIP';
  /**
   * PURE_WHITE_255 for white, TRANSPARENT, or the colour asked for as #RRGGBB.
   */
  background: string;
  /**
   * Whether the result meets Amazon's rules and this service's own figures, as measured: fill within half a percent of 85 %, centred, no shadow, a longer side of at least 1,000 px. Stricter than compliance for amazon. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
   */
  amazon_compliant: boolean;
  batch_id: string;
  image_id: string;
  preview_url: string;
  /**
   * SHA-256 of the file behind the download URL, lower-case hex.
   */
  sha256: string;
  /**
   * When the URLs stop working; the status response mints fresh ones.
   */
  expires_at: string;
  product_box: ProductBox;
  /**
   * How sure the matte is. From 0.9 on it was right 95 to 97 times of 100 on photos that it was not made on; below 0.5 let a person look at the result. 1 where nothing was guessed: the photo brought its own cut-out, or the request its matte.
   */
  matte_confidence: number;
  /**
   * True where the product had to be enlarged to fill the canvas.
   */
  upscaled: boolean;
  /**
   * Time spent on it, whole ms.
   */
  processing_ms: number;
  compliance: Compliance;
  /**
   * With `marketplaces`: one file for each, in the order asked for. The first is also the result itself; all of them cost one credit together.
   */
  outputs?: Output[];
  /**
   * What was found about the photo that was sent; empty where nothing was.
   */
  findings: Finding[];
  review?: Review;
}
/**
 * Box of the product in the output, px. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
 */
export interface ProductBox {
  x: number;
  y: number;
  width: number;
  height: number;
}
/**
 * Measured on the decoded output file. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
 */
export interface Compliance {
  marketplace:
    | 'amazon'
    | 'walmart'
    | 'ebay'
    | 'etsy'
    | 'google'
    | 'shopify'
    | 'tiktok-shop'
    | 'zalando'
    | 'bol'
    | 'mercado-libre'
    | 'kaufland'
    | 'allegro'
    | 'coupang'
    | 'lazada'
    | 'shopee'
    | 'meta'
    | 'noon'
    | 'aliexpress';
  /**
   * True when every required rule of the marketplace is met.
   */
  passed: boolean;
  checks: ComplianceCheck[];
}
export interface ComplianceCheck {
  rule:
    | 'background_white'
    | 'product_fill'
    | 'specified_fill'
    | 'product_side'
    | 'centred'
    | 'colour_space'
    | 'bit_depth'
    | 'longest_side'
    | 'shortest_side'
    | 'size'
    | 'zoom_side'
    | 'advised_side'
    | 'largest_side'
    | 'pixels'
    | 'advised_pixels'
    | 'aspect'
    | 'file_bytes'
    | 'format'
    | 'jpeg_quality';
  /**
   * required: a listing may be refused for it. recommended: it is not. service: what the service itself promises, not a rule of the marketplace.
   */
  severity: 'required' | 'recommended' | 'service';
  required: string;
  measured: string;
  passed: boolean;
}
/**
 * The file of one marketplace.
 */
export interface Output {
  marketplace:
    | 'amazon'
    | 'walmart'
    | 'ebay'
    | 'etsy'
    | 'google'
    | 'shopify'
    | 'tiktok-shop'
    | 'zalando'
    | 'bol'
    | 'mercado-libre'
    | 'kaufland'
    | 'allegro'
    | 'coupang'
    | 'lazada'
    | 'shopee'
    | 'meta'
    | 'noon'
    | 'aliexpress';
  filename: string;
  /**
   * Not there once the file was removed at the end of its life.
   */
  output_url?: string;
  /**
   * Of the file delivered, px. With a test key at most 512.
   */
  width: number;
  /**
   * Of the file delivered, px. With a test key at most 512.
   */
  height: number;
  /**
   * Of the file.
   */
  bytes: number;
  /**
   * ZIP only for results of /v1.0/removebg.
   */
  format: 'JPG' | 'PNG' | 'WEBP' | 'ZIP';
  background: string;
  /**
   * SHA-256 of the file behind the download URL, lower-case hex.
   */
  sha256: string;
  product_box: ProductBox;
  /**
   * True where the product had to be enlarged to fill the canvas.
   */
  upscaled: boolean;
  compliance: Compliance;
}
/**
 * Something about the photo that was sent.
 */
export interface Finding {
  /**
   * Stable: branch on this. /docs/findings explains each.
   */
  code:
    | 'product_cropped'
    | 'source_too_small'
    | 'source_blurred'
    | 'several_products'
    | 'text_or_logo_overlay'
    | 'person_in_photo'
    | 'border_or_frame'
    | 'collage'
    | 'low_confidence'
    | 'already_white'
    | 'looks_like_screenshot';
  /**
   * required: a listing is refused for it on one of `marketplaces`; recommended: it is not; info: nothing to mend.
   */
  severity: 'required' | 'recommended' | 'info';
  /**
   * What was measured on this photo.
   */
  detail: string;
  /**
   * Where it is; null where the whole photo is meant.
   */
  box: FindingBox | null;
  /**
   * What to do about it.
   */
  remedy: string;
  /**
   * For which of them it matters.
   *
   * @maxItems 100
   */
  marketplaces: string[];
}
/**
 * Pixels of the photo as sent, turned upright; `x`, `y` is the upper left corner.
 */
export interface FindingBox {
  x: number;
  y: number;
  width: number;
  height: number;
}
/**
 * The verdict on an image and all its files, from compliance, findings and confidence; never `ready` below a confidence of 0.9. An answer that an earlier release stored and that is replayed has none.
 */
export interface Review {
  /**
   * ready: nothing that is measured speaks against listing it. needs_a_look: a person should look at it first. retake: only another photo helps.
   */
  verdict: 'ready' | 'needs_a_look' | 'retake';
  /**
   * The worst first; empty with `ready`.
   *
   * @maxItems 12
   */
  reasons: ReviewReason[];
}
export interface ReviewReason {
  /**
   * Stable: a finding's, or `rule_not_met` for a required rule of a marketplace.
   */
  code:
    | 'product_cropped'
    | 'source_too_small'
    | 'source_blurred'
    | 'several_products'
    | 'text_or_logo_overlay'
    | 'person_in_photo'
    | 'border_or_frame'
    | 'collage'
    | 'low_confidence'
    | 'already_white'
    | 'looks_like_screenshot'
    | 'rule_not_met';
  /**
   * What was measured.
   */
  detail: string;
  /**
   * What to do about it.
   */
  remedy: string;
}
export interface UploadFailedResult {
  original_name: string;
  image_id: string;
  batch_id: string;
  error: ImageError;
}
export interface ImageError {
  code: string;
  detail: string;
  /**
   * What to do about it, where a finding ended the image (`on_finding=fail`).
   */
  remedy?: string;
}
export interface BatchCreated {
  success: boolean;
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed';
  request_id: string;
  batch_id: string;
  charged_images: number;
  remaining_api_credits_usd: string;
  images: AcceptedImage[];
  /**
   * With `Prefer: respond-async`: files that became no image. `images` are the others, in order.
   */
  refused?: RefusedFile[];
}
export interface AcceptedImage {
  image_id: string;
  status: 'queued' | 'processing' | 'completed' | 'failed';
}
/**
 * A file of an upload that became no image: it is in no batch and costs nothing.
 */
export interface RefusedFile {
  original_name: string;
  error: ImageError;
}
/**
 * RFC 9457 problem document.
 */
export interface Problem {
  /**
   * Where the code is explained, an absolute URL.
   */
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  success: false;
  retryable: boolean;
  batch_id?: string;
  status_url?: string;
  errors?: FieldError[];
  [k: string]: unknown;
}
/**
 * One field or file at fault.
 */
export interface FieldError {
  field: string;
  code: string;
  detail: string;
  /**
   * What to do about it, where a finding ended the image (`on_finding=fail`).
   */
  remedy?: string;
}
/**
 * Findings about one photo. Nothing was made, and nothing was charged.
 */
export interface Check {
  success: true;
  request_id: string;
  check_id: string;
  original_name: string;
  /**
   * The one whose defaults and rules the options asked for.
   */
  marketplace:
    | 'amazon'
    | 'walmart'
    | 'ebay'
    | 'etsy'
    | 'google'
    | 'shopify'
    | 'tiktok-shop'
    | 'zalando'
    | 'bol'
    | 'mercado-libre'
    | 'kaufland'
    | 'allegro'
    | 'coupang'
    | 'lazada'
    | 'shopee'
    | 'meta'
    | 'noon'
    | 'aliexpress';
  /**
   * Of the photo, turned upright, px.
   */
  width: number;
  height: number;
  /**
   * Null where no product was found.
   */
  product_box: FindingBox | null;
  /**
   * How sure the fast matte is of the product.
   */
  matte_confidence: number;
  /**
   * What was found about the photo that was sent; empty where nothing was.
   */
  findings: Finding[];
  /**
   * Time spent on it, whole ms.
   */
  processing_ms: number;
}
export interface BatchStatus {
  /**
   * False once every image has failed; before the end, and after any image, true.
   */
  success: boolean;
  request_id: string;
  batch_id: string;
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed';
  progress: BatchProgress;
  /**
   * What the batch costs as it stands: images charged, and those under way, whose credits are held. A failed image is not among them. 0 with a test key.
   */
  charged_images: number;
  /**
   * Failed images, whose credits were returned; no part of `charged_images`.
   */
  refunded_images: number;
  remaining_api_credits_usd: string;
  created_at: string;
  completed_at: string | null;
  /**
   * Why the batch was ended before its images were done. Those not begun by then failed with `batch_stopped` and cost nothing; those on their way ended as they would have.
   */
  end_reason?: 'key_revoked';
  images: StatusImage[];
}
/**
 * Images of the batch, by status.
 */
export interface BatchProgress {
  total: number;
  queued: number;
  processing: number;
  completed: number;
  failed: number;
}
export interface UnfinishedImage {
  image_id: string;
  status: 'queued' | 'processing';
}
export interface FailedImage {
  image_id: string;
  status: 'failed';
  error: ImageError;
}
/**
 * One whose files were removed at the end of their life carries no URLs.
 */
export interface CompletedImage {
  image_id: string;
  status: 'completed';
  filename: string;
  clean_download_url?: string;
  batch_id: string;
  preview_url?: string;
  /**
   * SHA-256 of the file behind the download URL, lower-case hex.
   */
  sha256: string;
  /**
   * When the URLs stop working; the status response mints fresh ones.
   */
  expires_at?: string;
  product_box: ProductBox;
  /**
   * How sure the matte is. From 0.9 on it was right 95 to 97 times of 100 on photos that it was not made on; below 0.5 let a person look at the result. 1 where nothing was guessed: the photo brought its own cut-out, or the request its matte.
   */
  matte_confidence: number;
  /**
   * True where the product had to be enlarged to fill the canvas.
   */
  upscaled: boolean;
  /**
   * Time spent on it, whole ms.
   */
  processing_ms: number;
  compliance: Compliance;
  /**
   * With `marketplaces`: one file for each, in the order asked for. The first is also the result itself; all of them cost one credit together.
   */
  outputs?: Output[];
  /**
   * What was found about the photo that was sent; empty where nothing was.
   */
  findings: Finding[];
  review?: Review;
  /**
   * Of the file delivered, px. With a test key at most 512.
   */
  width: number;
  /**
   * Of the file delivered, px. With a test key at most 512.
   */
  height: number;
  /**
   * ZIP only for results of /v1.0/removebg.
   */
  format: 'JPG' | 'PNG' | 'WEBP' | 'ZIP';
  background: string;
  /**
   * Whether the result meets Amazon's rules and this service's own figures, as measured: fill within half a percent of 85 %, centred, no shadow, a longer side of at least 1,000 px. Stricter than compliance for amazon. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
   */
  amazon_compliant: boolean;
}
/**
 * Deleted by its owner; it counts on as what it was.
 */
export interface DeletedImage {
  image_id: string;
  status: 'deleted';
}
/**
 * Begun, and gone on with until it is done.
 */
export interface Deleting {
  success: true;
  request_id: string;
  batch_id?: string;
  status: 'deleting';
}
export interface Account {
  success: true;
  request_id: string;
  account_id: string;
  available_credits: number;
  held_credits: number;
  spent_credits: number;
  granted_credits: number;
  remaining_api_credits_usd: number;
  held_api_credits_usd: number;
  price_per_image_usd: number;
  /**
   * Days that results of batches sent from now on are kept; 0: until their first complete download; null: as the service keeps them, 7 days.
   */
  retention_days: number | null;
}
export interface Retention {
  success: true;
  request_id: string;
  /**
   * Days that results of batches sent from now on are kept; 0: until their first complete download; null: as the service keeps them, 7 days.
   */
  retention_days: number | null;
}
export interface KeyList {
  success: true;
  request_id: string;
  /**
   * Newest first, revoked ones too.
   */
  keys: ApiKey[];
}
export interface ApiKey {
  key_id: string;
  mode: 'live' | 'test';
  label: string;
  /**
   * Prefix and last four characters of its newest secret.
   */
  masked: string;
  scopes: ('images:write' | 'batches:read' | 'account:read' | 'admin')[];
  expires_at: string | null;
  allowed_ips: string[] | null;
  daily_credit_cap: number | null;
  /**
   * Of the cap, on this UTC day; null where there is no cap.
   */
  credits_used_today: number | null;
  created_at: string;
  /**
   * The key that made it; null: the developer portal.
   */
  created_by: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  /**
   * Until when a secret that was rolled still works; null: none does.
   */
  older_secrets_until: string | null;
}
export interface KeySecret {
  success: true;
  request_id: string;
  key: ApiKey;
  /**
   * The whole key. It is shown here once and is nowhere else.
   */
  secret: string;
}
export interface KeyAnswer {
  success: true;
  request_id: string;
  key: ApiKey;
}
/**
 * Every rule that the service knows of, with where it is written.
 */
export interface Marketplaces {
  success: true;
  request_id: string;
  marketplaces: Marketplace[];
}
export interface Marketplace {
  name:
    | 'amazon'
    | 'walmart'
    | 'ebay'
    | 'etsy'
    | 'google'
    | 'shopify'
    | 'tiktok-shop'
    | 'zalando'
    | 'bol'
    | 'mercado-libre'
    | 'kaufland'
    | 'allegro'
    | 'coupang'
    | 'lazada'
    | 'shopee'
    | 'meta'
    | 'noon'
    | 'aliexpress';
  /**
   * As the marketplace writes its own name.
   */
  label: string;
  /**
   * Default canvas, px.
   */
  canvas: {
    width: number;
    height: number;
  };
  /**
   * Default share of the canvas that the product takes.
   */
  fill: number;
  /**
   * Default format.
   */
  format: 'jpg' | 'png' | 'webp';
  rules: {
    rule:
      | 'background_white'
      | 'product_fill'
      | 'specified_fill'
      | 'product_side'
      | 'centred'
      | 'colour_space'
      | 'bit_depth'
      | 'longest_side'
      | 'shortest_side'
      | 'size'
      | 'zoom_side'
      | 'advised_side'
      | 'largest_side'
      | 'pixels'
      | 'advised_pixels'
      | 'aspect'
      | 'file_bytes'
      | 'format'
      | 'jpeg_quality';
    requires: Requirement;
    /**
     * required: a listing may be refused for it.
     */
    severity: 'required' | 'recommended';
    /**
     * Where it is written.
     */
    source: string;
    /**
     * When that was read, or the date on the page itself.
     */
    as_of: string;
    /**
     * official: the text was read on a page of the marketplace. secondary: it was read in a copy, or where somebody else cites that page.
     */
    evidence: 'official' | 'secondary';
    note?: string;
    /**
     * The rule in words.
     */
    required: string;
  }[];
}
export interface WebhookEvents {
  success: true;
  request_id: string;
  /**
   * Signs these deliveries: this key's own, `whsec_…`.
   */
  secret: string;
  events: WebhookEvent[];
  /**
   * Goes into `after` of the next call.
   */
  next: string;
  /**
   * True where events after the one asked for are not known any more: the listener was away.
   */
  missing: boolean;
}
export interface WebhookEvent {
  /**
   * By the Standard Webhooks specification.
   */
  headers: {
    [k: string]: string;
  };
  /**
   * As signed: the status of a batch, as JSON.
   */
  body: string;
}

/** Every code of the API's errors. */
export type ErrorCode =
  | 'batch_deleted'
  | 'batch_not_found'
  | 'batch_stopped'
  | 'body_too_large'
  | 'body_too_slow'
  | 'border_or_frame'
  | 'check_quota_exceeded'
  | 'deadline_exceeded'
  | 'download_expired'
  | 'download_invalid'
  | 'download_revoked'
  | 'file_empty'
  | 'file_too_large'
  | 'idempotency_in_flight'
  | 'idempotency_key_invalid'
  | 'idempotency_mismatch'
  | 'image_not_found'
  | 'image_too_large'
  | 'image_too_small'
  | 'images_in_progress'
  | 'insufficient_credits'
  | 'internal_error'
  | 'invalid_matte'
  | 'invalid_options'
  | 'invalid_request'
  | 'key_address_not_allowed'
  | 'key_expired'
  | 'key_grants_exceeded'
  | 'key_malformed'
  | 'key_missing'
  | 'key_not_found'
  | 'key_not_usable'
  | 'key_revoked'
  | 'key_scope_missing'
  | 'key_spending_cap_reached'
  | 'key_unknown'
  | 'malformed_request'
  | 'method_not_allowed'
  | 'no_files'
  | 'no_product_found'
  | 'not_found'
  | 'not_ready'
  | 'origin_busy'
  | 'origin_unavailable'
  | 'outcome_unknown'
  | 'output_too_large'
  | 'processing_failed'
  | 'product_cropped'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'result_deleted'
  | 'result_delivered'
  | 'result_missing'
  | 'source_blurred'
  | 'source_too_small'
  | 'test_quota_exceeded'
  | 'text_or_logo_overlay'
  | 'too_many_files'
  | 'too_many_images'
  | 'too_many_keys'
  | 'undecodable_image'
  | 'unreadable_image'
  | 'unsupported_content_type'
  | 'unsupported_heic'
  | 'unsupported_media_type'
  | 'url_forbidden'
  | 'url_invalid'
  | 'url_not_an_image'
  | 'url_server_error'
  | 'url_status'
  | 'url_timeout'
  | 'url_too_many_redirects'
  | 'url_unreachable';
