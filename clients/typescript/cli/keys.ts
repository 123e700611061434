/**
 * `packshot keys`: list, create, roll, revoke. A new secret is the only line on stdout, so that a script can take it from
 * there; what is said about it goes to stderr.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKey, KeyScope, NewSecret, Packshot } from '../src/index.ts';
import { wholeNumber } from './options.ts';

const SCOPES: readonly KeyScope[] = ['images:write', 'batches:read', 'account:read', 'admin'];
const OVERLAP_HOURS_MAX = 168;
const CAP_MAX = 1_000_000;

/** What every command of an account needs. */
export type AccountCommand = { readonly connected: () => Promise<Packshot>; readonly isJson: () => boolean };
type CreateFlags = {
  readonly test?: true;
  readonly scope?: KeyScope[];
  readonly expires?: string;
  readonly allowIp?: string[];
  readonly dailyCap?: number;
};

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const number = (name: string, max: number) => (text: string) => {
  try {
    return wholeNumber(name, 0, max)(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
};

/** A day means its end, UTC. */
const time = (text: string): string => {
  const at = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T23:59:59Z` : text);
  if (Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('must be a day, or a time such as 2027-06-30T12:00:00Z');
  return at.toISOString();
};

export const addKeyCommands = (program: Command, { connected, isJson }: AccountCommand): void => {
  const keys = program.command('keys').description('keys of the account; needs a key with the scope admin');
  keys
    .command('list')
    .description('every key, newest first; --json a line of JSON for each')
    .action(async () => {
      for (const key of await (await connected()).keys.list()) print(isJson() ? JSON.stringify(key) : lineOf(key));
    });
  keys
    .command('create')
    .description('make a key; its secret is printed once, alone on stdout')
    .argument('<label>', 'where the key is used')
    .option('--test', 'a test key')
    .addOption(new Option('--scope <scopes...>', 'what it may do').choices(SCOPES))
    .option('--expires <time>', 'a day, to its end (UTC), or a time', time)
    .option('--allow-ip <ranges...>', 'addresses or ranges that it is taken from')
    .option('--daily-cap <credits>', 'credits that it may spend on a UTC day', number('--daily-cap', CAP_MAX))
    .action(async (label: string, flags: CreateFlags) => tell(await (await connected()).keys.create(of(label, flags))));
  keys
    .command('roll')
    .description('give a key another secret, printed once, alone on stdout')
    .argument('<key_id>')
    .requiredOption(
      '--overlap-hours <n>',
      'for how long the secrets before still work; 0 ends them now',
      number('--overlap-hours', OVERLAP_HOURS_MAX),
    )
    .action(async (keyId: string, { overlapHours }: { overlapHours: number }) =>
      tell(await (await connected()).keys.roll(keyId, overlapHours)),
    );
  keys
    .command('revoke')
    .description('end a key and all of its secrets, for good')
    .argument('<key_id>')
    .action(async (keyId: string) => {
      const key = await (await connected()).keys.revoke(keyId);
      if (isJson()) print(JSON.stringify(key));
      else say(`${key.key_id} (${key.label}) is revoked`);
    });

  const tell = ({ key, secret }: NewSecret): void => {
    print(isJson() ? JSON.stringify({ key, secret }) : secret);
    if (!isJson()) say(`${key.key_id} (${key.label}): store the secret now, it is not shown again`);
  };
};

const of = (label: string, { test, scope, expires, allowIp, dailyCap }: CreateFlags) => ({
  label,
  mode: test ? ('test' as const) : ('live' as const),
  ...(scope && { scopes: scope }),
  ...(expires !== undefined && { expires_at: expires }),
  ...(allowIp && { allowed_ips: allowIp }),
  ...(dailyCap !== undefined && { daily_credit_cap: dailyCap }),
});

const lineOf = ({ key_id, masked, label, scopes, ...key }: ApiKey): string =>
  [
    key_id,
    masked,
    label,
    scopes.join(','),
    ...(key.daily_credit_cap === null ? [] : [`${key.credits_used_today} of ${key.daily_credit_cap} credits today`]),
    ...(key.allowed_ips === null ? [] : [`from ${key.allowed_ips.join(',')}`]),
    ...(key.expires_at === null ? [] : [`until ${key.expires_at}`]),
    ...(key.older_secrets_until === null ? [] : [`older secret until ${key.older_secrets_until}`]),
    ...(key.revoked_at === null ? [] : [`revoked ${key.revoked_at}`]),
  ].join('  ');
