/**
 * Decoders that come as WebAssembly run in a thread of their own for each photo: their memory only grows, and with the
 * thread all of it goes back. The decoder's process around it bounds time and memory.
 */
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Size } from '../../shared/imaging/raster.ts';

/** Interleaved, 8 bits. */
export type Samples = Size & { readonly data: Uint8Array; readonly channels: 3 | 4 };
export type WasmTask = { readonly codec: 'jxl'; readonly wasm: WebAssembly.Module; readonly bytes: Uint8Array };
export type WasmAnswer = Samples | { readonly error: string };

const MODULES = { jxl: '@jsquash/jxl/codec/dec/jxl_dec.wasm' } as const;
const compiled = new Map<WasmTask['codec'], Promise<WebAssembly.Module>>();
const WORKER = new URL('./wasm-decode-worker.ts', import.meta.url);

const compile = async (codec: WasmTask['codec']): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await readFile(new URL(import.meta.resolve(MODULES[codec]))));

/** Throws where the decoder fails, or decodes another size than the header told, upright or turned. */
export const decodeByWasm = async (codec: WasmTask['codec'], bytes: Uint8Array, told: Size): Promise<Samples> => {
  const wasm = compiled.get(codec) ?? compile(codec);
  compiled.set(codec, wasm);
  const samples = await inThread({ codec, wasm: await wasm, bytes });
  const { width, height } = samples;
  if ((width !== told.width || height !== told.height) && (width !== told.height || height !== told.width))
    throw new Error(`its header tells ${told.width} × ${told.height} and it has ${width} × ${height} pixels`);
  return samples;
};

const inThread = async (task: WasmTask): Promise<Samples> => {
  const worker = new Worker(WORKER, { workerData: task });
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
