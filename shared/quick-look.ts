/**
 * A quick look: a small result of a visitor's photo, made at once while the browser still loads its own model. The photo
 * travels in the request and is kept nowhere. Contract of the landing page with the edge, and of the edge with the nodes.
 */
import { z } from 'zod';
import { checkFailureSchema, refusedSchema } from './findings.ts';
import { limits } from './limits.ts';

const { imageBytesMax } = limits.quickLook;
const base64CharsOf = (bytes: number): number => 4 * Math.ceil(bytes / 3);

export const quickLookRequestSchema = z.strictObject({
  look_id: z.string().min(1).max(64),
  /** All visitors are one caller: a node shares itself between them and the accounts' checks. */
  account_id: z.string().min(1).max(64),
  image: z.base64().max(base64CharsOf(imageBytesMax)),
  /** Unix time, ms. A look past it is not made. */
  deadline_at: z.number().int().positive(),
});
export type QuickLookRequest = z.infer<typeof quickLookRequestSchema>;

const pictureSchema = z.object({
  /** A JPEG of `limits.quickLook.canvas` px a side. */
  image: z.base64(),
  processing_ms: z.number().nonnegative(),
});
export type QuickLook = z.infer<typeof pictureSchema>;

export const quickLookResponseSchema = z.union([
  z.object({ look: pictureSchema }),
  z.object({ failed: checkFailureSchema }),
  z.object({ refused: refusedSchema }),
]);
export type QuickLookResponse = z.infer<typeof quickLookResponseSchema>;
