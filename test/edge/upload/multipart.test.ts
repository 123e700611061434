/** A body means the same however the network cuts it into chunks. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { createBodies } from '../../../edge/spool/bodies.ts';
import { MultipartError, multipartSplitter } from '../../../edge/upload/multipart.ts';
import { readUpload } from '../../../edge/upload/read-upload.ts';
import { jpegOf } from '../../support/image-heads.ts';
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts';
import { fakeOrigin } from '../support/origin.ts';
import { as, audited, call, HERO, newAccount, problemOf } from '../support/service.ts';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (char) => char.charCodeAt(0));
const incoming = (stream: ReadableStream<Uint8Array>) => ({
  body: stream,
  contentType: 'multipart/form-data; boundary=xx',
  bytes: undefined,
});
const readingAt = (clock: VirtualClock) => ({ clock, openRoom: createBodies(clock).of('a') });
const textOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

type Part = { name: string; filename?: string; content: string };
const body = (parts: readonly Part[], { boundary = 'xx', preamble = '', epilogue = '\r\n' } = {}): string => {
  const written = parts.map(({ name, filename, content }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  });
  return `${preamble}${written.join('')}--${boundary}--${epilogue}`;
};

/** The parts read from a body that arrives in these chunks. */
const split = (chunks: readonly Uint8Array[], boundary = 'xx'): { parts: Part[]; closed: boolean } => {
  const splitter = multipartSplitter(boundary);
  const parts: Part[] = [];
  for (const chunk of chunks) {
    for (const event of splitter.push(chunk)) {
      if (event.kind === 'head') parts.push({ ...event.head, content: '' } as Part);
      if (event.kind === 'bytes') (parts.at(-1) as Part).content += textOf(event.bytes);
    }
  }
  return { parts, closed: splitter.closed };
};
const cutAt = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] =>
  [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length));

/** Contents that look like boundaries and are none. */
const parts: readonly Part[] = [
  { name: 'files', filename: 'a.jpg', content: 'abc\r\n--x\r\n--\r\n\r\n--xy\r\r\n-' },
  { name: 'canvas', filename: undefined as never, content: '1600' },
  { name: 'files', filename: 'empty.jpg', content: '' },
  { name: 'files', filename: 'line end.jpg', content: '\r\n' },
];
const expected = parts.map((part) => ({ ...part }));

/** Numbers in [0, 1) from a seed (xorshift32). */
const randomOf = (seed: number) => () => {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) / 2 ** 32;
};

describe('a multipart body', () => {
  it.each([
    ['plain', {}],
    ['after a preamble', { preamble: 'ignored\r\n--x\r\n' }],
    ['before an epilogue', { epilogue: ' \r\nignored\r\n--xx\r\nnot a part' }],
    ['without a line end at its end', { epilogue: '' }],
  ])('%s: reads the same for every cut in two, and byte by byte', (_, around) => {
    const bytes = bytesOf(body(parts, around));
    for (let at = 0; at <= bytes.length; at++)
      expect(split(cutAt(bytes, [at])), `cut at ${at} of ${bytes.length}`).toEqual({ parts: expected, closed: true });
    expect(split(Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)))).toEqual({ parts: expected, closed: true });
  });

  it('reads the same for 3,000 drawn bodies cut at drawn places', () => {
    const random = randomOf(7);
    const below = (n: number) => Math.floor(random() * n);
    const letters = [
      '\r',
      '\n',
      '-',
      'x',
      '\r\n',
      '--',
      '\r\n--',
      '\r\n--x',
      '\r\n--xx'.slice(0, 5),
      'a',
      '\0',
      '\xff',
    ];
    for (let round = 0; round < 3_000; round++) {
      const drawn = Array.from({ length: 1 + below(4) }, (_, i) => ({
        name: 'files',
        filename: `${i}.jpg`,
        content: Array.from({ length: below(12) }, () => letters[below(letters.length)]).join(''),
      })).filter(({ content }) => !content.includes('\r\n--xx'));
      const bytes = bytesOf(body(drawn));
      const places = Array.from({ length: below(6) }, () => below(bytes.length + 1)).sort((a, b) => a - b);
      expect(split(cutAt(bytes, places)), JSON.stringify([drawn, places])).toEqual({ parts: drawn, closed: true });
    }
  });

  it('allows white space after a boundary, and refuses text there', () => {
    const head = 'Content-Disposition: form-data; name="a"\r\n\r\n';
    expect(split([bytesOf(`--xx \t\r\n${head}1\r\n--xx--`)])).toMatchObject({
      parts: [{ content: '1' }],
      closed: true,
    });
    expect(() => split([bytesOf(`--xxy\r\n${head}1\r\n--xx--`)])).toThrow(MultipartError);
  });

  it.each([
    ['24%22 monitor.jpg', '24" monitor.jpg'],
    ['24\\" monitor.jpg', '24" monitor.jpg'],
    ['C:\\Users\\me\\mug.jpg', 'C:\\Users\\me\\mug.jpg'],
    ['a\\\\b.jpg', 'a\\b.jpg'],
    ['50%25 off %2522.jpg', '50%25 off %2522.jpg'],
  ])('reads the file name %s as %s, however its sender escapes', (filename, read) => {
    expect(split([bytesOf(body([{ name: 'files', filename, content: 'a' }]))]).parts).toMatchObject([
      { filename: read },
    ]);
  });

  it('is not closed where its last boundary is cut off', () => {
    const bytes = bytesOf(body(parts, { epilogue: '' }));
    for (let cut = 1; cut < 12; cut++) expect(split([bytes.subarray(0, -cut)]).closed).toBe(false);
  });
});

const inChunks = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

describe('an upload', () => {
  it('is accepted when its last two bytes, or all, arrive each in a chunk of their own', async () => {
    fakeOrigin();
    const bytes = bytesOf(body([{ name: 'files', filename: 'a.jpg', content: textOf(jpegOf(200)) }]));
    for (const chunks of [cutAt(bytes, [bytes.length - 2]), Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))]) {
      const account = await newAccount(2);
      const answer = await call(HERO, {
        method: 'POST',
        headers: as(account, { 'content-type': 'multipart/form-data; boundary=xx' }),
        body: inChunks(chunks),
      });
      expect(answer.status).toBe(200);
      expect(await audited(account)).toMatchObject({ spent: 1, held: 0 });
    }
  });

  it('whose headers are no UTF-8 is refused as that', async () => {
    const account = await newAccount(2);
    const answer = await call(HERO, {
      method: 'POST',
      headers: as(account, { 'content-type': 'multipart/form-data; boundary=xx' }),
      body: bytesOf(body([{ name: 'files', filename: '\xff.jpg', content: 'x' }])),
    });
    expect(await problemOf(answer)).toMatchObject({
      status: 400,
      code: 'malformed_request',
      detail: 'A part of the body is not valid UTF-8 text',
    });
  });

  it('keeps one block of a large file in memory, and stores it byte for byte', async () => {
    const content = jpegOf(2 * edgeLimits.spool.blockBytes + 77).map((byte, i) => (i < 64 ? byte : i % 251));
    const [before, after] = body([{ name: 'files', filename: 'a.jpg', content: '|' }]).split('|') as [string, string];
    const whole = new Uint8Array([...bytesOf(before), ...content, ...bytesOf(after)]);
    const blocks: Uint8Array[] = [];
    const sink = {
      takesHeic: false,
      put: async () => expect.fail('a large file is written in blocks'),
      open: async () => ({
        write: async (block: Uint8Array) => void blocks.push(block.slice()),
        complete: async () => {},
        abort: async () => {},
      }),
    };
    const places = Array.from({ length: Math.floor(whole.length / 65_536) }, (_, i) => (i + 1) * 65_536);
    const read = await readUpload(incoming(inChunks(cutAt(whole, places))), readingAt(virtualClock()), () => sink);
    expect(read).toMatchObject({ ok: true, value: { files: [{ bytes: content.length, failure: null }] } });
    expect(blocks.map((block) => block.length)).toEqual([edgeLimits.spool.blockBytes, edgeLimits.spool.blockBytes, 77]);
    const stored = new Uint8Array(await new Blob(blocks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    expect(stored.every((byte, i) => byte === content[i])).toBe(true);
  });

  it('that comes slower than the minimum, or stops, is given up within its window', async () => {
    const clock = virtualClock();
    const begunMs = clock.nowMs();
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytesOf(body(parts).slice(0, 40))),
    });
    const read = await clock.run(readUpload(incoming(silent), readingAt(clock), undefined));
    expect(read).toMatchObject({ ok: false, failure: { code: 'body_too_slow' } });
    expect(clock.nowMs() - begunMs).toBe(edgeLimits.spool.clientWindowMs);
  });
});
