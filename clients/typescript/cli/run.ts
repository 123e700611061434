/** A run: what the arguments name, made a few at a time, each image once. */
import { basename, dirname, extname, resolve } from 'node:path';
import pMap from 'p-map';
import { AuthenticationError, CreditsError, type Packshot } from '../src/index.ts';
import { budgetOf } from './budget.ts';
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { imageMaker, type Outcome } from './make.ts';
import { type ApiOptions, readApiOptions } from './options.ts';
import { type Placed, placer } from './outputs.ts';
import { preview } from './preview.ts';
import { type Report, reportTo, type Summary } from './report.ts';
import { sourcesOf } from './sources.ts';
import { openState, type State } from './state.ts';
import { watchFolders } from './watch.ts';

export type RunOptions = {
  readonly output: string;
  readonly concurrency: number;
  readonly json?: true;
  readonly quiet?: true;
  readonly dryRun?: true;
  /** With --dry-run: false where nothing is to be sent. */
  readonly check: boolean;
  readonly watch?: true;
  readonly maxCredits?: number;
  /** The flags of the API's options. */
  readonly [flag: string]: unknown;
};

export type Plan = {
  readonly folder: string;
  readonly api: ApiOptions;
  readonly state: State;
  readonly placed: Placed[];
};

export const run = async (
  inputs: readonly string[],
  options: RunOptions,
  connected: () => Promise<Packshot>,
): Promise<ExitCode> => {
  const plan = await planOf(inputs, options);
  try {
    return options.dryRun
      ? await preview(plan, options, connected)
      : await make(inputs, plan, options, await connected());
  } finally {
    await plan.state.close();
  }
};

/** An output with an image's extension is the file of a single input; any other is a folder. */
const planOf = async (inputs: readonly string[], options: RunOptions): Promise<Plan> => {
  const extension = extname(options.output).slice(1).toLowerCase().replace('jpeg', 'jpg');
  const isFile = ['jpg', 'png', 'webp'].includes(extension);
  const api = readApiOptions(isFile ? { format: extension, ...options } : options);
  const folder = isFile ? dirname(options.output) : options.output;
  const sources = options.watch ? [] : await sourcesOf(inputs, folder);
  const state = await openState(folder);
  if (!isFile) return { folder, api, state, placed: distinct(sources.map(placer(api.extension))) };
  const [source] = sources;
  if (sources.length !== 1 || source === undefined)
    throw new UsageError(`${options.output} is one file, for ${sources.length} images; give a folder`);
  if (api.extension !== extension) throw new UsageError(`${options.output} does not go with --format ${api.extension}`);
  return { folder, api, state, placed: [{ source, output: basename(options.output) }] };
};

/** The same input named twice is one. */
const distinct = (placed: readonly Placed[]): Placed[] => [
  ...new Map(placed.map((one) => [one.output, one] as const)).values(),
];

const make = async (
  inputs: readonly string[],
  plan: Plan,
  options: RunOptions,
  packshot: Packshot,
): Promise<ExitCode> => {
  if (plan.placed.length === 0 && !options.watch) throw new UsageError('No images there');
  const stop = new AbortController();
  const interrupt = (): void => stop.abort('interrupted');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  const budget = budgetOf(options.maxCredits ?? Infinity);
  const report = reportTo(options);
  const makeImage = imageMaker({
    packshot,
    budget,
    state: plan.state,
    options: plan.api.sent,
    folder: plan.folder,
    signal: stop.signal,
  });
  const outcomes: Outcome[] = [];
  const one = async (placed: Placed): Promise<void> => {
    if (stop.signal.aborted) return;
    const outcome = await makeImage(placed).catch(() => undefined);
    if (!outcome) return;
    outcomes.push(outcome);
    report.image(outcome, budget.spent());
    if (outcome.status === 'failed' && endsRun(outcome.error)) stop.abort(outcome.error);
  };
  const images = options.watch ? watched(inputs, plan, stop.signal, report) : plan.placed;
  if (!options.watch) report.expect(plan.placed.length);
  await pMap(images, one, { concurrency: options.concurrency });
  const known = options.watch ? outcomes.length : plan.placed.length;
  report.end(summaryOf(outcomes, known, budget.spent()));
  return exitCode(outcomes, stop.signal, options.watch === true);
};

/** What is wrong with every image that follows as well. */
const endsRun = (error: unknown): boolean => error instanceof AuthenticationError || error instanceof CreditsError;

async function* watched(
  inputs: readonly string[],
  { folder, api }: Plan,
  signal: AbortSignal,
  report: Report,
): AsyncGenerator<Placed> {
  const outputs = resolve(folder);
  const isOutput = (path: string): boolean =>
    `${resolve(path)}/`.startsWith(`${outputs}/`) && !inputs.some((input) => resolve(input) === resolve(path));
  const place = placer(api.extension);
  let images = 0;
  for await (const source of watchFolders(inputs, isOutput, signal)) {
    report.expect(++images);
    yield place(source);
  }
}

const summaryOf = (outcomes: readonly Outcome[], images: number, credits: number): Summary => {
  const count = (status: Outcome['status']): number => outcomes.filter((one) => one.status === status).length;
  const [done, unchanged, failed] = [count('done'), count('unchanged'), count('failed')];
  return { images, done, unchanged, failed, left: images - done - unchanged - failed, credits_spent: credits };
};

const exitCode = (outcomes: readonly Outcome[], { aborted, reason }: AbortSignal, isWatch: boolean): ExitCode => {
  if (reason instanceof AuthenticationError) return exitCodes.key;
  if (reason instanceof CreditsError) return exitCodes.credits;
  if (aborted && !isWatch) return exitCodes.interrupted;
  if (outcomes.some(({ status }) => status === 'capped')) return exitCodes.capped;
  return outcomes.some(({ status }) => status === 'failed') ? exitCodes.someFailed : exitCodes.ok;
};
