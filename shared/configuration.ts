/**
 * How a tier reads its environment: by one zod schema, once, at its start. Whatever is missing or wrong is named in one
 * error. Pure: the environment is passed in.
 */
import { z } from 'zod';

const SECRET_CHARS_MIN = 32;
/** Secrets made up for local mode and for tests carry this word. They are public, so production refuses them. */
const LOCAL_MARK = 'local';

/** Variables by name. A Worker's bindings stand among them; what a schema does not name is left out. */
export type Environment = Readonly<Record<string, unknown>>;

export const environmentName = z.enum(['local', 'production'], 'must be local or production');
export const secret = z.string().min(SECRET_CHARS_MIN, `must have at least ${SECRET_CHARS_MIN} characters`);
/** A secret, and while it is being changed the one before it, in this order. Frozen. */
export const withPrevious = (current: string, previous: string | undefined): readonly [string, ...string[]] =>
  Object.freeze(previous === undefined ? [current] : [current, previous]);
export const url = z.url('must be a URL');
/** Without its trailing slashes, so that a path can follow. */
export const baseUrl = url.transform((text) => text.replace(/\/+$/, ''));

export const wholeNumber = (min: number, max: number) => {
  const fault = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number(fault).int(fault).min(min, fault).max(max, fault);
};

/** Comma-separated items, each as `item` has it, at least one. */
export const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )
    .pipe(z.array(item).nonempty('must name at least one'));

/** What holds in production beside the schema; each list names variables. */
export type ProductionRules = {
  readonly localOnly?: readonly string[];
  /** Must not be secrets of local mode. */
  readonly secrets?: readonly string[];
  /** What local mode does without. */
  readonly required?: readonly string[];
  /** Addresses, or lists of them. */
  readonly https?: readonly string[];
  /**
   * No two of them may be equal: who learns one must not have learned another. A secret may equal its own `_PREVIOUS`, as
   * it does for a moment while it is being changed.
   */
  readonly distinct?: readonly string[];
  /** Must not be keys of Stripe's test mode. */
  readonly liveKeys?: readonly string[];
};

const isHttps = (url: string): boolean => url.trim() === '' || url.trim().startsWith('https://');

const repeated = (names: readonly string[], text: (name: string) => string): string[] =>
  names.flatMap((name, i) => {
    const same = names
      .slice(0, i)
      .find((earlier) => text(earlier) !== '' && text(earlier) === text(name) && name !== `${earlier}_PREVIOUS`);
    return same === undefined ? [] : [`${name} is the same as ${same}`];
  });

/** One text a fault, each beginning with the variable's name. `given` holds what is set and not empty. */
const productionFaults = (given: Environment, rules: ProductionRules): string[] => {
  const text = (name: string): string => String(given[name] ?? '');
  const faults = (names: readonly string[] = [], isFault: (value: string) => boolean, what: string): string[] =>
    names.filter((name) => isFault(text(name))).map((name) => `${name} ${what}`);
  return [
    ...faults(rules.localOnly, (value) => value !== '', 'is for local mode only'),
    ...faults(rules.secrets, (value) => value.includes(LOCAL_MARK), 'is the one of local mode'),
    ...faults(rules.https, (value) => !value.split(',').every(isHttps), 'must be an https address'),
    ...faults(rules.liveKeys, (value) => /^[a-z]+_test_/.test(value), "is a key of Stripe's test mode"),
    ...repeated(rules.distinct ?? [], text),
    ...faults(rules.required, (value) => value === '', 'is missing'),
  ];
};

/**
 * The environment as `schema` has it; an empty variable counts as missing. `rules` hold wherever ENVIRONMENT is not
 * `local`. Throws an Error that begins with `title` and names every variable at fault, each fault once.
 */
export const readEnvironment = <Schema extends z.ZodType>(
  title: string,
  schema: Schema,
  env: Environment,
  rules?: ProductionRules,
): z.infer<Schema> => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(given);
  const faults = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const name = String(path[0]);
    return `${name} ${name in given ? message : 'is missing'}`;
  });
  if (rules && given['ENVIRONMENT'] !== 'local') faults.push(...productionFaults(given, rules));
  if (faults.length > 0) throw new Error(`${title}: ${[...new Set(faults)].join('; ')}`);
  return parsed.data as z.infer<Schema>;
};
