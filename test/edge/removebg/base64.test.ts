/** A file as base64 means the same however it is cut, and is never held whole where the form can be read in parts. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { base64Stream } from '../../../edge/removebg/base64-stream.ts';
import { readBody } from '../../../edge/removebg/read-body.ts';
import { createBodies } from '../../../edge/spool/bodies.ts';
import { limits } from '../../../shared/limits.ts';
import { jpegOf } from '../../support/image-heads.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const decodedIn = (pieces: readonly string[]): number[] => {
  const stream = base64Stream();
  return [...pieces.flatMap((piece) => [...stream.take(piece)]), ...stream.end()];
};
const piecesOf = (text: string, chars: number): string[] => text.match(new RegExp(`[^]{1,${chars}}`, 'g')) ?? [];

describe('base64 in pieces', () => {
  const bytes = Array.from({ length: 400 }, (_, i) => (i * 31) % 256);
  const plain = Buffer.from(bytes).toString('base64');
  it.each([
    ['plain', plain],
    ['behind the beginning of a data URL', `data:image/jpeg;charset=x;base64,${plain}`],
    ['in lines', piecesOf(plain, 76).join('\r\n')],
    ['without its padding', plain.replace(/=+$/, '')],
  ])('%s: the same bytes for pieces of every length', (_, text) => {
    for (const chars of [1, 2, 3, 5, 64, 113, 200, text.length])
      expect(decodedIn(piecesOf(text, chars))).toEqual(bytes);
  });

  it.each([['AAAA*AAA'], ['AA==AAAA'], ['A']])('%s is none, whole and character by character', (text) => {
    expect(() => decodedIn([text])).toThrow(SyntaxError);
    expect(() => decodedIn([...text])).toThrow(SyntaxError);
    expect(() => decodedIn(['A'.repeat(400), ...text])).toThrow(SyntaxError);
  });
});

describe('a multipart body with a file as base64', () => {
  const read = async (fileBytes: number) => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    const file = jpegOf(fileBytes);
    const stored: Uint8Array[] = [];
    let most = 0;
    const store = async (block: Uint8Array) => {
      most = Math.max(most, bodies.heldBytes());
      stored.push(block.slice());
    };
    const head = '--xx\r\nContent-Disposition: form-data; name="image_file_b64"\r\n\r\n';
    const body = new Blob([head, Buffer.from(file).toString('base64'), '\r\n--xx--\r\n']).stream();
    const found = await clock.run(
      readBody(
        { body, contentType: 'multipart/form-data; boundary=xx', bytes: undefined },
        { clock, openRoom: bodies.of('a') },
        () => ({
          takesHeic: false,
          put: store,
          open: async () => ({ write: store, complete: async () => {}, abort: async () => {} }),
        }),
      ),
    );
    return {
      found,
      file,
      most,
      stored: new Uint8Array(await new Blob(stored as Uint8Array<ArrayBuffer>[]).arrayBuffer()),
    };
  };

  it('of the largest size is stored byte for byte in blocks, in the room of one', async () => {
    const { found, file, most, stored } = await read(limits.removebg.base64BytesMax);
    expect(found.ok).toBe(true);
    expect(stored.length).toBe(file.length);
    expect(stored.every((byte, i) => byte === file[i])).toBe(true);
    expect(most).toBeLessThanOrEqual(edgeLimits.spool.blockBytes + 2 ** 20 + edgeLimits.bodies.firstBytes);
  });

  it('of one byte more is refused', async () => {
    const { found } = await read(limits.removebg.base64BytesMax + 1);
    expect(found).toMatchObject({ ok: false, failure: { code: 'file_too_large' } });
  });
});
