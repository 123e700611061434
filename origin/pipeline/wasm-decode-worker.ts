/** The thread of wasm-decode.ts: one file, one answer. */
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Size } from '../../shared/imaging/raster.ts';
import { HEIC_PACKAGE } from './heic-package.ts';
import { isWithin, type Samples, type WasmAnswer, type WasmCodec, type WasmTask } from './wasm-decode.ts';

type Rgba = Size & { readonly data: Uint8ClampedArray };

const JXL_WASM = '@jsquash/jxl/codec/dec/jxl_dec.wasm';
const decodeJxl = async (bytes: Uint8Array): Promise<Rgba> => {
  const { default: decode, init } = await import('@jsquash/jxl/decode.js');
  const wasm = await WebAssembly.compile(await readFile(new URL(import.meta.resolve(JXL_WASM))));
  // Its types know neither a module nor a view, both of which it takes.
  await init(wasm as never);
  return (await decode(bytes as never)) as unknown as Rgba;
};

type Libheif = { readonly HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] } };
type HeifImage = {
  is_primary(): boolean;
  get_width(): number;
  get_height(): number;
  display(into: Rgba, done: (shown: Rgba | null) => void): void;
};

const decodeHeic = async (bytes: Uint8Array, told: Size): Promise<Rgba> => {
  const { default: libheif } = (await import(HEIC_PACKAGE)) as { default: Libheif };
  const image = new libheif.HeifDecoder().decode(bytes).find((one) => one.is_primary());
  if (!image) throw new Error('it has no main picture');
  const [width, height] = [image.get_width(), image.get_height()];
  // Before anything is allocated for them.
  checkSize({ width, height }, told);
  const shown = await new Promise<Rgba | null>((resolve) =>
    image.display({ data: new Uint8ClampedArray(width * height * 4), width, height }, resolve),
  );
  if (!shown) throw new Error('its picture is damaged');
  return shown;
};

const checkSize = (size: Size, told: Size): void => {
  if (isWithin(size, told)) return;
  throw new Error(`its header tells ${told.width} × ${told.height} and it has ${size.width} × ${size.height} pixels`);
};

const decoders: Readonly<Record<WasmCodec, (bytes: Uint8Array, told: Size) => Promise<Rgba>>> = {
  jxl: decodeJxl,
  heic: decodeHeic,
};

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

const { codec, bytes, told } = workerData as WasmTask;
const answer: WasmAnswer = await decoders[codec](bytes, told)
  .then((pixels) => {
    checkSize(pixels, told);
    return samplesOf(pixels);
  })
  .catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }));
parentPort?.postMessage(answer, 'data' in answer ? [answer.data.buffer as ArrayBuffer] : []);
