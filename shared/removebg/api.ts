/** Schemas of what `/v1.0` takes and answers, for the OpenAPI document. The form follows from the table of parameters. */
import { z } from 'zod';
import { type ParameterName, removebgParameters } from './parameters.ts';

type Field = (typeof removebgParameters)[ParameterName] & {
  readonly values?: readonly string[];
  readonly isFile?: true;
};

const sentences = ({ takes, how, support, values }: Field): string =>
  [values ? '' : `Takes ${takes}.`, how, `Compared with remove.bg: ${support}.`]
    .filter((text) => text !== '')
    .join(' ');

const fieldOf = (field: Field): z.ZodType => {
  const description = sentences(field);
  if (field.isFile) return z.string().meta({ format: 'binary', description });
  const text = field.values ? z.enum(field.values as [string, ...string[]]) : z.string();
  return text.meta({ description });
};

const fields = (wanted: (field: Field) => boolean): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(removebgParameters as Record<string, Field>)
      .filter(([, field]) => wanted(field))
      .map(([name, field]) => [name, fieldOf(field).optional()]),
  );

export const removebgFormSchema = z.strictObject(fields(() => true)).meta({ id: 'RemovebgForm' });
/** The same without files, as text. */
export const removebgTextSchema = z.strictObject(fields(({ isFile }) => !isFile)).meta({ id: 'RemovebgParameters' });
/** The same in JSON, where booleans and numbers may be themselves. */
export const removebgJsonBodySchema = z
  .strictObject(
    Object.fromEntries(
      Object.entries(removebgTextSchema.shape as Record<string, z.ZodType>).map(([name, schema]) => [
        name,
        z.union([schema, z.boolean(), z.number(), z.null()]).optional(),
      ]),
    ),
  )
  .meta({ id: 'RemovebgJson' });

export const removebgJsonSchema = z
  .object({
    data: z.object({
      result_b64: z.string(),
      foreground_top: z.number().int(),
      foreground_left: z.number().int(),
      foreground_width: z.number().int(),
      foreground_height: z.number().int(),
    }),
  })
  .meta({ id: 'RemovebgResult' });

export const removebgErrorsSchema = z
  .looseObject({
    errors: z.array(z.object({ title: z.string(), code: z.string(), detail: z.string() })).min(1),
    /** With outcome_unknown: the batch that may be charged, and the path of its status. */
    batch_id: z.string().optional(),
    status_url: z.string().optional(),
  })
  .meta({ id: 'RemovebgErrors' });

export const removebgAccountSchema = z
  .object({
    data: z.object({
      attributes: z.object({
        credits: z.object({
          total: z.number(),
          subscription: z.number(),
          payg: z.number(),
          enterprise: z.number(),
        }),
        api: z.object({
          free_calls: z.number().int().meta({ description: 'Free previews that a day (UTC) allows.' }),
          sizes: z.string(),
        }),
      }),
    }),
  })
  .meta({ id: 'RemovebgAccount' });
