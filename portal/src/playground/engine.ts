/** The model in the browser: onnxruntime-web on WebGPU, else on WebAssembly. Only the worker loads this. */
import type * as Ort from 'onnxruntime-web';
import type { Infer } from '../../../shared/imaging/stages/types.ts';
import { fetchFile, forgetOldParts, readManifest } from './fetch-parts.ts';
import type { Manifest } from './manifest.ts';
import type { Provider } from './protocol.ts';

/** More threads do not make one picture faster. */
const THREADS_MAX = 4;
/** As the rows `isnet-…` of models/catalogue.ts: RGB planes, (byte − 128) / 256; sides are multiples of 64. */
const MEAN = 128;
const SCALE = 256;

/**
 * WebGPU computes in floats and takes the model whose weights alone are int8; WASM takes the one that is int8
 * throughout.
 */
const setups = {
  webgpu: {
    model: 'isnet-w8',
    code: 'ort.webgpu.min.mjs',
    glue: 'ort-wasm-simd-threaded.asyncify.mjs',
    wasm: 'ort-wasm-simd-threaded.asyncify.wasm',
  },
  wasm: {
    model: 'isnet-int8',
    code: 'ort.wasm.min.mjs',
    glue: 'ort-wasm-simd-threaded.mjs',
    wasm: 'ort-wasm-simd-threaded.wasm',
  },
} as const;

export type Engine = { readonly provider: Provider; readonly model: string; readonly infer: Infer };
export type OnBytes = (doneBytes: number, totalBytes: number) => void;

type Gpu = { requestAdapter(): Promise<{ readonly info?: { readonly isFallbackAdapter?: boolean } } | null> };

/** A real GPU. Software rendering counts as none: WASM is faster. */
export const hasGpu = async (): Promise<boolean> => {
  const gpu = (navigator as { gpu?: Gpu }).gpu;
  const adapter = await gpu?.requestAdapter().catch(() => null);
  return adapter != null && adapter.info?.isFallbackAdapter !== true;
};

const load = async (
  manifest: Manifest,
  provider: Provider,
  onBytes: OnBytes,
): Promise<{ wasm: Uint8Array<ArrayBuffer>; model: Uint8Array<ArrayBuffer> }> => {
  const setup = setups[provider];
  const files = [manifest.files[setup.wasm], manifest.files[`${setup.model}.onnx`]];
  const [wasmFile, modelFile] = files;
  if (!wasmFile || !modelFile) throw new Error('this build of the portal has no preview model');
  const total = wasmFile.bytes + modelFile.bytes;
  let done = 0;
  const count = (bytes: number): void => {
    done += bytes;
    onBytes(done, total);
  };
  return { wasm: await fetchFile(wasmFile, count), model: await fetchFile(modelFile, count) };
};

const sessionOptions = (provider: Provider): Ort.InferenceSession.SessionOptions => ({
  executionProviders: [provider],
  graphOptimizationLevel: 'all',
  enableMemPattern: false,
  ...(provider === 'webgpu' ? { extra: { session: { disable_quant_qdq: '1' } } } : {}),
});

export const createEngine = async (provider: Provider, onBytes: OnBytes): Promise<Engine> => {
  const manifest = await readManifest();
  const setup = setups[provider];
  const { wasm, model } = await load(manifest, provider, onBytes);
  const runtime = `/runtime/${manifest.version}`;
  const ort = (await import(/* @vite-ignore */ `${runtime}/${setup.code}`)) as typeof Ort;
  ort.env.wasm.wasmPaths = { mjs: `${runtime}/${setup.glue}` };
  ort.env.wasm.wasmBinary = wasm.buffer;
  ort.env.wasm.numThreads = self.crossOriginIsolated ? Math.min(THREADS_MAX, navigator.hardwareConcurrency || 1) : 1;
  const session = await ort.InferenceSession.create(model, sessionOptions(provider));
  void forgetOldParts(manifest);
  return { provider, model: setup.model, infer: runner(ort, session) };
};

const runner =
  (ort: typeof Ort, session: Ort.InferenceSession): Infer =>
  async ({ rgb, width, height }) => {
    const pixels = width * height;
    const planes = new Float32Array(3 * pixels);
    for (let i = 0, j = 0; i < pixels; i++, j += 3) {
      planes[i] = (rgb[j]! - MEAN) / SCALE;
      planes[i + pixels] = (rgb[j + 1]! - MEAN) / SCALE;
      planes[i + 2 * pixels] = (rgb[j + 2]! - MEAN) / SCALE;
    }
    const { output } = await session.run({ input: new ort.Tensor('float32', planes, [1, 3, height, width]) }, [
      'output',
    ]);
    const values = output!.data as Float32Array;
    const matte = new Uint8ClampedArray(pixels);
    for (let i = 0; i < pixels; i++) matte[i] = values[i]! * 255;
    output!.dispose();
    return new Uint8Array(matte.buffer);
  };
