/** `packshot check`: what there is to find about photos, free. The same looks come with --dry-run. */
import pMap from 'p-map';
import {
  AuthenticationError,
  type Check,
  type Finding,
  type ImageOptions,
  type Packshot,
  RateLimitError,
} from '../src/index.ts';
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { contentOf, sendable } from './make.ts';
import { readApiOptions } from './options.ts';
import { inputName, type Source, sourcesOf } from './sources.ts';

/** Checks of one account that the service runs at once. */
const CONCURRENCY_MAX = 8;

/** `not_checked`: the account's free checks of the day were used up before. */
export type Checked =
  | { readonly status: 'checked'; readonly check: Check }
  | { readonly status: 'failed'; readonly code: string; readonly detail: string }
  | { readonly status: 'not_checked' };

type CheckOne = (source: Source) => Promise<Checked>;

/** Throws only where every further check would fail as well: the key is refused. */
export const checker = (packshot: Packshot, options: ImageOptions, signal?: AbortSignal): CheckOne => {
  let isOver = false;
  return async (source) => {
    if (isOver) return { status: 'not_checked' };
    try {
      const input = await sendable(await contentOf(source));
      return { status: 'checked', check: await packshot.check(input, options, { signal }) };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AuthenticationError) throw error;
      // The client has waited for the next minute; the next day is too far away.
      if (error instanceof RateLimitError && error.code === 'check_quota_exceeded') isOver = true;
      if (isOver) return { status: 'not_checked' };
      const { code = 'failed', message } = error as { code?: string; message?: string };
      return { status: 'failed', code, detail: message ?? String(error) };
    }
  };
};

/** A few at once; `each` is told in the order of `photos`, whichever ends first. */
export const checkAll = async <Photo, Result>(
  photos: readonly Photo[],
  concurrency: number,
  check: (photo: Photo) => Promise<Result>,
  each: (photo: Photo, result: Result) => void,
): Promise<Result[]> => {
  const ended = new Map<number, () => void>();
  let told = 0;
  return pMap(
    photos,
    async (photo, index) => {
      const result = await check(photo);
      ended.set(index, () => each(photo, result));
      for (let tell = ended.get(told); tell; tell = ended.get(++told)) tell();
      return result;
    },
    { concurrency: Math.min(concurrency, CONCURRENCY_MAX) },
  );
};

export type CheckCommand = { readonly concurrency: number; readonly json?: true; readonly quiet?: true };

export const runCheck = async (
  inputs: readonly string[],
  options: CheckCommand,
  connected: () => Promise<Packshot>,
): Promise<ExitCode> => {
  if (inputs.length === 0) throw new UsageError('Name at least one image; packshot --help says how');
  const sources = await sourcesOf(inputs, '.');
  if (sources.length === 0) throw new UsageError('No images there');
  const api = readApiOptions(options);
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const check = checker(await connected(), api.sent);
  const all = await checkAll(sources, options.concurrency, check, (source, one) =>
    print(options.json ? JSON.stringify(lineOf(source, one)) : textOf(inputName(source), one)),
  );
  const summary = summaryOf(all);
  if (options.json) print(JSON.stringify({ summary }));
  else if (!options.quiet) process.stderr.write(`${sentence(summary)}\n`);
  return summary.refusable + summary.failed + summary.not_checked > 0 ? exitCodes.someFailed : exitCodes.ok;
};

const lineOf = (source: Source, checked: Checked) => {
  const input = inputName(source);
  if (checked.status !== 'checked') return { input, ...checked };
  const { success: _, original_name: __, ...check } = checked.check;
  return { input, status: checked.status, ...check };
};

/** A photo and below it a block for each finding. */
const textOf = (input: string, checked: Checked): string => {
  if (checked.status === 'not_checked') return `${input}  not checked: the free checks of the day are used up`;
  if (checked.status === 'failed') return `${input}  ${checked.detail} (${checked.code})`;
  const { width, height, findings } = checked.check;
  const head = `${input}  ${width} × ${height}`;
  return findings.length === 0 ? `${head}  nothing found` : [head, ...findings.flatMap(findingLines)].join('\n');
};

const SEVERITY_CHARS = 'recommended'.length;

/** "  required     product_cropped: … (amazon)", and the remedy below. */
export const findingLines = ({ code, severity, detail, remedy, marketplaces }: Finding): string[] => {
  const places = marketplaces.length > 0 ? ` (${marketplaces.join(', ')})` : '';
  const indent = ' '.repeat(SEVERITY_CHARS + 4);
  return [`  ${severity.padEnd(SEVERITY_CHARS)}  ${code}: ${detail}${places}`, `${indent}${remedy}`];
};

/** Photos: `refusable`, with a finding that a marketplace refuses a listing for. */
type CheckSummary = {
  readonly images: number;
  readonly with_findings: number;
  readonly refusable: number;
  readonly failed: number;
  readonly not_checked: number;
};

const summaryOf = (all: readonly Checked[]): CheckSummary => {
  const found = all.flatMap((one) => (one.status === 'checked' ? [one.check.findings] : []));
  return {
    images: all.length,
    with_findings: found.filter((findings) => findings.length > 0).length,
    refusable: found.filter((findings) => findings.some(({ severity }) => severity === 'required')).length,
    failed: all.filter(({ status }) => status === 'failed').length,
    not_checked: all.filter(({ status }) => status === 'not_checked').length,
  };
};

const sentence = ({ images, with_findings, refusable, failed, not_checked }: CheckSummary): string =>
  [
    `${images - failed - not_checked} checked`,
    `${with_findings} with findings`,
    `${refusable} that a marketplace would refuse`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(not_checked > 0 ? [`${not_checked} not checked: the free checks of the day are used up`] : []),
  ].join(', ');
