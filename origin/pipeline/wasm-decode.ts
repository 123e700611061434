/**
 * Decoders that come as WebAssembly run in a thread of their own for each photo: their memory only grows, and with the
 * thread all of it goes back. The decoder's process around it bounds time and memory.
 */
import { Worker } from 'node:worker_threads';
import type { Size } from '../../shared/imaging/raster.ts';

/** Interleaved, 8 bits. */
export type Samples = Size & { readonly data: Uint8Array; readonly channels: 3 | 4 };
export type WasmCodec = 'jxl' | 'heic';
/** `told`: as the header has it. */
export type WasmTask = { readonly codec: WasmCodec; readonly bytes: Uint8Array; readonly told: Size };
export type WasmAnswer = Samples | { readonly error: string };

const WORKER = new URL('./wasm-decode-worker.ts', import.meta.url);

/** The pixels lie within what the header told, as they are or turned. */
export const isWithin = ({ width, height }: Size, told: Size): boolean =>
  (width <= told.width && height <= told.height) || (width <= told.height && height <= told.width);

/** Throws where the decoder fails, or has pixels beyond the size that the header told. They may be turned, and cut. */
export const decodeByWasm = async (codec: WasmCodec, bytes: Uint8Array, told: Size): Promise<Samples> => {
  const task: WasmTask = { codec, bytes, told };
  // What a decoder prints of somebody's file is no line of our log.
  const worker = new Worker(WORKER, { workerData: task, stdout: true, stderr: true });
  try {
    return await new Promise<Samples>((resolve, reject) => {
      worker.once('message', (answer: WasmAnswer) =>
        'error' in answer ? reject(new Error(answer.error)) : resolve(answer),
      );
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the decoder ended')));
    });
  } finally {
    await worker.terminate();
  }
};
