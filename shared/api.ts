/**
 * Schemas of everything the public API answers, exactly as the specification names the fields, then the additions.
 * OpenAPI is generated from these.
 */
import { z } from 'zod';
import { filename, inputAuthorization, inputUrl, publicFindings, wholeMs } from './check-api.ts';
import { findingCodes } from './findings.ts';
import { limits } from './limits.ts';
import { marketplaceNames } from './marketplaces/index.ts';
import { outputFormats } from './marketplaces/rule.ts';
import { ruleIds, ruleSchema } from './marketplaces/schema.ts';
import { optionsSchema } from './options.ts';
import { REASONS_MAX, verdicts } from './review.ts';

/** Of what is measured. */
const ofTestKeys =
  'With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.';

/** Pixels of the output file, of a test key's before it is reduced; `x`, `y` is the upper left corner. */
export const productBoxSchema = z
  .object({
    x: z.number().int(),
    y: z.number().int(),
    width: z.number().int().positive(),
    height: z.number().int().positive(),
  })
  .meta({ id: 'ProductBox', description: `Box of the product in the output, px. ${ofTestKeys}` });
export type ProductBox = z.infer<typeof productBoxSchema>;

const complianceCheckSchema = z
  .object({
    rule: z.enum(ruleIds),
    // Nodes and results from before the rules had a severity name none.
    severity: z.enum(['required', 'recommended', 'service']).default('required').meta({
      description:
        'required: a listing may be refused for it. recommended: it is not. service: what the service itself promises, not a rule of the marketplace.',
    }),
    required: z.string(),
    measured: z.string(),
    passed: z.boolean(),
  })
  .meta({ id: 'ComplianceCheck' });
export const complianceSchema = z
  .object({
    marketplace: z.enum(marketplaceNames),
    passed: z.boolean().meta({ description: 'True when every required rule of the marketplace is met.' }),
    checks: z.array(complianceCheckSchema),
  })
  .meta({ id: 'Compliance', description: `Measured on the decoded output file. ${ofTestKeys}` });
export type Compliance = z.infer<typeof complianceSchema>;
export type ComplianceCheck = z.infer<typeof complianceCheckSchema>;

const remedy = z
  .string()
  .optional()
  .meta({ description: 'What to do about it, where a finding ended the image (`on_finding=fail`).' });
const imageErrorSchema = z.object({ code: z.string(), detail: z.string(), remedy }).meta({ id: 'ImageError' });
export type ImageError = z.infer<typeof imageErrorSchema>;

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: 'SHA-256 of the file behind the download URL, lower-case hex.' });
const upscaled = z.boolean().meta({ description: 'True where the product had to be enlarged to fill the canvas.' });
const fileSide = z
  .number()
  .int()
  .meta({ description: `Of the file delivered, px. With a test key at most ${limits.testResult.sideMax}.` });

export const formatNames = { jpg: 'JPG', png: 'PNG', webp: 'WEBP', zip: 'ZIP' } as const;
const formatName = z
  .enum(['JPG', 'PNG', 'WEBP', 'ZIP'])
  .meta({ description: 'ZIP only for results of /v1.0/removebg.' });

const outputSchema = z
  .object({
    marketplace: z.enum(marketplaceNames),
    filename: z.string(),
    output_url: z.url().optional().meta({ description: 'Not there once the file was removed at the end of its life.' }),
    width: fileSide,
    height: fileSide,
    bytes: z.number().int().meta({ description: 'Of the file.' }),
    format: formatName,
    background: z.string(),
    sha256,
    product_box: productBoxSchema,
    upscaled,
    compliance: complianceSchema,
  })
  .meta({ id: 'Output', description: 'The file of one marketplace.' });
export type Output = z.infer<typeof outputSchema>;

export const reviewSchema = z
  .object({
    verdict: z.enum(verdicts).meta({
      description:
        'ready: nothing that is measured speaks against listing it. needs_a_look: a person should look at it first. retake: only another photo helps.',
    }),
    reasons: z
      .array(
        z
          .object({
            code: z.enum([...findingCodes, 'rule_not_met']).meta({
              description: "Stable: a finding's, or `rule_not_met` for a required rule of a marketplace.",
            }),
            detail: z.string().meta({ description: 'What was measured.' }),
            remedy: z.string().meta({ description: 'What to do about it.' }),
          })
          .meta({ id: 'ReviewReason' }),
      )
      .max(REASONS_MAX)
      .meta({ description: 'The worst first; empty with `ready`.' }),
  })
  .meta({
    id: 'Review',
    description:
      'The verdict on an image and all its files, from compliance, findings and confidence; never `ready` below a confidence of 0.9. An answer that an earlier release stored and that is replayed has none.',
  });
export type Review = z.infer<typeof reviewSchema>;

/** Fields that every completed image carries beyond the specification, in both styles. */
const additions = {
  batch_id: z.string(),
  image_id: z.string(),
  preview_url: z.url(),
  sha256,
  expires_at: z.iso
    .datetime()
    .meta({ description: 'When the URLs stop working; the status response mints fresh ones.' }),
  product_box: productBoxSchema,
  matte_confidence: z.number().min(0).max(1).meta({
    description:
      'How sure the matte is. From 0.9 on it was right 95 to 97 times of 100 on photos that it was not made on; below 0.5 let a person look at the result. 1 where nothing was guessed: the photo brought its own cut-out, or the request its matte.',
  }),
  upscaled,
  processing_ms: wholeMs,
  compliance: complianceSchema,
  outputs: z.array(outputSchema).optional().meta({
    description:
      'With `marketplaces`: one file for each, in the order asked for. The first is also the result itself; all of them cost one credit together.',
  }),
  findings: publicFindings,
  review: reviewSchema.optional(),
};

const amazonCompliant = z.boolean().meta({
  description: `Whether the result meets Amazon's rules and this service's own figures, as measured: fill within half a percent of 85 %, centred, no shadow, a longer side of at least 1,000 px. Stricter than compliance for amazon. ${ofTestKeys}`,
});

export const uploadResultSchema = z
  .object({
    original_name: z.string(),
    clean_url: z.url(),
    width: fileSide,
    height: fileSide,
    format: formatName,
    background: z
      .string()
      .meta({ description: 'PURE_WHITE_255 for white, TRANSPARENT, or the colour asked for as #RRGGBB.' }),
    amazon_compliant: amazonCompliant,
    ...additions,
  })
  .meta({ id: 'UploadResult' });
/** A file of a partial upload that could not be processed: listed in its place, not charged. */
export const uploadFailedResultSchema = z
  .object({ original_name: z.string(), image_id: z.string(), batch_id: z.string(), error: imageErrorSchema })
  .meta({ id: 'UploadFailedResult' });

export const uploadResponseSchema = z
  .object({
    success: z.boolean().meta({ description: 'True when every file was processed.' }),
    processed_count: z.number().int(),
    cost_usd: z.number(),
    remaining_api_credits_usd: z.number(),
    results: z.array(z.union([uploadResultSchema, uploadFailedResultSchema])),
    request_id: z.string(),
    batch_id: z.string(),
  })
  .meta({ id: 'UploadResponse' });
export type UploadResponse = z.infer<typeof uploadResponseSchema>;
export type UploadResult = z.infer<typeof uploadResultSchema>;
export type UploadFailedResult = z.infer<typeof uploadFailedResultSchema>;

const batchStatuses = ['queued', 'processing', 'completed', 'completed_with_errors', 'failed'] as const;
const imageStatuses = ['queued', 'processing', 'completed', 'failed'] as const;
export type BatchStatus = (typeof batchStatuses)[number];
export type ImageStatus = (typeof imageStatuses)[number];

const dollarString = z
  .string()
  .regex(/^-?\$\d+\.\d{2}$/)
  .meta({ examples: ['$249.75'] });

const acceptedImageSchema = z
  .object({ image_id: z.string(), status: z.enum(imageStatuses) })
  .meta({ id: 'AcceptedImage' });

const refusedFileSchema = z.object({ original_name: z.string(), error: imageErrorSchema }).meta({
  id: 'RefusedFile',
  description: 'A file of an upload that became no image: it is in no batch and costs nothing.',
});
export type RefusedFile = z.infer<typeof refusedFileSchema>;

export const batchCreatedSchema = z
  .object({
    success: z.boolean(),
    status: z.enum(batchStatuses),
    request_id: z.string(),
    batch_id: z.string(),
    charged_images: z.number().int(),
    remaining_api_credits_usd: dollarString,
    images: z.array(acceptedImageSchema),
    refused: z.array(refusedFileSchema).optional().meta({
      description: 'With `Prefer: respond-async`: files that became no image. `images` are the others, in order.',
    }),
  })
  .meta({ id: 'BatchCreated' });
export type BatchCreated = z.infer<typeof batchCreatedSchema>;

const imageEntry = { image_id: z.string() };
const unfinishedImageSchema = z
  .object({ ...imageEntry, status: z.enum(['queued', 'processing']) })
  .meta({ id: 'UnfinishedImage' });
const deletedImageSchema = z
  .object({ ...imageEntry, status: z.literal('deleted') })
  .meta({ id: 'DeletedImage', description: 'Deleted by its owner; it counts on as what it was.' });
const failedImageSchema = z
  .object({ ...imageEntry, status: z.literal('failed'), error: imageErrorSchema })
  .meta({ id: 'FailedImage' });
export const completedImageSchema = z
  .object({
    ...imageEntry,
    status: z.literal('completed'),
    filename: z.string(),
    clean_download_url: z.url(),
    ...additions,
    width: fileSide,
    height: fileSide,
    format: formatName,
    background: z.string(),
    amazon_compliant: amazonCompliant,
  })
  .partial({ clean_download_url: true, preview_url: true, expires_at: true })
  .meta({
    id: 'CompletedImage',
    description: 'One whose files were removed at the end of their life carries no URLs.',
  });
const statusImageSchema = z
  .discriminatedUnion('status', [unfinishedImageSchema, failedImageSchema, completedImageSchema, deletedImageSchema])
  .meta({ id: 'StatusImage' });

const progressSchema = z
  .object({
    total: z.number().int(),
    queued: z.number().int(),
    processing: z.number().int(),
    completed: z.number().int(),
    failed: z.number().int(),
  })
  .meta({ id: 'BatchProgress', description: 'Images of the batch, by status.' });

export const batchStatusSchema = z
  .object({
    success: z
      .boolean()
      .meta({ description: 'False once every image has failed; before the end, and after any image, true.' }),
    request_id: z.string(),
    batch_id: z.string(),
    status: z.enum(batchStatuses),
    progress: progressSchema,
    charged_images: z.number().int().meta({
      description:
        'What the batch costs as it stands: images charged, and those under way, whose credits are held. A failed image is not among them. 0 with a test key.',
    }),
    refunded_images: z
      .number()
      .int()
      .meta({ description: 'Failed images, whose credits were returned; no part of `charged_images`.' }),
    remaining_api_credits_usd: dollarString,
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
    end_reason: z.enum(['key_revoked']).optional().meta({
      description:
        'Why the batch was ended before its images were done. Those not begun by then failed with `batch_stopped` and cost nothing; those on their way ended as they would have.',
    }),
    images: z.array(statusImageSchema),
  })
  .meta({ id: 'BatchStatus' });
export type BatchStatusResponse = z.infer<typeof batchStatusSchema>;
export type StatusImage = z.infer<typeof statusImageSchema>;

export const deletingSchema = z
  .object({
    success: z.literal(true),
    request_id: z.string(),
    batch_id: z.string().optional(),
    status: z.literal('deleting'),
  })
  .meta({ id: 'Deleting', description: 'Begun, and gone on with until it is done.' });

const lowBalanceSchema = z
  .object({
    account_id: z.string(),
    balance: z
      .number()
      .int()
      .meta({ description: 'Credits that are not used yet, those that running images hold too. May be below 0.' }),
    balance_usd: dollarString,
    level: z.number().int().meta({ description: 'Credits at which you asked to be told.' }),
  })
  .meta({ id: 'LowBalance' });
export const balanceLowSchema = z
  .object({
    id: z.string().meta({ description: 'The same as `webhook-id`.' }),
    type: z.literal('balance.low'),
    created_at: z.iso.datetime(),
    data: lowBalanceSchema,
  })
  .meta({ id: 'BalanceLow' });
export type BalanceLow = z.infer<typeof balanceLowSchema>;

export const webhookEventsSchema = z
  .object({
    success: z.literal(true),
    request_id: z.string(),
    secret: z.string().meta({ description: "Signs these deliveries: this key's own, `whsec_…`." }),
    events: z.array(
      z
        .object({
          headers: z.record(z.string(), z.string()).meta({ description: 'By the Standard Webhooks specification.' }),
          body: z.string().meta({ description: 'As signed: the status of a batch, as JSON.' }),
        })
        .meta({ id: 'WebhookEvent' }),
    ),
    next: z.string().meta({ description: 'Goes into `after` of the next call.' }),
    missing: z.boolean().meta({
      description: 'True where events after the one asked for are not known any more: the listener was away.',
    }),
  })
  .meta({ id: 'WebhookEvents' });

const batchItemSchema = z
  .strictObject({ input_url: inputUrl, filename: filename.optional() })
  .meta({ id: 'BatchItem' });
const batchExtras = {
  options: optionsSchema.optional(),
  input_authorization: inputAuthorization.optional(),
  webhook_url: z.string().min(1).max(limits.webhook.urlCharsMax).optional(),
};
/** The body of a batch; a lone `{"input_url": …}` is one image. */
export const batchRequestSchema = z
  .union([
    z
      .strictObject({ images: z.array(batchItemSchema).min(1).max(limits.batch.imagesMax), ...batchExtras })
      .meta({ id: 'ManyImagesRequest' }),
    z
      .strictObject({ input_url: inputUrl, filename: filename.optional(), ...batchExtras })
      .meta({ id: 'OneImageRequest' }),
  ])
  .meta({ id: 'BatchRequest' });
export type BatchRequest = z.infer<typeof batchRequestSchema>;

const retentionDays = z
  .int()
  .min(0)
  .max(limits.retention.daysMax)
  .nullable()
  .meta({
    description: `Days that results of batches sent from now on are kept; 0: until their first complete download; null: as the service keeps them, ${limits.retention.daysDefault} days.`,
  });
export const retentionChangeSchema = z.strictObject({ retention_days: retentionDays }).meta({ id: 'RetentionChange' });
export const retentionSchema = z
  .object({ success: z.literal(true), request_id: z.string(), retention_days: retentionDays })
  .meta({ id: 'Retention' });

export const accountSchema = z
  .object({
    success: z.literal(true),
    request_id: z.string(),
    account_id: z.string(),
    available_credits: z.number().int(),
    held_credits: z.number().int(),
    spent_credits: z.number().int(),
    granted_credits: z.number().int(),
    remaining_api_credits_usd: z.number(),
    held_api_credits_usd: z.number(),
    price_per_image_usd: z.number(),
    retention_days: retentionDays,
  })
  .meta({ id: 'Account' });

const marketplaceSchema = z
  .object({
    name: z.enum(marketplaceNames),
    label: z.string().meta({ description: 'As the marketplace writes its own name.' }),
    canvas: z
      .object({ width: z.number().int(), height: z.number().int() })
      .meta({ description: 'Default canvas, px.' }),
    fill: z.number().meta({ description: 'Default share of the canvas that the product takes.' }),
    format: z.enum(outputFormats).meta({ description: 'Default format.' }),
    rules: z.array(ruleSchema.extend({ required: z.string().meta({ description: 'The rule in words.' }) })),
  })
  .meta({ id: 'Marketplace' });
export const marketplacesSchema = z
  .object({ success: z.literal(true), request_id: z.string(), marketplaces: z.array(marketplaceSchema) })
  .meta({ id: 'Marketplaces', description: 'Every rule that the service knows of, with where it is written.' });
export type MarketplacesResponse = z.infer<typeof marketplacesSchema>;

const fieldErrorSchema = z
  .object({ field: z.string(), code: z.string(), detail: z.string(), remedy })
  .meta({ id: 'FieldError', description: 'One field or file at fault.' });

export const problemSchema = z
  .looseObject({
    type: z.url().meta({ description: 'Where the code is explained, an absolute URL.' }),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    success: z.literal(false),
    retryable: z.boolean(),
    /** With `outcome_unknown`: the batch that may be charged, and the path of its status. */
    batch_id: z.string().optional(),
    status_url: z.string().optional(),
    errors: z.array(fieldErrorSchema).optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem document.' });
