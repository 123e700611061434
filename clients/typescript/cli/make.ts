/** One image of a run, from its source to its file, each step noted so that the next run goes on from there. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Compliance,
  type Finding,
  fileOf,
  ImageError,
  type ImageOptions,
  NotFoundError,
  type Output,
  type Packshot,
  PackshotError,
} from '../src/index.ts';
import type { Budget } from './budget.ts';
import { withoutHeic } from './heic.ts';
import { type Placed, writeWhole } from './outputs.ts';
import { inputName, type Source } from './sources.ts';
import { type MadeImage, type State, workOf } from './state.ts';

export type Outcome = { readonly input: string; readonly output: string; readonly credits: number } & (
  | {
      readonly status: 'done';
      readonly image: MadeImage;
      readonly compliance: Compliance | undefined;
      /** Of the photo; undefined where an earlier run made the image. */
      readonly findings: readonly Finding[] | undefined;
    }
  | { readonly status: 'unchanged' | 'capped' }
  | {
      readonly status: 'failed';
      readonly code: string;
      readonly detail: string;
      readonly remedy: string | undefined;
      readonly error: unknown;
    }
);

export type Maker = {
  readonly packshot: Packshot;
  readonly state: State;
  readonly budget: Budget;
  readonly options: ImageOptions;
  readonly folder: string;
  readonly signal: AbortSignal;
};

type Made = MadeImage & {
  readonly outputs?: readonly Output[] | undefined;
  readonly url: string;
  readonly compliance?: Compliance;
  readonly findings?: readonly Finding[];
  readonly credits: number;
};

/** Never throws for what is wrong with one image, the network included; throws where the run was stopped. */
export const imageMaker = (maker: Maker): ((placed: Placed) => Promise<Outcome>) => {
  const inFlight = new Map<string, Promise<Made | 'capped'>>();
  /** Equal inputs of one run wait for the one that came first. */
  const making = (work: string, content: Content): Promise<Made | 'capped'> => {
    const first = inFlight.get(work);
    if (first) return first.then((made) => (made === 'capped' ? made : { ...made, credits: 0 }));
    const made = makeOnce(maker, work, content).finally(() => inFlight.delete(work));
    inFlight.set(work, made);
    return made;
  };
  return async ({ source, output }) => {
    const about = { input: inputName(source), output };
    try {
      const content = await contentOf(source);
      const work = workOf(content, maker.options);
      if (maker.state.isDone(work, output)) return { ...about, status: 'unchanged', credits: 0 };
      const made = await making(work, content);
      if (made === 'capped') return { ...about, status: 'capped', credits: 0 };
      const saved = await save(maker, work, output, content, made);
      const { batch_id, image_id, sha256, compliance, findings, credits } = saved;
      return { ...about, status: 'done', image: { batch_id, image_id, sha256 }, compliance, findings, credits };
    } catch (error) {
      maker.signal.throwIfAborted();
      const { code = 'failed', message, remedy } = error as Partial<PackshotError>;
      return { ...about, status: 'failed', code, detail: message ?? String(error), remedy, credits: 0, error };
    }
  };
};

/** The address where the service fetches the image itself. */
type Content = Uint8Array | string;

export const contentOf = async (source: Source): Promise<Content> => {
  if (source.kind === 'url') return source.url;
  return source.kind === 'bytes' ? source.bytes : readFile(source.path);
};

/** The service compares names, too: equal files under different names are one piece of work. */
export const sendable = async (content: Content) =>
  typeof content === 'string' ? { url: content } : { file: await withoutHeic(content), filename: 'image' };

/** From an earlier run, or now. */
const makeOnce = async (maker: Maker, work: string, content: Content): Promise<Made | 'capped'> => {
  const known = maker.state.made(work);
  return known ? { ...known, url: '', credits: 0 } : create(maker, work, content);
};

const create = async (maker: Maker, work: string, content: Content): Promise<Made | 'capped'> => {
  const { packshot, state, budget, options, signal } = maker;
  if (!budget.take()) return 'capped';
  try {
    const image = await packshot.create(await sendable(content), options, {
      idempotencyKey: state.idempotencyKey(work),
      signal,
    });
    const credits = image.replayed ? 0 : image.credits_charged;
    budget.spend(credits);
    await state.noteMade(work, image);
    return { ...image, credits };
  } catch (error) {
    if (isFree(error)) budget.giveBack();
    if (error instanceof ImageError) await state.noteFailed(work, error.code);
    throw error;
  }
};

/** Where no answer came, or one that is not sure, the image may be charged: what was set aside stays so. */
const isFree = (error: unknown): boolean =>
  error instanceof ImageError || (error instanceof PackshotError && error.status >= 400 && error.status < 500);

/** What an image was made for beside its first marketplace; of an earlier run's the batch tells. */
const furtherFiles = async ({ packshot, options, signal }: Maker, image: Made): Promise<readonly Output[]> => {
  if (options.marketplaces === undefined) return [];
  const known = image.outputs ?? (await outputsOf(packshot, image, signal));
  return known.slice(1);
};

const outputsOf = async (packshot: Packshot, { batch_id, image_id }: Made, signal: AbortSignal) => {
  const { images } = await packshot.batch(batch_id).status({ signal });
  const image = images.find((one) => one.image_id === image_id);
  return (image?.status === 'completed' && image.outputs) || [];
};

/** "shoes/a.jpg" → "shoes/a-walmart.jpg" */
const outputOf = (output: string, { marketplace, format }: Output): string =>
  `${output.slice(0, output.lastIndexOf('.'))}-${marketplace}.${format.toLowerCase()}`;

const save = async (maker: Maker, work: string, output: string, content: Content, made: Made): Promise<Made> => {
  const { packshot, state, folder, signal } = maker;
  const fetchFile = async (image: Made) => {
    const { batch_id, image_id, sha256, url } = image;
    // The first one last: once it is there, all are.
    for (const file of await furtherFiles(maker, image)) {
      const bytes = await packshot.download(fileOf(image, file), { signal });
      await writeWhole(join(folder, outputOf(output, file)), bytes);
    }
    const bytes = await packshot.download({ batch_id, image_id, sha256, url }, { signal });
    await writeWhole(join(folder, output), bytes);
    await state.noteDone(work, output);
  };
  try {
    await fetchFile(made);
    return made;
  } catch (error) {
    // Made by an earlier run, and gone: removed after its seven days, or another account's.
    if (made.url !== '' || !(error instanceof NotFoundError)) throw error;
    const again = await create(maker, work, content);
    if (again === 'capped') throw error;
    await fetchFile(again);
    return again;
  }
};
