/** The code beside a photo makes the very call that the page makes, when it is run as it is shown. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isStillAsked } from '../../portal/src/playground/asked.ts';
import { type Choice, firstChoice, sentFields } from '../../portal/src/playground/options.ts';
import { uploadSamples } from '../../portal/src/samples/upload.ts';
import { paths, UNKNOWN_ORIGIN } from '../../shared/paths.ts';

const MATTE = new Blob(['the matte']);
let server: Server;
let folder: string;
/** Of the last call: its path, and the form's parts, files by their names. */
let sent: { readonly path: string | undefined; readonly parts: Readonly<Record<string, string>> } | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'samples-'));
  server = createServer(async (request, response) => {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(Uint8Array.from(await buffer(request)), { headers }).formData();
    const parts = Array.from(form, async ([name, value]) => [
      name,
      typeof value === 'string' ? value : `${value.name}: ${await value.text()}`,
    ]);
    sent = { path: request.url, parts: Object.fromEntries(await Promise.all(parts)) };
    response.end(JSON.stringify({ code: 'heard', detail: 'by a test' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const commands: Record<string, readonly [command: string, file: string]> = {
  curl: ['bash', 'sample.sh'],
  TypeScript: [process.execPath, 'sample.mts'],
};

const sentBy = async (language: string, source: string): Promise<typeof sent> => {
  sent = undefined;
  const [command, file] = commands[language]!;
  const { port } = server.address() as AddressInfo;
  await writeFile(join(folder, file), source.replaceAll(UNKNOWN_ORIGIN, `http://127.0.0.1:${port}`));
  const child = spawn(command, [file], { cwd: folder, env: { ...process.env, PACKSHOT_KEY: 'k' }, stdio: 'ignore' });
  await new Promise((resolve) => child.on('close', resolve));
  return sent;
};

const choice: Choice = {
  ...firstChoice,
  further: ['etsy'],
  background: '#ffeedd',
  canvas: 1_200,
  fill: 0.8,
  region: '10%,5%,45%,90%',
};
const fields = { marketplaces: 'amazon,etsy', background: '#ffeedd', canvas: '1200', fill: '0.8' };

describe('the call in code', () => {
  it.each([
    ['curl', 'mug.jpg'],
    ['curl', 'mug, front;type=x.jpg'],
    ['curl', `it's "$(id)" \\ \`id\`.jpg`],
    ['TypeScript', `it's "$(id)" \\ \`id\`, front.jpg`],
  ])('of %s sends the photo %j with its options and its region', async (language, name) => {
    await writeFile(join(folder, name), 'the photo');
    const sample = uploadSamples(name, sentFields(choice, undefined)).find((one) => one.name === language);
    const call = await sentBy(language, sample?.source ?? '');
    const [, file = ''] = Object.entries(call?.parts ?? {}).find(([part]) => part === 'files') ?? [];
    expect(file.replaceAll('%22', '"')).toBe(`${name}: the photo`);
    expect(call).toMatchObject({ path: paths.hero, parts: { ...fields, region: choice.region } });
    expect(Object.keys(call?.parts ?? {}).sort()).toEqual([...Object.keys(fields), 'files', 'region'].sort());
  });

  it.each(['curl', 'TypeScript'])('of %s sends a painted matte in the place of the region', async (language) => {
    await writeFile(join(folder, 'mug.jpg'), 'the photo');
    await writeFile(join(folder, 'matte.png'), await MATTE.text());
    const sample = uploadSamples('mug.jpg', sentFields(choice, MATTE), 'matte.png').find(
      (one) => one.name === language,
    );
    expect(await sentBy(language, sample?.source ?? '')).toEqual({
      path: paths.hero,
      parts: { ...fields, files: 'mug.jpg: the photo', matte: 'matte.png: the matte' },
    });
  });

  it('of Python sends a painted matte, too', () => {
    const [python] = uploadSamples('mug.jpg', sentFields(choice, MATTE), 'matte.png').filter(
      ({ name }) => name === 'Python',
    );
    expect(python?.source).toContain('files={"files": photo, "matte": matte},');
    expect(python?.source).toContain('"canvas": "1200"');
    expect(python?.source).not.toContain('region');
  });
});

describe('an answer of the API', () => {
  const photo = new File(['a'], 'mug.jpg');
  const asked = { photo, choice };
  it('belongs to the page while it shows the same photo, with options that make the same file', () => {
    expect(isStillAsked(asked, { photo, choice: { ...choice } })).toBe(true);
  });
  it.each([
    ['another photo', { photo: new File(['a'], 'mug.jpg'), choice }],
    ['another marketplace', { photo, choice: { ...choice, marketplace: 'ebay' } }],
    ['another region', { photo, choice: { ...choice, region: undefined } }],
    ['no photo', undefined],
  ] as const)('does not when it shows %s', (_what, now) => {
    expect(isStillAsked(asked, now)).toBe(false);
  });
});
