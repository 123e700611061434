/** --dry-run: what there is to do, what it costs, and what the free check finds about the photos. */
import { resolve } from 'node:path';
import type { Packshot } from '../src/index.ts';
import { type Checked, checkAll, checker, findingLines } from './check.ts';
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { contentOf } from './make.ts';
import type { Plan, RunOptions } from './run.ts';
import { inputName } from './sources.ts';
import { workOf } from './state.ts';

type Item = Plan['placed'][number] & { readonly status: 'to_do' | 'unchanged'; readonly credits: number };

/** What is done already is not checked. Without a key nothing is sent, and findings are left out. */
export const preview = async (
  plan: Plan,
  options: RunOptions,
  connected: () => Promise<Packshot>,
): Promise<ExitCode> => {
  const items = await itemsOf(plan);
  const credits = items.reduce((sum, item) => sum + item.credits, 0);
  const packshot = options.check ? await unlessMissing(connected) : undefined;
  const check = packshot && checker(packshot, plan.api.sent);
  const checks = await checkAll(
    items,
    options.concurrency,
    async ({ source, status }) => (check && status === 'to_do' ? check(source) : undefined),
    (item, checked) => process.stdout.write(`${options.json ? lineOf(item, checked) : textOf(plan, item, checked)}\n`),
  );
  const left = checks.filter((checked) => checked?.status === 'not_checked').length;
  if (left > 0) process.stderr.write(`${left} not checked: the free checks of the day are used up\n`);
  if (options.json) process.stdout.write(`${JSON.stringify({ summary: { images: items.length, credits } })}\n`);
  else process.stderr.write(`${items.length} images, at most ${credits} ${credits === 1 ? 'credit' : 'credits'}\n`);
  return exitCodes.ok;
};

/** Equal inputs are paid for once. */
const itemsOf = async ({ placed, state, api }: Plan): Promise<Item[]> => {
  const works = new Set<string>();
  const items: Item[] = [];
  for (const { source, output } of placed) {
    const work = workOf(await contentOf(source), api.sent);
    const status = state.isDone(work, output) ? 'unchanged' : 'to_do';
    const credits = status === 'to_do' && !works.has(work) && !state.made(work) ? 1 : 0;
    works.add(work);
    items.push({ source, output, status, credits });
  }
  return items;
};

/** No key is no mistake here: the rest of the preview needs none. */
const unlessMissing = (connected: () => Promise<Packshot>): Promise<Packshot | undefined> =>
  connected().catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`Without findings: ${error.message}\n`);
    return undefined;
  });

const lineOf = ({ source, output, status, credits }: Item, checked: Checked | undefined): string =>
  JSON.stringify({
    input: inputName(source),
    output,
    status,
    credits,
    ...(checked?.status === 'checked' ? { findings: checked.check.findings } : {}),
    ...(checked?.status === 'failed' ? { check_failed: { code: checked.code, detail: checked.detail } } : {}),
  });

const textOf = ({ folder }: Plan, { source, output, status }: Item, checked: Checked | undefined): string =>
  [
    `${inputName(source)} → ${resolve(folder, output)}  ${status}`,
    ...(checked?.status === 'checked' ? checked.check.findings.flatMap(findingLines) : []),
    ...(checked?.status === 'failed' ? [`  not checked: ${checked.detail} (${checked.code})`] : []),
  ].join('\n');
