/** What a caller sends of one photo and what is answered about it: findings, and `POST /api/v1/check`. */
import { z } from 'zod';
import { findingBoxSchema, findingSchema } from './findings.ts';
import { limits } from './limits.ts';
import { marketplaceNames } from './marketplaces/index.ts';
import { optionsSchema } from './options.ts';

export const inputUrl = z.string().min(1).max(limits.batch.urlCharsMax);
/** Words of visible ASCII, as the value of a header may be. */
const HEADER_VALUE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
export const inputAuthorization = z
  .string()
  .max(limits.inputUrl.authorizationCharsMax)
  .regex(HEADER_VALUE, 'must be visible ASCII, its words set apart by single spaces')
  .meta({
    description:
      'Value of the `Authorization` header with which every `input_url` is fetched, for stores whose photos are private. All addresses must have the same scheme (https), host and port: it is sent there alone, and not after a redirect elsewhere. Kept encrypted until the last image is decided; never answered or logged.',
    examples: ['Bearer 9f3c61d07b'],
    writeOnly: true,
  });
export const filename = z.string().min(1).max(limits.upload.filenameCharsMax);

/** Of the work itself, at the node that did it. */
export const wholeMs = z.number().int().meta({ description: 'Time spent on it, whole ms.' });

const findingBox = findingBoxSchema.meta({
  id: 'FindingBox',
  description: 'Pixels of the photo as sent, turned upright; `x`, `y` is the upper left corner.',
});
/** A finding as it is answered; `shared/findings.ts` has the contract with the nodes. */
export const publicFindingSchema = findingSchema
  .extend({
    code: findingSchema.shape.code.meta({ description: 'Stable: branch on this. /docs/findings explains each.' }),
    severity: findingSchema.shape.severity.meta({
      description:
        'required: a listing is refused for it on one of `marketplaces`; recommended: it is not; info: nothing to mend.',
    }),
    detail: findingSchema.shape.detail.meta({ description: 'What was measured on this photo.' }),
    box: findingBox.nullable().meta({ description: 'Where it is; null where the whole photo is meant.' }),
    remedy: findingSchema.shape.remedy.meta({ description: 'What to do about it.' }),
    marketplaces: findingSchema.shape.marketplaces.meta({ description: 'For which of them it matters.' }),
  })
  .meta({ id: 'Finding', description: 'Something about the photo that was sent.' });
export type PublicFinding = z.infer<typeof publicFindingSchema>;
export const publicFindings = z
  .array(publicFindingSchema)
  .meta({ description: 'What was found about the photo that was sent; empty where nothing was.' });

/** The JSON body of a check. */
export const checkBodySchema = z
  .strictObject({
    input_url: inputUrl,
    filename: filename.optional(),
    options: optionsSchema.optional(),
    input_authorization: inputAuthorization.optional(),
  })
  .meta({ id: 'CheckBody' });

/** What `POST /api/v1/check` answers. */
export const checkAnswerSchema = z
  .object({
    success: z.literal(true),
    request_id: z.string(),
    check_id: z.string(),
    original_name: z.string(),
    marketplace: z
      .enum(marketplaceNames)
      .meta({ description: 'The one whose defaults and rules the options asked for.' }),
    width: z.number().int().positive().meta({ description: 'Of the photo, turned upright, px.' }),
    height: z.number().int().positive(),
    product_box: findingBox.nullable().meta({ description: 'Null where no product was found.' }),
    matte_confidence: z.number().min(0).max(1).meta({ description: 'How sure the fast matte is of the product.' }),
    findings: publicFindings,
    processing_ms: wholeMs,
  })
  .meta({ id: 'Check', description: 'Findings about one photo. Nothing was made, and nothing was charged.' });
export type CheckAnswer = z.infer<typeof checkAnswerSchema>;
