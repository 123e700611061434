/** JPEG XL files, as the encoder of the decoder's package makes them: a naked codestream; and the same in a container. */
import { readFile } from 'node:fs/promises';
import encode, { init } from '@jsquash/jxl/encode.js';
import sharp from 'sharp';

type Options = { readonly quality?: number; readonly lossless?: boolean };

const ENCODER = new URL(import.meta.resolve('@jsquash/jxl/codec/enc/jxl_enc.wasm'));
let ready: Promise<unknown> | undefined;

/** `image`: anything that sharp reads. Effort 3: these are fixtures, not photos to keep. */
export const jxlOf = async (image: Uint8Array, options: Options = {}): Promise<Uint8Array<ArrayBuffer>> => {
  // Its types know no module, which it takes.
  ready ??= readFile(ENCODER)
    .then((bytes) => WebAssembly.compile(bytes))
    .then((wasm) => init(wasm as never));
  await ready;
  const { data, info } = await sharp(image).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const pixels = { data: new Uint8ClampedArray(data), width: info.width, height: info.height };
  return new Uint8Array(await encode(pixels as never, { effort: 3, ...options }));
};

const box = (kind: string, content: Uint8Array, isLast = false): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(isLast ? 0 : 8 + content.length);
  head.write(kind, 4, 'latin1');
  return Buffer.concat([head, content]);
};

/** `parts`: into how many boxes the codestream is split; 0: one box that goes to the end. */
export const inContainer = (codestream: Uint8Array, parts = 0): Uint8Array<ArrayBuffer> => {
  const head = [
    box('JXL ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])),
    box('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1')),
  ];
  if (parts === 0) return new Uint8Array(Buffer.concat([...head, box('jxlc', codestream, true)]));
  const size = Math.ceil(codestream.length / parts);
  const split = Array.from({ length: parts }, (_, i) => {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(i === parts - 1 ? 0x8000_0000 + i : i);
    return box('jxlp', Buffer.concat([number, codestream.subarray(i * size, (i + 1) * size)]));
  });
  return new Uint8Array(Buffer.concat([...head, ...split]));
};
