/** What a page sent with a request. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { readJson } from '../http/body.ts';
import { edgeLimits } from '../limits.ts';

/** The JSON body, checked; undefined for anything else. */
export const bodyOf = async <T>(c: Context, schema: z.ZodType<T>): Promise<T | undefined> => {
  const body = await readJson(c.req.raw, schema, edgeLimits.portal.bodyBytesMax);
  return body.ok ? body.value : undefined;
};
