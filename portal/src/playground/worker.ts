/**
 * The preview's own thread, so that the page stays responsive. One preview at a time; the engine is kept between them.
 */
/// <reference lib="webworker" />

import type { Infer } from '../../../shared/imaging/stages/types.ts';
import { withDetail } from './detail.ts';
import { createEngine, type Engine, hasGpu } from './engine.ts';
import { decode, photoSource, squared, toBitmap, Unreadable } from './picture.ts';
import { makePreview } from './preview.ts';
import type { FromWorker, Preview, Provider, ToWorker, Wanted } from './protocol.ts';

/** Enough to judge an edge on a screen. */
const PREVIEW_SIDE = 1_000;

declare const self: DedicatedWorkerGlobalScope;
const say = (message: FromWorker, transfer: Transferable[] = []): void => self.postMessage(message, transfer);

const engines = new Map<Provider, Promise<Engine>>();
let gpuBroken = false;

const engineOf = (provider: Provider, id: number): Promise<Engine> => {
  const kept = engines.get(provider);
  if (kept) return kept;
  const made = createEngine(provider, (doneBytes, totalBytes) =>
    say({ kind: 'progress', id, step: doneBytes < totalBytes ? 'download' : 'compile', doneBytes, totalBytes }),
  );
  engines.set(provider, made);
  made.catch(() => engines.delete(provider));
  return made;
};

const providerFor = async (wanted: Wanted): Promise<Provider> =>
  wanted === 'auto' ? (!gpuBroken && (await hasGpu()) ? 'webgpu' : 'wasm') : wanted;

const preview = async (request: ToWorker, provider: Provider): Promise<void> => {
  const { id, file, options } = request;
  const picture = await decode(file);
  const engine = await engineOf(provider, id);
  say({ kind: 'progress', id, step: 'work', doneBytes: 0, totalBytes: 0 });
  const started = performance.now();
  let inferMs = 0;
  const timed: Infer = async (image) => {
    const begun = performance.now();
    const matte = await engine.infer(image);
    inferMs += performance.now() - begun;
    return matte;
  };
  const made = await makePreview(
    photoSource(picture),
    picture.original,
    options,
    PREVIEW_SIDE,
    withDetail(timed, request.detail),
  );
  if (!made.ok) return say({ kind: 'failed', id, code: made.failure.code, detail: made.failure.detail });
  const { picture: result, compliance, confidence, findings } = made.value;
  const before = squared(picture, PREVIEW_SIDE);
  const after = toBitmap(result);
  const totalMs = performance.now() - started;
  const { model } = engine;
  const isDraft = request.detail === 'draft';
  const measured = { compliance, confidence, findings, isDraft };
  const done: Preview = { before, after, canvas: result.width, provider, model, inferMs, totalMs, ...measured };
  say({ kind: 'done', id, preview: done }, [before, after]);
};

type Failed = { readonly code: string; readonly detail: string; readonly why?: string };

const failureOf = (error: unknown, provider: Provider): Failed => {
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
  const provider = await providerFor(request.wanted);
  try {
    await preview(request, provider);
  } catch (error) {
    const failed = failureOf(error, provider);
    const { code, detail, why = detail } = failed;
    // Drivers fail in many ways; WASM works wherever the page does.
    if (provider === 'webgpu' && request.wanted === 'auto' && code === 'preview_failed') {
      gpuBroken = true;
      say({ kind: 'fell_back', id, why });
      return handle(request);
    }
    say({ kind: 'failed', id, ...failed });
  }
};

let queue = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  queue = queue.then(() => handle(data));
};
