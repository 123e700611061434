/** What reads requests from outside: any input is taken or refused as its callers expect, and nothing else happens. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseRange } from '../../edge/download/range.ts';
import { MultipartError, multipartSplitter, type PartEvent } from '../../edge/upload/multipart.ts';
import { newApiKey, parseApiKey } from '../../shared/api-key.ts';
import { newId, parseImageId } from '../../shared/ids.ts';
import { IMAGE_LIST, IMAGE_LIST_CHARS_MAX, imageList, imagesIn } from '../../shared/image-list.ts';
import { limits } from '../../shared/limits.ts';
import {
  canvasPixels,
  optionsFromFields,
  optionsSchema,
  resolvedOptionsSchema,
  resolveOptions,
} from '../../shared/options.ts';
import { addressOfHost, isPublicAddress, publicUrl } from '../../shared/public-address.ts';
import { signDownload, verifyDownload } from '../../shared/signed-token.ts';
import { damaged, holds, holdsLater } from './runs.ts';

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

type Part = { readonly name: string; readonly filename: string | undefined; readonly bytes: Uint8Array };
const BOUNDARY = 'b0und-ary';
const bodyOf = (parts: readonly Part[]): Uint8Array =>
  Buffer.concat([
    ...parts.flatMap(({ name, filename, bytes }) => [
      latin1(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n`,
      ),
      bytes,
      latin1('\r\n'),
    ]),
    latin1(`--${BOUNDARY}--\r\n`),
  ]);
/** Parts as read from a body that comes in pieces of the given sizes, over and over. */
const read = (body: Uint8Array, sizes: readonly number[]): { parts: Part[]; closed: boolean } => {
  const splitter = multipartSplitter(BOUNDARY);
  const parts: Part[] = [];
  let chunks: Uint8Array[] = [];
  let head: Extract<PartEvent, { kind: 'head' }>['head'] | undefined;
  for (let at = 0, i = 0; at < body.length; i++) {
    const to = at + (sizes[i % sizes.length] ?? 1);
    for (const event of splitter.push(body.subarray(at, to))) {
      if (event.kind === 'head') [head, chunks] = [event.head, []];
      else if (event.kind === 'bytes') chunks.push(event.bytes.slice());
      else parts.push({ name: head!.name, filename: head!.filename, bytes: new Uint8Array(Buffer.concat(chunks)) });
    }
    at = to;
  }
  return { parts, closed: splitter.closed };
};
const word = fc.stringMatching(/^[a-z0-9 ._[\]-]{1,20}$/).filter((text) => text.trim() === text);
/** Bytes that like to look like a boundary. */
const content = fc
  .array(
    fc.oneof(fc.constantFrom('\r', '\n', '-', '--', `--${BOUNDARY}`, `\r\n--${BOUNDARY.slice(0, 5)}`), fc.string()),
  )
  .map((pieces) => latin1(pieces.join('')))
  .filter(
    (bytes) => !Buffer.from(`\r\n${Buffer.from(bytes).toString('latin1')}`, 'latin1').includes(`\r\n--${BOUNDARY}`),
  );
const someParts = fc.array(fc.record({ name: word, filename: fc.option(word, { nil: undefined }), bytes: content }), {
  minLength: 1,
  maxLength: 4,
});
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

it('a multipart body is read as it was written, wherever the network cuts it', () => {
  holds(fc.tuple(someParts, sizes), ([parts, cuts]) => {
    expect(read(bodyOf(parts), cuts)).toEqual({ parts, closed: true });
  });
});

it('a damaged multipart body gives parts or a MultipartError, the same however it is cut', () => {
  const outcome = (body: Uint8Array, cuts: readonly number[]): unknown => {
    try {
      return read(body, cuts);
    } catch (error) {
      if (!(error instanceof MultipartError)) throw error;
      return error.message;
    }
  };
  const body = bodyOf([
    { name: 'files', filename: 'a.jpg', bytes: latin1('\xff\xd8\xff') },
    { name: 'marketplace', filename: undefined, bytes: latin1('amazon') },
  ]);
  holds(fc.tuple(damaged([body]), sizes), ([bytes, cuts]) => {
    expect(outcome(bytes, cuts)).toEqual(outcome(bytes, [bytes.length]));
  });
});

const names = Object.keys(optionsSchema.shape);
const optionValue = fc.oneof(
  fc.constantFrom(
    'amazon',
    'zalando',
    'amazon,walmart',
    'white',
    '#F4F4F4',
    'transparent',
    'jpg',
    'png',
    'hero',
    'original',
  ),
  fc.constantFrom(
    '1801x2600',
    '2000',
    'soft',
    'none',
    'iptc',
    'fail',
    2_000,
    0.85,
    92,
    Number.NaN,
    1e308,
    -1,
    '__proto__',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const anyOptions = fc.dictionary(
  fc.oneof(fc.constantFrom(...names), fc.constantFrom('__proto__', 'Canvas', '')),
  optionValue,
  {
    maxKeys: 5,
  },
);

it('any options are resolved to what a job may carry, or refused with a row for a field', () => {
  holds(fc.oneof(anyOptions, fc.jsonValue()), (raw) => {
    const resolved = resolveOptions(raw);
    if (resolved.ok) {
      expect(resolvedOptionsSchema.parse(resolved.value)).toEqual(resolved.value);
      expect(canvasPixels(resolved.value)).toBeLessThanOrEqual(limits.canvas.pixelsMax);
    } else {
      expect(resolved.failure.code).toBe('invalid_options');
      expect(resolved.failure.errors?.length).toBeGreaterThan(0);
    }
  });
});

it('options of a form mean what the same options mean in JSON', () => {
  const text = fc.constantFrom(
    'amazon',
    '2000',
    '0.85',
    '1801x2600',
    '92',
    'white',
    'png',
    'hero',
    '',
    ' 7 ',
    '1e3',
    '0x10',
  );
  holds(fc.dictionary(fc.constantFrom(...names), text, { maxKeys: 4 }), (fields) => {
    const typed = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        ['canvas', 'fill', 'quality'].includes(name) && /\S/.test(value) && !Number.isNaN(Number(value))
          ? Number(value)
          : value,
      ]),
    );
    expect(resolveOptions(optionsFromFields(new Map(Object.entries(fields))))).toEqual(resolveOptions(typed));
  });
});

it('any Range header is a slice within the file, unsatisfiable, or ignored', () => {
  const header = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.constantFrom('bytes=', 'Bytes=', 'bytes =', ''), fc.stringMatching(/^[0-9,-]{0,30}$/))
      .map((two) => two.join('')),
  );
  holds(fc.tuple(fc.option(header, { nil: undefined }), fc.nat({ max: 1_000 })), ([text, bytes]) => {
    const slice = parseRange(text, bytes);
    if (slice === undefined || slice === 'unsatisfiable') return;
    expect(0 <= slice.first && slice.first <= slice.last && slice.last < bytes).toBe(true);
  });
});

const randomBytes = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const accountId = newId('account', 1_764_000_000_000, randomBytes);

it('a key is read only as it was made: every change of it is refused', () => {
  const key = newApiKey('live', accountId, randomBytes);
  expect(parseApiKey(key)).toEqual({ mode: 'live', accountId, text: key });
  holds(damaged([latin1(key)]), (bytes) => {
    const text = Buffer.from(bytes).toString('latin1');
    if (text !== key) expect(parseApiKey(text)).toBeUndefined();
  });
});

it('a download token opens its own object under its own name, and no change of either opens any', async () => {
  const download = {
    objectKey: 'results/bat_1/0000.jpg',
    filename: 'a b.jpg',
    expiresAtMs: 2_000_000_000_000,
    madeFor: 'key' as const,
  };
  const secret = 'a secret of the fuzzer, long enough';
  const token = await signDownload(download, secret);
  const opened = await verifyDownload(token, download.filename, [secret], 0);
  expect(opened).toEqual({ ok: true, value: download });
  await holdsLater(fc.tuple(damaged([latin1(token)]), damaged([latin1('a b.jpg')])), async ([bytes, name]) => {
    const [text, filename] = [bytes, name].map((each) => Buffer.from(each).toString('latin1')) as [string, string];
    if (text === token && filename === download.filename) return;
    expect(await verifyDownload(text, filename, [secret], 0)).toMatchObject({ failure: { code: 'download_invalid' } });
  });
});

it('a list of images is short, valid, and gives back the images it was made of', () => {
  holds(fc.uniqueArray(fc.nat({ max: 999 }), { minLength: 1, maxLength: 1_000 }), (indexes) => {
    const list = imageList(indexes);
    expect(list).toMatch(IMAGE_LIST);
    expect(list.length).toBeLessThanOrEqual(IMAGE_LIST_CHARS_MAX);
    expect(imagesIn(list)).toEqual([...indexes].sort((a, b) => a - b));
  });
});

it('any text is an image id of a batch and a place, or none', () => {
  const id = 'img_01jd0000000000000000000000_0007';
  holds(damaged([latin1(id)]), (bytes) => {
    const parsed = parseImageId(Buffer.from(bytes).toString('latin1'));
    if (!parsed) return;
    expect(parsed.batchId).toMatch(/^bat_[0-9a-z]{26}$/);
    expect(Number.isInteger(parsed.index) && parsed.index >= 0 && parsed.index <= 9_999).toBe(true);
  });
});

it('any address is fetched from a public host by http alone, or refused', () => {
  const host = fc.oneof(
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.domain(),
    fc.constantFrom(
      'localhost',
      '0',
      '127.1',
      '[::ffff:10.0.0.1]',
      '169.254.169.254.',
      'a.local',
      'metadata',
      '1.1.1.1',
      '２.２.２.２',
    ),
  );
  const address = fc.oneof(
    fc.string(),
    fc
      .tuple(
        fc.constantFrom('http', 'https', 'ftp', 'file', 'HTTP'),
        fc.constantFrom('', 'a@', 'a:b@'),
        host,
        fc.constantFrom('', ':80', ':22', ':8443'),
      )
      .map(([scheme, user, name, port]) => `${scheme}://${user}${name}${port}/x?y#z`),
  );
  holds(address, (text) => {
    const found = publicUrl(text, { ownHosts: ['.packshot.test'], localHosts: [] });
    if (!found.ok) {
      expect(['url_invalid', 'url_forbidden']).toContain(found.failure.code);
      return;
    }
    const { protocol, hostname, username, hash } = found.value;
    expect([['http:', 'https:'].includes(protocol), username, hash]).toEqual([true, '', '']);
    const literal = addressOfHost(hostname);
    expect(literal === undefined ? hostname.includes('.') : isPublicAddress(literal)).toBe(true);
  });
});
