/** `packshot account`: balance and price, how long results are kept, and the deletion of everything. */
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import type { Account } from '../src/index.ts';
import { told } from './delete.ts';
import { UsageError } from './exit-codes.ts';
import type { AccountCommand } from './keys.ts';
import { wholeNumber } from './options.ts';

const DAYS_MAX = 30;
const AS_SERVICE = 'default';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** `AS_SERVICE` stays a text: commander makes an empty one of null. */
const retention = (given: string): number | typeof AS_SERVICE => {
  if (given === AS_SERVICE) return AS_SERVICE;
  try {
    return wholeNumber('--retention', 0, DAYS_MAX)(given);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}, or ${AS_SERVICE}`);
  }
};

export const addAccountCommands = (program: Command, { connected, isJson }: AccountCommand): void => {
  const account = program
    .command('account')
    .description('balance, price and retention; --json as JSON')
    .option(
      '--retention <days>',
      `keep results of what is sent from now on for 0 to ${DAYS_MAX} days (0: until their first complete download), or ${AS_SERVICE}; needs a key with the scope admin`,
      retention,
    )
    .action(async ({ retention: wish }: { retention?: number | typeof AS_SERVICE }) => {
      const client = await connected();
      if (wish !== undefined) {
        const kept = await client.setRetention(wish === AS_SERVICE ? null : wish);
        return print(isJson() ? JSON.stringify({ retention_days: kept }) : keptText(kept));
      }
      const found = await client.account();
      print(isJson() ? JSON.stringify(found) : lineOf(found));
    });
  account
    .command('delete-data')
    .description('delete everything that any key of the account sent and got; needs a key with the scope admin')
    .option('--yes', 'without asking')
    .action(async ({ yes }: { yes?: true }) => {
      const client = await connected();
      if (!yes) await confirm((await client.account()).account_id);
      const state = await client.deleteAccountData();
      print(isJson() ? JSON.stringify({ status: state }) : `All data of the account: ${told[state]}`);
    });
};

const lineOf = ({
  available_credits,
  held_credits,
  spent_credits,
  price_per_image_usd,
  retention_days,
}: Account): string =>
  `${available_credits} credits available, ${held_credits} held, ${spent_credits} spent (${price_per_image_usd} USD each)${retention_days === null ? '' : `; ${keptText(retention_days)}`}`;

const keptText = (days: number | null): string =>
  days === null
    ? 'results are kept as the service does'
    : days === 0
      ? 'results are kept until their first complete download'
      : `results are kept for ${days} day${days === 1 ? '' : 's'}`;

/** The account's id, typed or piped: nobody does that by mistake. */
const confirm = async (accountId: string): Promise<void> => {
  const typed = process.stdin.isTTY ? await asked(accountId) : await text(process.stdin);
  if (typed.trim() !== accountId)
    throw new UsageError(`That is not ${accountId}; nothing was deleted. Type the id, or give --yes`);
};
const asked = async (accountId: string): Promise<string> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(`All photos, results and logs of ${accountId} go for good. Type its id to go on: `);
  } finally {
    lines.close();
  }
};
