/** Examples of the OpenAPI document, typed by the schemas they illustrate. */
import type { z } from 'zod';
import type {
  accountSchema,
  BalanceLow,
  BatchCreated,
  BatchRequest,
  BatchStatusResponse,
  Compliance,
  deletingSchema,
  MarketplacesResponse,
  Output,
  StatusImage,
  UploadFailedResult,
  UploadResponse,
  UploadResult,
  webhookEventsSchema,
} from '../../../shared/api.ts';
import type { PublicFinding } from '../../../shared/check-api.ts';
import { type ErrorCode, errors } from '../../../shared/errors.ts';
import { remedyOf } from '../../../shared/finding-texts.ts';
import type { Options } from '../../../shared/options.ts';
import { statusPath } from '../../../shared/paths.ts';

const BATCH = '01k9zq4v7m8n2p5r6s7t8v9w0x';
const BATCH_ID = `bat_${BATCH}`;
const ACCOUNT_ID = 'acc_01k9zq0000r4t6y8v0n2p4s6w8';
export const REQUEST_ID = 'req_01k9zq4v7kq3w5e7r9t1y3v5n7';
const imageIdAt = (index: number): string => `img_${BATCH}_${String(index).padStart(4, '0')}`;
const linkTo = (filename: string): string =>
  `https://packshot.example/api/v1/downloads/WyJyZXN1bHRzIl0.7hT2mZ0pQxVb3yN5c8K1dLr4sW6uE9aG0jF2iH3oB5c/${filename}`;

const compliance: Compliance = {
  marketplace: 'amazon',
  passed: true,
  checks: [
    {
      rule: 'background_white',
      severity: 'required',
      required: 'every pixel outside the product and its shadow is (255, 255, 255)',
      measured: '0 pixels outside the product are not',
      passed: true,
    },
    {
      rule: 'product_fill',
      severity: 'required',
      required: 'at least 0.845 of the canvas',
      measured: '0.8500',
      passed: true,
    },
  ],
};

export const findingExample: PublicFinding = {
  code: 'product_cropped',
  severity: 'required',
  detail: 'The product touches the upper edge of the photo along 212 px.',
  box: { x: 640, y: 0, width: 212, height: 12 },
  remedy: 'Take the photo again with some background above the product.',
  marketplaces: ['amazon', 'walmart'],
};

const links = (stem: string) => ({
  preview_url: linkTo(`${stem}-preview.jpg`),
  expires_at: '2026-11-22T09:30:00.000Z',
});

const measured = {
  width: 2000,
  height: 2000,
  format: 'JPG' as const,
  background: 'PURE_WHITE_255',
  amazon_compliant: true,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  product_box: { x: 150, y: 212, width: 1700, height: 1576 },
  matte_confidence: 0.98,
  upscaled: false,
  processing_ms: 1_180,
  compliance,
};

const delivered = (name: string, index: number): UploadResult => ({
  original_name: name,
  clean_url: linkTo('mug.jpg'),
  image_id: imageIdAt(index),
  batch_id: BATCH_ID,
  ...measured,
  findings: [],
  review: { verdict: 'ready', reasons: [] },
  ...links('mug'),
});

const output = (marketplace: Output['marketplace'], side: number): Output => {
  const filename = marketplace === 'amazon' ? 'mug.jpg' : `mug-${marketplace}.jpg`;
  const { format, background, sha256, upscaled } = measured;
  const at = (share: number): number => Math.round(side * share);
  return {
    marketplace,
    filename,
    output_url: linkTo(filename),
    width: side,
    height: side,
    bytes: 412_903,
    format,
    background,
    sha256,
    product_box: { x: at(0.075), y: at(0.106), width: at(0.85), height: at(0.788) },
    upscaled,
    compliance: { ...compliance, marketplace },
  };
};

const refused: UploadFailedResult = {
  original_name: 'wall.jpg',
  image_id: imageIdAt(1),
  batch_id: BATCH_ID,
  error: { code: 'no_product_found', detail: errors.no_product_found.title },
};

const uploadFacts = {
  cost_usd: 0.25,
  remaining_api_credits_usd: 249.75,
  request_id: REQUEST_ID,
  batch_id: BATCH_ID,
} as const;

export const uploadExamples: Record<string, { summary: string; value: UploadResponse }> = {
  processed: {
    summary: 'Every file was processed',
    value: { success: true, processed_count: 1, results: [delivered('mug.jpg', 0)], ...uploadFacts },
  },
  marketplaces: {
    summary: 'One photo for two marketplaces, one credit',
    value: {
      success: true,
      processed_count: 1,
      results: [{ ...delivered('mug.jpg', 0), outputs: [output('amazon', 2000), output('walmart', 2200)] }],
      ...uploadFacts,
    },
  },
  partial: {
    summary: 'One file of two failed and was not charged',
    value: { success: false, processed_count: 1, results: [delivered('mug.jpg', 0), refused], ...uploadFacts },
  },
};

export const createdExamples: Record<string, { summary: string; value: BatchCreated }> = {
  queued: {
    summary: 'A batch of two URLs, or an upload with Prefer: respond-async',
    value: {
      success: true,
      status: 'queued',
      request_id: REQUEST_ID,
      batch_id: BATCH_ID,
      charged_images: 2,
      remaining_api_credits_usd: '$249.50',
      images: [0, 1].map((index) => ({ image_id: imageIdAt(index), status: 'queued' })),
    },
  },
};

const options: Options = { marketplace: 'amazon', format: 'jpg', quality: 92 };

export const formExamples: Record<string, { summary: string; value: Options & { files: string[] } }> = {
  one: { summary: 'One photo with the defaults', value: { files: ['(bytes of mug.jpg)'] } },
  marketplaces: {
    summary: 'One photo for two marketplaces',
    value: { files: ['(bytes of mug.jpg)'], marketplaces: 'amazon,walmart' },
  },
  several: {
    summary: 'Two photos with options',
    value: { files: ['(bytes of mug.jpg)', '(bytes of lamp.png)'], marketplace: 'walmart', shadow: 'soft' },
  },
};

export const batchExamples: Record<string, { summary: string; value: BatchRequest }> = {
  several: {
    summary: 'Two URLs, options and a webhook',
    value: {
      images: [
        { input_url: 'https://shop.example/mug.jpg', filename: 'mug-main.jpg' },
        { input_url: 'https://shop.example/lamp.png' },
      ],
      options,
      webhook_url: 'https://shop.example/hooks/packshot',
    },
  },
  one: { summary: 'One URL', value: { input_url: 'https://shop.example/mug.jpg' } },
};

const imageDone: StatusImage = {
  image_id: imageIdAt(0),
  status: 'completed',
  filename: 'mug-main.jpg',
  clean_download_url: linkTo('mug-main.jpg'),
  batch_id: BATCH_ID,
  ...measured,
  findings: [findingExample],
  review: {
    verdict: 'retake',
    reasons: [{ code: 'product_cropped', detail: findingExample.detail, remedy: findingExample.remedy }],
  },
  ...links('mug-main'),
};
const imageFailed: StatusImage = {
  image_id: imageIdAt(1),
  status: 'failed',
  error: { code: 'url_status', detail: 'The input_url answered 404' },
};

const batchFacts = {
  success: true,
  request_id: REQUEST_ID,
  batch_id: BATCH_ID,
  created_at: '2026-11-21T09:30:00.000Z',
} as const;

const processing: BatchStatusResponse = {
  ...batchFacts,
  status: 'processing',
  progress: { total: 2, queued: 0, processing: 1, completed: 1, failed: 0 },
  charged_images: 2,
  refunded_images: 0,
  remaining_api_credits_usd: '$249.50',
  completed_at: null,
  images: [imageDone, { image_id: imageIdAt(1), status: 'processing' }],
};
const ended: BatchStatusResponse = {
  ...batchFacts,
  status: 'completed_with_errors',
  progress: { total: 2, queued: 0, processing: 0, completed: 1, failed: 1 },
  charged_images: 1,
  refunded_images: 1,
  remaining_api_credits_usd: '$249.75',
  completed_at: '2026-11-21T09:30:04.100Z',
  images: [imageDone, imageFailed],
};

export const statusExamples: Record<string, { summary: string; value: BatchStatusResponse }> = {
  processing: { summary: 'One image done, one running', value: processing },
  ended: { summary: 'Ended; the failed image was refunded', value: ended },
};
export const webhookExamples = { ended: { summary: 'A batch that ended', value: ended } };

export const accountExamples: Record<string, { summary: string; value: z.infer<typeof accountSchema> }> = {
  balance: {
    summary: 'After the first image',
    value: {
      success: true,
      request_id: REQUEST_ID,
      account_id: ACCOUNT_ID,
      available_credits: 999,
      held_credits: 0,
      spent_credits: 1,
      granted_credits: 1000,
      remaining_api_credits_usd: 249.75,
      held_api_credits_usd: 0,
      price_per_image_usd: 0.25,
      retention_days: null,
    },
  },
};

/** One marketplace and one rule, in place of all. */
export const marketplacesExamples: Record<string, { summary: string; value: MarketplacesResponse }> = {
  walmart: {
    summary: 'One marketplace of all',
    value: {
      success: true,
      request_id: REQUEST_ID,
      marketplaces: [
        {
          name: 'walmart',
          label: 'Walmart',
          canvas: { width: 2200, height: 2200 },
          fill: 0.85,
          format: 'jpg',
          rules: [
            {
              rule: 'file_bytes',
              requires: { kind: 'file_bytes', max: 5_000_000 },
              required: 'at most 5 MB',
              severity: 'required',
              source: 'https://marketplacelearn.walmart.com/guides/Item%20setup',
              as_of: '2025-07-15',
              evidence: 'official',
            },
          ],
        },
      ],
    },
  },
};

const members: Partial<Record<ErrorCode, Readonly<Record<string, unknown>>>> = {
  outcome_unknown: { batch_id: BATCH_ID, status_url: statusPath(BATCH_ID) },
  insufficient_credits: { credits_required: 3, credits_available: 2 },
  key_spending_cap_reached: {
    key_id: 'key_01k9zq2a1b3c5d7e9f1g3h5j7k',
    credits_required: 3,
    daily_credit_cap: 500,
    credits_used_today: 498,
    resets_at: '2026-11-22T00:00:00.000Z',
  },
  key_scope_missing: { scope: 'admin' },
  key_grants_exceeded: {
    errors: [
      {
        field: 'daily_credit_cap',
        code: 'key_grants_exceeded',
        detail: 'The calling key may spend 500 credits a day',
      },
    ],
  },
  product_cropped: {
    errors: [
      {
        field: 'files[0]',
        code: 'product_cropped',
        detail: `mug.jpg: ${findingExample.detail}`,
        remedy: remedyOf('product_cropped'),
      },
    ],
  },
  invalid_options: {
    errors: [{ field: 'shadow', code: 'invalid_options', detail: 'a soft shadow needs a background' }],
  },
};

export const problemExample = (code: ErrorCode) => ({
  summary: errors[code].title,
  value: {
    type: `https://packshot.example/docs/errors#${code}`,
    title: errors[code].title,
    status: errors[code].status,
    detail: errors[code].title,
    code,
    request_id: REQUEST_ID,
    success: false,
    retryable: errors[code].retryable,
    ...members[code],
  },
});

export const ids = { batch: BATCH_ID, image: imageIdAt(0) } as const;

/** Begun, of a batch or one of its images, and of an account. */
export const deletingExamples = {
  batch: {
    deleting: {
      summary: 'Begun',
      value: { success: true, request_id: REQUEST_ID, batch_id: BATCH_ID, status: 'deleting' },
    },
  },
  account: {
    deleting: { summary: 'Begun', value: { success: true, request_id: REQUEST_ID, status: 'deleting' } },
  },
} satisfies Record<string, Record<string, { summary: string; value: z.infer<typeof deletingSchema> }>>;

export const balanceLowExamples: Record<string, { summary: string; value: BalanceLow }> = {
  low: {
    summary: 'The balance fell to 30 credits',
    value: {
      id: `evt_${BATCH}`,
      type: 'balance.low',
      created_at: '2026-11-21T09:30:04.100Z',
      data: { account_id: ACCOUNT_ID, balance: 30, balance_usd: '$7.50', level: 30 },
    },
  },
};

export const eventsExamples: Record<string, { summary: string; value: z.infer<typeof webhookEventsSchema> }> = {
  one: {
    summary: 'A batch ended',
    value: {
      success: true,
      request_id: REQUEST_ID,
      secret: 'whsec_5o4k4vCq0m7y5n1s0b8r2t6w9z3x1v7u4p0l8k2j6h4=',
      events: [
        {
          headers: {
            'webhook-id': `evt_${BATCH}`,
            'webhook-timestamp': '1795253404',
            'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
          },
          body: `{"success":true,"batch_id":"${BATCH_ID}","status":"completed"}`,
        },
      ],
      next: '42',
      missing: false,
    },
  },
};
