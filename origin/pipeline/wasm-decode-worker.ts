/** The thread of wasm-decode.ts: one file, one answer. */
import { parentPort, workerData } from 'node:worker_threads';
import decodeJxl, { init as initJxl } from '@jsquash/jxl/decode.js';
import type { Size } from '../../shared/imaging/raster.ts';
import type { Samples, WasmAnswer, WasmTask } from './wasm-decode.ts';

type Rgba = Size & { readonly data: Uint8ClampedArray };

/** In place. An alpha of 255 everywhere is none. */
const samplesOf = ({ data: rgba, width, height }: Rgba): Samples => {
  const data = new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.byteLength);
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return { data, width, height, channels: 4 };
  for (let from = 0, to = 0; from < data.length; from += 4) {
    data[to++] = data[from]!;
    data[to++] = data[from + 1]!;
    data[to++] = data[from + 2]!;
  }
  return { data: data.subarray(0, width * height * 3), width, height, channels: 3 };
};

const decode = async ({ wasm, bytes }: WasmTask): Promise<Samples> => {
  // Its types know neither a module nor a view, both of which it takes.
  await initJxl(wasm as never);
  return samplesOf((await decodeJxl(bytes as never)) as unknown as Rgba);
};

const answer: WasmAnswer = await decode(workerData as WasmTask).catch((error: unknown) => ({
  error: error instanceof Error ? error.message : String(error),
}));
parentPort?.postMessage(answer, 'data' in answer ? [answer.data.buffer as ArrayBuffer] : []);
