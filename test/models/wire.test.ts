import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MODEL, type Model, TENSOR, type Tensor } from '../../models/tools/onnx/schema.ts';
import { decode, encode, lengthOf, type MessageType } from '../../models/tools/onnx/wire.ts';
import { tinyNetwork } from './tiny-network.ts';

const SAMPLE: MessageType = {
  name: 'Sample',
  fields: {
    1: { name: 'integer', type: 'int64' },
    2: { name: 'text', type: 'string' },
    3: { name: 'list', type: 'int64', repeated: true },
    4: { name: 'ratio', type: 'float' },
    16: { name: 'bytes', type: 'bytes' },
    17: { name: 'precise', type: 'double' },
  },
};
type Sample = { integer: number; text: string; list: number[]; ratio: number; bytes: Uint8Array; precise: number };
const joined = (parts: Uint8Array[]) => Uint8Array.from(Buffer.concat(parts));

describe('wire format', () => {
  it('gives back every message it wrote, negative and large integers included', () => {
    const sample: fc.Arbitrary<Sample> = fc.record({
      integer: fc.maxSafeInteger(),
      text: fc.string({ unit: 'grapheme' }),
      list: fc.array(fc.maxSafeInteger()),
      ratio: fc.float({ noNaN: true }),
      bytes: fc.uint8Array({ maxLength: 300 }),
      precise: fc.double({ noNaN: true }),
    });
    fc.assert(
      fc.property(sample, (message) => {
        expect(decode<Sample>(joined(encode(message, SAMPLE)), SAMPLE)).toEqual(message);
      }),
    );
  });

  it('writes the bytes the format prescribes', () => {
    // Field 1 varint 150 is the example of the encoding guide; −1 takes ten bytes.
    expect([...joined(encode({ integer: 150 }, SAMPLE))]).toEqual([0x08, 0x96, 0x01]);
    expect([...joined(encode({ integer: -1 }, SAMPLE))]).toEqual([0x08, ...Array(9).fill(0xff), 0x01]);
    expect([...joined(encode({ text: 'testing' }, SAMPLE))]).toEqual([0x12, 7, ...Buffer.from('testing')]);
  });

  it('reads packed and unpacked lists alike', () => {
    const packed = Uint8Array.of(0x1a, 6, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05);
    const unpacked = Uint8Array.of(0x18, 0x03, 0x18, 0x8e, 0x02, 0x18, 0x9e, 0xa7, 0x05);
    expect(decode<Sample>(packed, SAMPLE).list).toEqual([3, 270, 86942]);
    expect(decode<Sample>(unpacked, SAMPLE).list).toEqual([3, 270, 86942]);
  });

  it('hands large byte fields through without copying them, both ways', () => {
    const raw = new Uint8Array(100_000).fill(7);
    const parts = encode({ dims: [100_000], dataType: 2, raw }, TENSOR);
    expect(parts.some((part) => part.buffer === raw.buffer)).toBe(true);
    const file = joined(parts);
    const read = decode<Tensor>(file, TENSOR);
    expect(read.raw!.buffer).toBe(file.buffer);
    expect(read.raw).toEqual(raw);
  });

  it('keeps a whole model: reading and writing again gives the same bytes', () => {
    const parts = encode(tinyNetwork(), MODEL);
    const file = joined(parts);
    expect(file.length).toBe(lengthOf(parts));
    expect(joined(encode(decode<Model>(file, MODEL), MODEL))).toEqual(file);
  });

  it('refuses truncated input, unknown fields and integers a number cannot hold', () => {
    const file = joined(encode({ text: 'testing' }, SAMPLE));
    expect(() => decode(file.subarray(0, 5), SAMPLE)).toThrow('truncated');
    expect(() => decode(Uint8Array.of(0x78, 1), SAMPLE)).toThrow('Sample: unknown field 15');
    expect(() => decode(Uint8Array.of(0x08, ...Array(8).fill(0xff), 0x7f), SAMPLE)).toThrow('2^53');
  });
});
