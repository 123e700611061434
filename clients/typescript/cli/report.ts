/** What a run says: a bar on a terminal's stderr, failures as text, and with --json a line for each image on stdout. */
import { Presets, SingleBar } from 'cli-progress';
import { UsageError } from './exit-codes.ts';
import type { Outcome } from './make.ts';

export type Summary = {
  readonly images: number;
  readonly done: number;
  readonly unchanged: number;
  readonly failed: number;
  /** Left out by --max-credits, or because the run was stopped. */
  readonly left: number;
  readonly credits_spent: number;
};

export type Report = {
  /** Images that are known so far; more may come with --watch. */
  readonly expect: (images: number) => void;
  readonly image: (outcome: Outcome, creditsSpent: number) => void;
  readonly end: (summary: Summary) => void;
};

const FORMAT = '{bar} {value}/{total} · {rate}/s · {left} left · {credits} credits spent';

/** `json`: NDJSON on stdout. `quiet`: nothing but failures on stderr. */
export const reportTo = ({ json, quiet }: { readonly json?: true; readonly quiet?: true }): Report => {
  const bar = process.stderr.isTTY && !quiet ? newBar() : undefined;
  const failures: string[] = [];
  const startedAtMs = Date.now();
  let [expected, ended] = [0, 0];
  const print = (value: unknown): void => void (json && process.stdout.write(`${JSON.stringify(value)}\n`));
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const draw = (credits: number): void => {
    const perSecond = ended / Math.max(0.001, (Date.now() - startedAtMs) / 1_000);
    const left = ended === 0 ? '?' : duration((expected - ended) / perSecond);
    bar?.update(ended, { rate: perSecond.toFixed(1), left, credits });
  };
  return {
    expect: (images) => {
      if (expected === 0) bar?.start(images, 0, { rate: '0.0', left: '?', credits: 0 });
      else bar?.setTotal(images);
      expected = images;
    },
    image: (outcome, credits) => {
      ended++;
      draw(credits);
      print({ ...outcome, error: undefined });
      if (outcome.status !== 'failed') return;
      const { input, detail, remedy, code } = outcome;
      const text = `${input}: ${detail}${remedy === undefined ? '' : ` ${remedy}`} (${code})`;
      // Below a bar there is no place for text until it ends.
      if (bar) failures.push(text);
      else say(text);
    },
    end: (summary) => {
      bar?.stop();
      for (const text of failures) say(text);
      print({ summary });
      if (!quiet) say(sentence(summary));
    },
  };
};

const newBar = (): SingleBar =>
  new SingleBar({ format: FORMAT, stream: process.stderr, hideCursor: true }, Presets.shades_classic);

const sentence = ({ done, unchanged, failed, left, credits_spent: spent }: Summary): string =>
  [
    `${done} made`,
    ...(unchanged > 0 ? [`${unchanged} already there`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(left > 0 ? [`${left} left`] : []),
    `${spent} ${spent === 1 ? 'credit' : 'credits'} spent`,
  ].join(', ');

/** "1 h 5 min", "3 min", "12 s" */
const duration = (seconds: number): string => {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** The text for an error that ends the command. */
export const explain = (error: unknown): string => {
  if (error instanceof UsageError) return error.message;
  const { message, code } = error as { message?: string; code?: string };
  return code === undefined ? String(message ?? error) : `${message} (${code})`;
};
