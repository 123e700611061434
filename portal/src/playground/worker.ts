/**
 * The preview's own thread, so that the page stays responsive. One preview at a time; the engine is kept between them,
 * and of the last photo what the model said of it.
 */
/// <reference lib="webworker" />

import type { Infer } from '../../../shared/imaging/stages/types.ts';
import { canvasOption, type Marketplace, marketplaces } from '../../../shared/marketplaces/index.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import { withDetail } from './detail.ts';
import { createEngine, type Engine, hasGpu } from './engine.ts';
import { decode, photoSource, reducedBitmap, toBitmap, Unreadable } from './picture.ts';
import { seePhoto } from './preview.ts';
import { type MadeOutput, type MakeOutput, outputMaker } from './preview-output.ts';
import type { FromWorker, PhotoFacts, Provider, Step, ToWorker, Wanted } from './protocol.ts';

/** Enough to judge an edge on a screen. */
const PREVIEW_SIDE = 1_000;
/** Of the small pictures beside each other, twice as many px as they take on the screen. */
const SMALL_SIDE = 288;

declare const self: DedicatedWorkerGlobalScope;
const say = (message: FromWorker, transfer: Transferable[] = []): void => self.postMessage(message, transfer);

const engines = new Map<Provider, Promise<Engine>>();
let gpuBroken = false;

/** Of whom the progress is told: the engine outlives the request that asked for it. */
let atWork = 0;
const tell = (step: Step, more: { doneBytes?: number; totalBytes?: number; pass?: number } = {}): void =>
  say({ kind: 'progress', id: atWork, step, ...more });

const engineOf = (provider: Provider): Promise<Engine> => {
  const kept = engines.get(provider);
  if (kept) return kept;
  const made = createEngine(provider, (doneBytes, totalBytes) =>
    doneBytes < totalBytes ? tell('download', { doneBytes, totalBytes }) : tell('compile'),
  );
  engines.set(provider, made);
  made.catch(() => engines.delete(provider));
  return made;
};

const providerFor = async (wanted: Wanted): Promise<Provider> =>
  wanted === 'auto' ? (!gpuBroken && (await hasGpu()) ? 'webgpu' : 'wasm') : wanted;

type Held = { readonly key: string; readonly facts: PhotoFacts; readonly make: MakeOutput };
let held: Held | undefined;

/** Region and engine decide on what the model says; no other option does. */
const keyOf = ({ photoId, detail, outputs: [{ region }] }: ToWorker, provider: Provider): string =>
  JSON.stringify([photoId, detail, provider, region]);

/** Tells each run, and how long all took. */
const watched = (infer: Infer): { infer: Infer; inferMs: () => number } => {
  let inferMs = 0;
  let pass = 0;
  return {
    inferMs: () => inferMs,
    infer: async (image) => {
      tell('passes', { pass: ++pass });
      const begun = performance.now();
      const matte = await infer(image);
      inferMs += performance.now() - begun;
      return matte;
    },
  };
};

type Failed = { readonly code: string; readonly detail: string; readonly why?: string };
class NotSeen extends Error {
  readonly failed: Failed;
  constructor(failed: Failed) {
    super(failed.detail);
    this.failed = failed;
  }
}

/** Throws Unreadable, NotSeen, and what the runtime throws. */
const see = async (request: ToWorker, provider: Provider): Promise<Held> => {
  const key = keyOf(request, provider);
  if (held?.key === key) return held;
  held = undefined;
  const engine = await engineOf(provider);
  tell('read');
  const picture = await decode(request.file);
  const started = performance.now();
  const { infer, inferMs } = watched(engine.infer);
  const { original } = picture;
  const [options] = request.outputs;
  const seen = await seePhoto(
    photoSource(picture),
    original,
    options,
    PREVIEW_SIDE,
    withDetail(infer, request.detail),
    tell,
  );
  if (!seen.ok) throw new NotSeen(seen.failure);
  const { confidence, productInPhoto } = seen.value;
  const facts = {
    photoId: request.photoId,
    photo: original,
    productInPhoto,
    confidence,
    provider,
    model: engine.model,
    inferMs: inferMs(),
    totalMs: performance.now() - started,
    isDraft: request.detail === 'draft',
  };
  held = { key, facts, make: outputMaker(seen.value, PREVIEW_SIDE) };
  return held;
};

/** Lets a newer request in. */
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** One of each shape and fill that marketplaces ask for. */
const likely = Array.from(
  new Map(
    Object.values<Marketplace>(marketplaces).map(({ canvas, fill }) => [
      `${canvas.width / canvas.height} ${fill}`,
      { canvas: canvasOption(canvas), fill },
    ]),
  ).values(),
);

/** What is most likely asked for next, once the first picture of a photo is on the screen. */
const prepare = async (id: number, first: ResolvedOptions, make: MakeOutput): Promise<void> => {
  for (const frame of likely) {
    await breathe();
    if (id !== latest) return;
    make({ ...first, ...frame });
  }
};

const preview = async (request: ToWorker, provider: Provider): Promise<void> => {
  const { id, outputs } = request;
  const before = held;
  const { facts, make } = await see(request, provider);
  const [first, ...further] = outputs;
  const large = make(first);
  const picture = toBitmap(large.picture);
  say({ kind: 'made', id, facts, report: large.report, picture }, [picture]);
  if (further.length > 0) await previewBeside(id, large, further, make);
  if (held !== before) await prepare(id, first, make);
};

/** The small pictures, until a newer request is there. */
const previewBeside = async (
  id: number,
  large: MadeOutput,
  further: readonly ResolvedOptions[],
  make: MakeOutput,
): Promise<void> => {
  const beside = ({ picture: composed, report }: MadeOutput): void => {
    const small = reducedBitmap(composed, SMALL_SIDE);
    say({ kind: 'small', id, report, picture: small }, [small]);
  };
  beside(large);
  for (const options of further) {
    await breathe();
    if (id !== latest) return;
    beside(make(options));
  }
};

const failureOf = (error: unknown, provider: Provider): Failed => {
  if (error instanceof NotSeen) return error.failed;
  if (error instanceof Unreadable) return { code: 'unreadable_image', detail: error.message };
  const why = error instanceof Error ? error.message : String(error);
  const detail =
    provider === 'webgpu'
      ? 'WebGPU does not work in this browser. Choose “Automatic” or “WebAssembly” in the preview settings.'
      : 'The preview could not be computed in this browser.';
  return { code: 'preview_failed', detail, why };
};

const handle = async (request: ToWorker): Promise<void> => {
  const { id } = request;
  // Only the last request is waited for.
  if (id !== latest) return;
  atWork = id;
  const provider = await providerFor(request.wanted);
  try {
    await preview(request, provider);
  } catch (error) {
    const { code, detail, why = detail } = failureOf(error, provider);
    // Drivers fail in many ways; WASM works wherever the page does.
    if (provider === 'webgpu' && request.wanted === 'auto' && code === 'preview_failed') {
      gpuBroken = true;
      say({ kind: 'fell_back', id, why });
      return handle(request);
    }
    say({ kind: 'failed', id, code, detail, ...(why === detail ? {} : { why }) });
  }
};

let latest = 0;
let queue = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  latest = data.id;
  queue = queue.then(() => handle(data));
};
