/** Finds the product as the preview does, and answers with the matte that the page edits. */
/// <reference lib="webworker" />

import { matteOverPhoto, sizeWithin } from '../../../shared/imaging/findings/evidence.ts';
import type { Gray, Size } from '../../../shared/imaging/raster.ts';
import { matte } from '../../../shared/imaging/stages/matte.ts';
import { chooseRegion, matteInPhoto } from '../../../shared/imaging/stages/region.ts';
import type { Infer, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import { createEngine, type Engine, hasGpu } from '../playground/engine.ts';
import { decode, photoSource, Unreadable } from '../playground/picture.ts';
import type { Provider } from '../playground/protocol.ts';
import { touchUpLimits } from './limits.ts';
import type { FromFinder, ToFinder } from './protocol.ts';

declare const self: DedicatedWorkerGlobalScope;
const say = (message: FromFinder, transfer: Transferable[] = []): void => self.postMessage(message, transfer);

let engine: Promise<Engine> | undefined;
let gpuBroken = false;
/** Of whom the progress is told. */
let atWork = 0;

const engineOf = async (): Promise<Engine> => {
  const provider: Provider = !gpuBroken && (await hasGpu()) ? 'webgpu' : 'wasm';
  engine ??= createEngine(provider, (doneBytes, totalBytes) =>
    say({ kind: 'loading', id: atWork, doneBytes, totalBytes }),
  );
  engine.catch(() => {
    engine = undefined;
  });
  return engine;
};

const emptyPlane = (size: Size): Gray => ({ data: new Uint8Array(size.width * size.height), ...size });

/** The matte on the plane that is edited; undefined where there is no product. */
const found = async (
  photo: PhotoSource,
  plane: Size,
  infer: Infer,
  { region }: ToFinder,
): Promise<Gray | undefined> => {
  const chosen = chooseRegion(photo, region);
  if (!chosen.ok) return undefined;
  const { source, within, at } = chosen.value;
  const seen = await matte(source, infer, within);
  return seen.ok ? matteOverPhoto(matteInPhoto(seen.value, at), photo.size, plane) : undefined;
};

const find = async (request: ToFinder): Promise<void> => {
  const { id, file } = request;
  const picture = await decode(file);
  const size = sizeWithin(picture.original, touchUpLimits.planeSideMax);
  const { infer } = await engineOf();
  say({ kind: 'finding', id });
  const plane = await found(photoSource(picture), size, infer, request);
  const told = plane ?? emptyPlane(size);
  say({ kind: 'found', id, plane: told, photo: picture.original, isFound: plane !== undefined }, [told.data.buffer]);
};

const handle = async (request: ToFinder): Promise<void> => {
  if (request.id !== latest) return;
  atWork = request.id;
  try {
    await find(request);
  } catch (error) {
    const isUnreadable = error instanceof Unreadable;
    // Drivers fail in many ways; WASM works wherever the page does.
    if (!isUnreadable && !gpuBroken) {
      gpuBroken = true;
      engine = undefined;
      return handle(request);
    }
    const detail = isUnreadable ? error.message : 'The product could not be looked for in this browser.';
    say({ kind: 'failed', id: request.id, detail, isUnreadable });
  }
};

let latest = 0;
let queue = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<ToFinder>) => {
  latest = data.id;
  queue = queue.then(() => handle(data));
};
