/** What the arguments name: files, folders, patterns, URLs, lists of these, standard input. */
import { readFile, stat } from 'node:fs/promises';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { escapePath, glob, isDynamicPattern } from 'tinyglobby';
import { isHeic, SNIFF_BYTES, sniffImage } from '../../../shared/image-type.ts';
import { UsageError } from './exit-codes.ts';

/** `name`: where its result goes below the output folder, with the source's extension or none. */
export type Source =
  | { readonly kind: 'file'; readonly path: string; readonly name: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly name: string }
  | { readonly kind: 'url'; readonly url: string; readonly name: string };

/** As the caller knows it. */
export const inputName = (source: Source): string =>
  source.kind === 'url' ? source.url : source.kind === 'file' ? source.path : '-';

export const IMAGE_EXTENSIONS = [
  'jpg',
  'jpeg',
  'png',
  'webp',
  'avif',
  'tif',
  'tiff',
  'gif',
  'bmp',
  'psd',
  'psb',
  'jxl',
  'heic',
  'heif',
];
const LIST_EXTENSIONS = ['.csv', '.jsonl', '.ndjson', '.txt'];
const URL_COLUMNS = ['url', 'input_url', 'image_url', 'image'];
const NAME_COLUMNS = ['filename', 'name', 'output'];

/** Sorted within each argument. `outside`: the output folder, whose own files are no inputs. */
export const sourcesOf = async (inputs: readonly string[], outside: string): Promise<Source[]> =>
  (await Promise.all(inputs.map((input) => sourcesIn(input, outside)))).flat();

const imagesBelow = `**/*.{${IMAGE_EXTENSIONS.join(',')}}`;

const sourcesIn = async (input: string, outside: string): Promise<Source[]> => {
  if (input === '-') return fromStdin(outside);
  if (isUrl(input)) return [fromUrl(input)];
  const found = await stat(input).catch(() => undefined);
  if (found?.isDirectory()) return matching(imagesBelow, input, outside);
  if (found && LIST_EXTENSIONS.includes(extname(input).toLowerCase()))
    return fromList(await readFile(input, 'utf8'), extname(input).toLowerCase(), outside);
  if (found) return [{ kind: 'file', path: input, name: basename(input) }];
  if (!isDynamicPattern(input)) throw new UsageError(`${input}: no such file or folder`);
  const base = fixedPart(input);
  const below = await matching(input.slice(base.length).replace(/^\//, ''), base || '.', outside);
  if (below.length === 0) throw new UsageError(`${input}: nothing matches`);
  return below;
};

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** The folders of a pattern before its first wildcard. */
const fixedPart = (pattern: string): string => {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => isDynamicPattern(part));
  return parts.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '');
};

const matching = async (pattern: string, folder: string, outside: string): Promise<Source[]> => {
  const inside = relative(resolve(folder), resolve(outside));
  const isBelow = inside !== '' && !inside.startsWith('..') && resolve(folder, inside) === resolve(outside);
  const names = await glob(pattern, {
    cwd: resolve(folder),
    caseSensitiveMatch: false,
    onlyFiles: true,
    ignore: isBelow ? [`${escapePath(inside.split(sep).join('/'))}/**`] : [],
  });
  return names.sort().map((name) => ({ kind: 'file', path: join(folder, name), name }));
};

const fromUrl = (url: string, filename?: string): Source => ({ kind: 'url', url, name: filename || nameInUrl(url) });

const nameInUrl = (url: string): string => {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || 'image';
  } catch {
    return last;
  }
};

/** An image itself, or a list in any of the forms that a file may have. */
const fromStdin = async (outside: string): Promise<Source[]> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  const bytes = Buffer.concat(chunks);
  const head = bytes.subarray(0, SNIFF_BYTES);
  if (sniffImage(head) !== undefined || isHeic(head)) return [{ kind: 'bytes', bytes, name: 'image' }];
  const text = bytes.toString('utf8');
  const first = text.trimStart()[0];
  return fromList(text, first === '{' || first === '"' ? '.jsonl' : text.includes(',') ? '.csv' : '.txt', outside);
};

type Row = { readonly input: string; readonly name: string | undefined };

const fromList = async (text: string, extension: string, outside: string): Promise<Source[]> => {
  const rows = extension === '.csv' ? csvRows(text) : extension === '.txt' ? textRows(text) : jsonRows(text);
  const found = await Promise.all(
    rows.map(async ({ input, name }) => {
      if (isUrl(input)) return [fromUrl(input, name)];
      if (extname(input) !== '' && LIST_EXTENSIONS.includes(extname(input).toLowerCase()))
        throw new UsageError(`${input}: a list may not name another list`);
      const sources = await sourcesIn(input, outside);
      return sources.map((source) => (name === undefined || sources.length > 1 ? source : { ...source, name }));
    }),
  );
  return found.flat();
};

const textRows = (text: string): Row[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((input) => ({ input, name: undefined }));

/** By its heading where it has one, else the first column. */
const csvRows = (text: string): Row[] => {
  const rows: string[][] = parseCsv(text, { bom: true, skipEmptyLines: true, relaxColumnCount: true, trim: true });
  const head = rows[0]?.map((cell) => cell.toLowerCase()) ?? [];
  const url = head.findIndex((cell) => URL_COLUMNS.includes(cell));
  const name = head.findIndex((cell) => NAME_COLUMNS.includes(cell));
  const body = url === -1 ? rows : rows.slice(1);
  return body.flatMap((row) => {
    const input = row[Math.max(0, url)];
    return input ? [{ input, name: (name === -1 ? undefined : row[name]) || undefined }] : [];
  });
};

const jsonRows = (text: string): Row[] =>
  textRows(text).map(({ input: line }, index) => {
    const value = parsedLine(line, index);
    if (typeof value === 'string') return { input: value, name: undefined };
    const fields = Object.entries((value ?? {}) as Record<string, unknown>);
    const input = fields.find(([key]) => URL_COLUMNS.includes(key))?.[1];
    const name = fields.find(([key]) => NAME_COLUMNS.includes(key))?.[1];
    if (typeof input !== 'string') throw new UsageError(`line ${index + 1} names no url`);
    return { input, name: typeof name === 'string' ? name : undefined };
  });

const parsedLine = (line: string, index: number): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw new UsageError(`line ${index + 1} is not JSON`);
  }
};
