/** The API's options as flags: one flag for each option of the schema that the API itself checks them by. */
import { type Command, Option } from 'commander';
import { type Options, optionsFromFields, optionsSchema, resolveOptions } from '../../../shared/options.ts';
import { UsageError } from './exit-codes.ts';

const names = Object.keys(optionsSchema.shape) as (keyof typeof optionsSchema.shape)[];

/** The name under which the flag's value is given: `on_finding` is `--on-finding`, given as `onFinding`. */
const attributeOf = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export const addApiOptions = (command: Command): Command => {
  for (const name of names) {
    const inner = optionsSchema.shape[name].unwrap();
    const flag = name.replaceAll('_', '-');
    const option = new Option(`--${flag} <${flag}>`, inner.meta()?.description ?? '').helpGroup(
      'Options of the image:',
    );
    const choices = inner.def.type === 'enum' && 'options' in inner ? (inner.options as string[]) : undefined;
    command.addOption(choices ? option.choices(choices) : option);
  }
  return command;
};

export type ApiOptions = {
  /** As they are sent; in the order of the schema, so that equal options give equal keys. */
  readonly sent: Options;
  readonly extension: string;
};

/** Throws UsageError for what the API would refuse. */
export const readApiOptions = (given: Readonly<Record<string, unknown>>): ApiOptions => {
  const fields = new Map(
    names.flatMap((name) => {
      const text = given[attributeOf(name)];
      return typeof text === 'string' ? [[name, text]] : [];
    }),
  );
  const sent = optionsFromFields(fields);
  const resolved = resolveOptions(sent);
  if (!resolved.ok) throw new UsageError(resolved.failure.detail);
  return { sent: sent as Options, extension: resolved.value.format };
};

/** A count given as text; throws UsageError outside min to max. */
export const wholeNumber = (name: string, min: number, max: number) => (text: string) => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`${name} must be a whole number from ${min} to ${max}`);
  return value;
};
