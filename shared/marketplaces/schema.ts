/** What a rule is made of, as the API answers it. Browsers get the types alone. */
import { z } from 'zod';
import { outputFormats } from './rule.ts';

const px = z.number().int().positive();
const share = z.number().positive().max(1);

/**
 * What is measured on the finished file. Sides are px, `share` is of the canvas by the side of the product box that
 * fills more of it, `file_bytes` counts a megabyte as 1,000,000.
 */
const requirementSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('background_white'), shadow: z.enum(['tolerated', 'forbidden']) }),
    z.object({ kind: z.literal('product_fill'), min: share.optional(), max: share.optional() }),
    z.object({ kind: z.literal('product_side'), min: px.optional(), max: px.optional() }),
    z.object({ kind: z.literal('longest_side'), min: px.optional(), max: px.optional() }),
    z.object({ kind: z.literal('shortest_side'), min: px.optional(), max: px.optional() }),
    z.object({ kind: z.literal('size'), min_width: px, min_height: px }),
    z.object({ kind: z.literal('pixels'), max: px }),
    z.object({ kind: z.literal('aspect'), width: z.number().positive(), height: z.number().positive() }),
    z.object({ kind: z.literal('file_bytes'), min: px.optional(), max: px.optional() }),
    z.object({ kind: z.literal('format'), any_of: z.array(z.enum(outputFormats)).min(1) }),
    z.object({ kind: z.literal('jpeg_quality'), min: z.number().int().min(1).max(100) }),
    z.object({ kind: z.literal('colour_space') }),
    z.object({ kind: z.literal('bit_depth') }),
    z.object({ kind: z.literal('centred'), within_px: px }),
  ])
  .meta({ id: 'Requirement', description: 'What is measured on the finished file, and the bounds it has to keep.' });
export type Requirement = z.infer<typeof requirementSchema>;

/** Names of rules, the same for all marketplaces. `advised_…` and `zoom_side`: a second bound of the same measure. */
export const ruleIds = [
  'background_white',
  'product_fill',
  'specified_fill',
  'product_side',
  'centred',
  'colour_space',
  'bit_depth',
  'longest_side',
  'shortest_side',
  'size',
  'zoom_side',
  'advised_side',
  'largest_side',
  'pixels',
  'advised_pixels',
  'aspect',
  'file_bytes',
  'format',
  'jpeg_quality',
] as const;

/** `required`: a listing is refused for it. `recommended`: it is not. */
const severities = ['required', 'recommended'] as const;

export const ruleSchema = z
  .object({
    rule: z.enum(ruleIds),
    requires: requirementSchema,
    severity: z.enum(severities).meta({ description: 'required: a listing may be refused for it.' }),
    source: z.url({ protocol: /^https$/ }).meta({ description: 'Where it is written.' }),
    as_of: z.iso.date().meta({ description: 'When that was read, or the date on the page itself.' }),
    evidence: z.enum(['official', 'secondary']).meta({
      description:
        'official: the text was read on a page of the marketplace. secondary: it was read in a copy, or where somebody else cites that page.',
    }),
    note: z.string().max(300).optional(),
  })
  .meta({ id: 'MarketplaceRule' });
export type Rule = z.infer<typeof ruleSchema>;
