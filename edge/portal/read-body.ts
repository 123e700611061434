import type { Context } from 'hono';
import type { z } from 'zod';

/** The JSON body, checked; undefined for anything else. */
export const bodyOf = async <T>(c: Context, schema: z.ZodType<T>): Promise<T | undefined> => {
  const raw: unknown = await c.req.json().catch(() => undefined);
  const parsed = schema.safeParse(raw);
  return parsed.success ? parsed.data : undefined;
};
