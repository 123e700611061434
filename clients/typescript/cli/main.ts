#!/usr/bin/env node
/** The command line. `packshot --help` says what it can do; exit codes are in exit-codes.ts. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { AuthenticationError, CreditsError } from '../src/index.ts';
import { version } from '../src/version.ts';
import { addAccountCommands } from './account.ts';
import { type CheckCommand, runCheck } from './check.ts';
import { connect, login, logout } from './credentials.ts';
import { addDeleteCommand } from './delete.ts';
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { addKeyCommands } from './keys.ts';
import { addApiOptions, wholeNumber } from './options.ts';
import { explain } from './report.ts';
import { addResultsCommand } from './results.ts';
import { type RunOptions, run } from './run.ts';

const CONCURRENCY = 4;
/** The service's rate is 600 requests a minute. */
const CONCURRENCY_MAX = 32;

const EXAMPLES = `
Examples:
  packshot photo.jpg -o main.jpg
  packshot photos/ -o results --marketplace walmart
  packshot 'photos/**/*.png' -o results --max-credits 100 --json
  packshot products.csv -o results          a column url, and filename if there is one
  cat photo.jpg | packshot - -o results
  packshot check photos/ --marketplace walmart   what a marketplace would refuse, free
  packshot results bat_… -o results              all of its files as a ZIP, and its table
  packshot delete bat_… --index 3                its fourth image; without --index all of them
  packshot account --retention 0                 keep nothing after delivery
  packshot keys create Warehouse --daily-cap 500 --scope images:write   a key for one purpose

A run that was stopped goes on where it was when it is started again: what is made is not paid for twice.

Exit codes: 0 done · 1 some images failed · 2 wrong usage · 3 key refused · 4 too few credits, or the key's for today
            5 stopped by --max-credits · 130 interrupted
            check: 1 where a marketplace would refuse a photo, or one could not be checked

Environment: PACKSHOT_API_KEY or PACKSHOT_KEY, PACKSHOT_BASE_URL or PACKSHOT_URL (before what \`packshot login\` stored)`;

const number = (name: string, min: number, max: number) => (text: string) => {
  try {
    return wholeNumber(name, min, max)(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
};

const program = new Command('packshot')
  .description('Product photos to marketplace main images.')
  .version(version)
  .argument('[inputs...]', 'files, folders, patterns, URLs, lists (.csv, .jsonl, .txt), or - for standard input')
  .option('-o, --output <path>', 'folder for the results, or a file for one image')
  .option('--concurrency <n>', 'images at once', number('--concurrency', 1, CONCURRENCY_MAX), CONCURRENCY)
  .option('--max-credits <n>', 'spend at most so many credits', number('--max-credits', 0, 1_000_000))
  .option('--dry-run', 'say what would be done, what it costs, and what the free check finds')
  .option('--no-check', 'with --dry-run: send nothing')
  .option('--watch', 'go on with what comes into the folders, until Ctrl-C')
  .option('--json', 'one line of JSON for each image on stdout')
  .option('-q, --quiet', 'only failures on stderr')
  .option('--base-url <url>', 'address of the service')
  .addHelpText('after', EXAMPLES)
  .showHelpAfterError('(packshot --help says more)')
  .exitOverride();
addApiOptions(program);

/** Of the program, wherever it stands on the line. */
const baseUrl = (): string | undefined => program.opts<{ baseUrl?: string }>().baseUrl;

let exitCode: ExitCode = exitCodes.ok;
program.action(async (inputs: string[], options: RunOptions) => {
  if (inputs.length === 0) throw new UsageError('Name at least one image; packshot --help says how');
  if (!options.output) throw new UsageError('-o is missing: where shall the results go?');
  exitCode = await run(inputs, options, () => connect(baseUrl()));
});
program
  .command('check')
  .description('what there is to find about photos, free; with --json a line of JSON for each')
  .argument('[inputs...]', 'as above')
  .action(async (inputs: string[]) => {
    exitCode = await runCheck(inputs, program.opts<CheckCommand>(), () => connect(baseUrl()));
  });
const shared = {
  connected: () => connect(baseUrl()),
  isJson: () => program.opts<{ json?: true }>().json === true,
};
addAccountCommands(program, shared);
addDeleteCommand(program, shared);
addKeyCommands(program, shared);
addResultsCommand(program, shared, () => program.opts<{ output?: string }>().output);
program
  .command('login')
  .description('check a key and keep it for later runs')
  .action(async () => void process.stderr.write(`The key is stored in ${await login(baseUrl())}\n`));
program
  .command('logout')
  .description('forget the stored key')
  .action(() => logout());
program
  .command('webhooks')
  .description('webhooks while you develop')
  .command('listen')
  .description('forward what a webhook_url would get to a local port, until Ctrl-C; --json for a line each')
  .option('--forward <url>', 'where to, e.g. http://localhost:3000/hooks; without it events are only shown')
  .action(async ({ forward }: { forward?: string }) => {
    const { listen } = await import('./listen.ts');
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const { json, quiet } = program.opts<{ json?: true; quiet?: true }>();
    const options = { ...(forward && { forward }), ...(json && { json }), ...(quiet && { quiet }) };
    await listen(await connect(baseUrl()), options, stop.signal);
  });
program
  .command('mcp')
  .description('MCP server on standard input and output, for agents')
  .option('--spend-cap <credits>', 'credits that the session may spend', number('--spend-cap', 0, 1_000_000), 20)
  .action(async ({ spendCap }: { spendCap: number }) => {
    const { serveMcp } = await import('./mcp.ts');
    serveMcp(await connect(baseUrl()), spendCap);
  });

const codeOf = (error: unknown): ExitCode => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof AuthenticationError) return exitCodes.key;
  return error instanceof CreditsError ? exitCodes.credits : exitCodes.someFailed;
};

// A reader that has seen enough, as in `packshot … --json | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
try {
  await program.parseAsync();
} catch (error) {
  exitCode = codeOf(error);
  if (!(error instanceof CommanderError)) process.stderr.write(`packshot: ${explain(error)}\n`);
}
process.exitCode = exitCode;
