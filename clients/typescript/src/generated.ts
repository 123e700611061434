/** Generated from the OpenAPI document by generate.ts; a change here is lost. */
export type BatchRequest = ManyImagesRequest | OneImageRequest;
export type StatusImage = UnfinishedImage | FailedImage | CompletedImage;

export interface ManyImagesRequest {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  images: BatchItem[];
  options?: Options;
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
  marketplace?: 'amazon' | 'walmart' | 'ebay' | 'etsy' | 'google' | 'shopify';
  /**
   * Side of the square canvas, px. Only with layout hero.
   */
  canvas?: number;
  /**
   * Longer side of the product box ÷ canvas side. Only with layout hero.
   */
  fill?: number;
  /**
   * File format of the result.
   */
  format?: 'jpg' | 'png' | 'webp';
  /**
   * Encoder quality. Not with png.
   */
  quality?: number;
  /**
   * white, transparent (png or webp) or a colour like #f4f4f4.
   */
  background?: string;
  /**
   * hero: product centred on a square canvas. original: same framing as the input.
   */
  layout?: 'hero' | 'original';
  /**
   * soft: a contact shadow below the product. Not with a transparent background.
   */
  shadow?: 'none' | 'soft';
}
export interface OneImageRequest {
  input_url: string;
  filename?: string;
  options?: Options;
  webhook_url?: string;
}
export interface RemovebgForm {
  /**
   * Takes a JPEG, PNG, WebP, AVIF, TIFF or GIF file, 25 MB at most. In multipart/form-data. More formats and larger files than there. Compared with remove.bg: same.
   */
  image_file?: string;
  /**
   * Takes a file in base64, 12 MB at most. Larger files go into image_file. Compared with remove.bg: approximated.
   */
  image_file_b64?: string;
  /**
   * Takes a public http(s) address. Compared with remove.bg: same.
   */
  image_url?: string;
  /**
   * preview, the default, also called small and regular (0.25 megapixels), is free up to 200 a day for the account, test images included; the others cost one credit. auto is full (25 megapixels) where the account has a credit, else preview. PNG has no lower bound of its own. Compared with remove.bg: approximated.
   */
  size?: 'preview' | 'small' | 'regular' | 'medium' | 'hd' | 'full' | '4k' | 'auto' | '50MP';
  /**
   * One model finds any product. Other types cannot be insisted on. Compared with remove.bg: approximated.
   */
  type?: 'auto' | 'product';
  /**
   * X-Type is always product; with none it is left out. Compared with remove.bg: approximated.
   */
  type_level?: '1' | '2' | 'none' | 'latest';
  /**
   * auto is jpg with an opaque background, else png, also where the product happens to fill the frame. Compared with remove.bg: approximated.
   */
  format?: 'auto' | 'png' | 'jpg' | 'webp' | 'zip';
  /**
   * alpha with auto is a grey PNG, and takes no background, shadow or zip. Compared with remove.bg: same.
   */
  channels?: 'rgba' | 'alpha';
  /**
   * Takes a hex code of 3, 4, 6 or 8 digits, or a CSS colour name. Compared with remove.bg: same.
   */
  bg_color?: string;
  /**
   * Takes a public http(s) address. Centred, and as large as it takes to fill the frame. Compared with remove.bg: same.
   */
  bg_image_url?: string;
  /**
   * Takes a JPEG, PNG, WebP, AVIF, TIFF or GIF file, 25 MB at most. Centred, and as large as it takes to fill the frame. Compared with remove.bg: same.
   */
  bg_image_file?: string;
  /**
   * Takes x1 y1 x2 y2, each in px or %. At least 16 px wide and high. Compared with remove.bg: same.
   */
  roi?: string;
  /**
   * Compared with remove.bg: same.
   */
  crop?: 'true' | 'false';
  /**
   * Takes one, two or four lengths in px or %, at most 500px or 50% each. Pixels are those of the result. Without crop it has no effect, as there. Compared with remove.bg: same.
   */
  crop_margin?: string;
  /**
   * Takes 10% to 100%, or original. Compared with remove.bg: same.
   */
  scale?: string;
  /**
   * Takes original, center, one or two of 0% to 100%. Compared with remove.bg: same.
   */
  position?: string;
  /**
   * A soft contact shadow below any product, transparent where the background is. Compared with remove.bg: approximated.
   */
  add_shadow?: 'true' | 'false';
  /**
   * auto is the contact shadow of add_shadow. No other one is drawn. Compared with remove.bg: approximated.
   */
  shadow_type?: 'none' | 'auto';
  /**
   * The shadow has one strength. Compared with remove.bg: refused.
   */
  shadow_opacity?: '100';
  /**
   * There is one method. Compared with remove.bg: refused.
   */
  shadow_method?: 'latest';
  /**
   * With false, what is partly transparent away from the outline becomes solid. With true, the default, the product is as the model finds it. Compared with remove.bg: approximated.
   */
  semitransparency?: 'true' | 'false';
}
export interface RemovebgParameters {
  /**
   * Takes a file in base64, 12 MB at most. Larger files go into image_file. Compared with remove.bg: approximated.
   */
  image_file_b64?: string;
  /**
   * Takes a public http(s) address. Compared with remove.bg: same.
   */
  image_url?: string;
  /**
   * preview, the default, also called small and regular (0.25 megapixels), is free up to 200 a day for the account, test images included; the others cost one credit. auto is full (25 megapixels) where the account has a credit, else preview. PNG has no lower bound of its own. Compared with remove.bg: approximated.
   */
  size?: 'preview' | 'small' | 'regular' | 'medium' | 'hd' | 'full' | '4k' | 'auto' | '50MP';
  /**
   * One model finds any product. Other types cannot be insisted on. Compared with remove.bg: approximated.
   */
  type?: 'auto' | 'product';
  /**
   * X-Type is always product; with none it is left out. Compared with remove.bg: approximated.
   */
  type_level?: '1' | '2' | 'none' | 'latest';
  /**
   * auto is jpg with an opaque background, else png, also where the product happens to fill the frame. Compared with remove.bg: approximated.
   */
  format?: 'auto' | 'png' | 'jpg' | 'webp' | 'zip';
  /**
   * alpha with auto is a grey PNG, and takes no background, shadow or zip. Compared with remove.bg: same.
   */
  channels?: 'rgba' | 'alpha';
  /**
   * Takes a hex code of 3, 4, 6 or 8 digits, or a CSS colour name. Compared with remove.bg: same.
   */
  bg_color?: string;
  /**
   * Takes a public http(s) address. Centred, and as large as it takes to fill the frame. Compared with remove.bg: same.
   */
  bg_image_url?: string;
  /**
   * Takes x1 y1 x2 y2, each in px or %. At least 16 px wide and high. Compared with remove.bg: same.
   */
  roi?: string;
  /**
   * Compared with remove.bg: same.
   */
  crop?: 'true' | 'false';
  /**
   * Takes one, two or four lengths in px or %, at most 500px or 50% each. Pixels are those of the result. Without crop it has no effect, as there. Compared with remove.bg: same.
   */
  crop_margin?: string;
  /**
   * Takes 10% to 100%, or original. Compared with remove.bg: same.
   */
  scale?: string;
  /**
   * Takes original, center, one or two of 0% to 100%. Compared with remove.bg: same.
   */
  position?: string;
  /**
   * A soft contact shadow below any product, transparent where the background is. Compared with remove.bg: approximated.
   */
  add_shadow?: 'true' | 'false';
  /**
   * auto is the contact shadow of add_shadow. No other one is drawn. Compared with remove.bg: approximated.
   */
  shadow_type?: 'none' | 'auto';
  /**
   * The shadow has one strength. Compared with remove.bg: refused.
   */
  shadow_opacity?: '100';
  /**
   * There is one method. Compared with remove.bg: refused.
   */
  shadow_method?: 'latest';
  /**
   * With false, what is partly transparent away from the outline becomes solid. With true, the default, the product is as the model finds it. Compared with remove.bg: approximated.
   */
  semitransparency?: 'true' | 'false';
}
export interface RemovebgJson {
  image_file_b64?: string | boolean | number | null;
  image_url?: string | boolean | number | null;
  size?:
    ('preview' | 'small' | 'regular' | 'medium' | 'hd' | 'full' | '4k' | 'auto' | '50MP') | boolean | number | null;
  type?: ('auto' | 'product') | boolean | number | null;
  type_level?: ('1' | '2' | 'none' | 'latest') | boolean | number | null;
  format?: ('auto' | 'png' | 'jpg' | 'webp' | 'zip') | boolean | number | null;
  channels?: ('rgba' | 'alpha') | boolean | number | null;
  bg_color?: string | boolean | number | null;
  bg_image_url?: string | boolean | number | null;
  roi?: string | boolean | number | null;
  crop?: ('true' | 'false') | boolean | number | null;
  crop_margin?: string | boolean | number | null;
  scale?: string | boolean | number | null;
  position?: string | boolean | number | null;
  add_shadow?: ('true' | 'false') | boolean | number | null;
  shadow_type?: ('none' | 'auto') | boolean | number | null;
  shadow_opacity?: '100' | boolean | number | null;
  shadow_method?: 'latest' | boolean | number | null;
  semitransparency?: ('true' | 'false') | boolean | number | null;
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
   * Whether the result meets Amazon's rules, as measured. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
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
   * How sure the matte is: 1 means no doubtful pixel.
   */
  matte_confidence: number;
  /**
   * True where the product had to be enlarged to fill the canvas.
   */
  upscaled: boolean;
  processing_ms: number;
  compliance: Compliance;
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
  marketplace: 'amazon' | 'walmart' | 'ebay' | 'etsy' | 'google' | 'shopify';
  passed: boolean;
  checks: ComplianceCheck[];
}
export interface ComplianceCheck {
  rule: 'background_white' | 'product_fill' | 'centred' | 'colour_space' | 'bit_depth' | 'longest_side' | 'format';
  required: string;
  measured: string;
  passed: boolean;
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
}
export interface BatchCreated {
  success: boolean;
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed';
  request_id: string;
  batch_id: string;
  charged_images: number;
  remaining_api_credits_usd: string;
  images: AcceptedImage[];
}
export interface AcceptedImage {
  image_id: string;
  status: 'queued' | 'processing' | 'completed' | 'failed';
}
/**
 * RFC 9457 problem document.
 */
export interface Problem {
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
}
export interface BatchStatus {
  success: boolean;
  request_id: string;
  batch_id: string;
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed';
  progress: BatchProgress;
  charged_images: number;
  refunded_images: number;
  remaining_api_credits_usd: string;
  created_at: string;
  completed_at: string | null;
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
   * How sure the matte is: 1 means no doubtful pixel.
   */
  matte_confidence: number;
  /**
   * True where the product had to be enlarged to fill the canvas.
   */
  upscaled: boolean;
  processing_ms: number;
  compliance: Compliance;
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
   * Whether the result meets Amazon's rules, as measured. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
   */
  amazon_compliant: boolean;
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
}
export interface RemovebgResult {
  data: {
    result_b64: string;
    foreground_top: number;
    foreground_left: number;
    foreground_width: number;
    foreground_height: number;
  };
}
export interface RemovebgErrors {
  /**
   * @minItems 1
   */
  errors: {
    title: string;
    code: string;
    detail: string;
  }[];
  batch_id?: string;
  status_url?: string;
  [k: string]: unknown;
}
export interface RemovebgAccount {
  data: {
    attributes: {
      credits: {
        total: number;
        subscription: number;
        payg: number;
        enterprise: number;
      };
      api: {
        /**
         * Free previews that a day (UTC) allows.
         */
        free_calls: number;
        sizes: string;
      };
    };
  };
}

/** Every code of the API's errors. */
export type ErrorCode =
  | 'batch_not_found'
  | 'body_too_large'
  | 'body_too_slow'
  | 'deadline_exceeded'
  | 'download_expired'
  | 'download_invalid'
  | 'file_empty'
  | 'file_too_large'
  | 'idempotency_in_flight'
  | 'idempotency_key_invalid'
  | 'idempotency_mismatch'
  | 'image_too_large'
  | 'image_too_small'
  | 'insufficient_credits'
  | 'internal_error'
  | 'invalid_options'
  | 'invalid_request'
  | 'key_malformed'
  | 'key_missing'
  | 'key_revoked'
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
  | 'processing_failed'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'result_missing'
  | 'test_quota_exceeded'
  | 'too_many_files'
  | 'too_many_images'
  | 'unreadable_image'
  | 'unsupported_content_type'
  | 'unsupported_media_type';
