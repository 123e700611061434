import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameReader, frameHeader } from '../../../origin/processes/frames.ts';

const PAYLOAD_MAX = 2_000;

describe('frames between a node and a child process', () => {
  it('arrive whole and in order, however the stream is cut', () => {
    const frames = fc.array(fc.record({ id: fc.nat(), payload: fc.uint8Array({ maxLength: PAYLOAD_MAX }) }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }), (sent, cuts) => {
        const stream = Buffer.concat(
          sent.flatMap(({ id, payload }) => [
            frameHeader({ kind: 2, id, count: 1, width: 64, height: 128 }, payload.byteLength),
            payload,
          ]),
        );
        const got: { id: number; payload: Uint8Array }[] = [];
        const kept: Uint8Array[] = [];
        const read = createFrameReader(
          PAYLOAD_MAX,
          'reuse',
          ({ id, payload }) => void got.push({ id, payload: payload.slice() }),
        );
        const readOwn = createFrameReader(PAYLOAD_MAX, 'own', ({ payload }) => void kept.push(payload));
        for (let at = 0, i = 0; at < stream.length; i++) {
          const end = at + (cuts[i % cuts.length] ?? 1);
          read(stream.subarray(at, end));
          readOwn(stream.subarray(at, end));
          at = end;
        }
        expect(got).toEqual(sent);
        // A payload of its own stays what it was, and has a buffer that can be transferred.
        expect(kept).toEqual(sent.map(({ payload }) => payload));
        for (const { buffer, byteLength } of kept) expect(buffer.byteLength).toBe(byteLength);
      }),
    );
  });

  it('end the stream where a header announces more than any frame can hold', () => {
    const read = createFrameReader(PAYLOAD_MAX, 'reuse', () => undefined);
    expect(() => read(frameHeader({ kind: 2, id: 1, count: 1, width: 1, height: 1 }, PAYLOAD_MAX + 1))).toThrow(
      /larger/,
    );
  });
});
