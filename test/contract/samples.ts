/** The code samples of the documentation, taken from its pages as Markdown and run as they are printed. */
import { spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { signedHeaders } from '../../edge/webhooks/signature.ts';
import type { TemporarySystem } from '../support/local-system.ts';
import { pythonWith } from '../support/python.ts';

type Sample = { readonly page: string; readonly name: string; readonly language: string; readonly source: string };

const root = join(import.meta.dirname, '..', '..');
const SAMPLE_MS_MAX = 90_000;
/** Their samples are programs: each makes an image, saves it and prints its link. */
const PROGRAMS = ['/docs', '/docs/upload', '/docs/batch'];
/** Theirs look at one and print what was found: the sample photo has too few pixels for Amazon. */
const CHECKS = ['/docs/findings'];
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
const PACKAGES = ['httpx==0.28.1', 'flask==3.1.2'];

/** The tabs of a page: a line in bold, then its code. */
const samplesOf = async (system: TemporarySystem, page: string): Promise<Sample[]> => {
  const answer = await fetch(`${system.baseUrl}${page}.md`);
  const type = answer.headers.get('content-type');
  if (type !== 'text/markdown; charset=utf-8') throw new Error(`${page}.md is ${answer.status} ${type}`);
  const found = (await answer.text()).matchAll(/^\*\*(.+)\*\*\n\n```(sh|ts|py)\n([\s\S]*?)^```$/gm);
  return Array.from(found, ([, name = '', language = '', source = '']) => ({ page, name, language, source }));
};

type Ran = { readonly code: number | null; readonly output: string };

const execute = (command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: SAMPLE_MS_MAX });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });

const suffix: Record<string, string> = { sh: 'sh', ts: 'mts', py: 'py' };

const runFile = async (sample: Sample, folder: string, python: string, env: NodeJS.ProcessEnv): Promise<Ran> => {
  const file = `sample.${suffix[sample.language]}`;
  await writeFile(join(folder, file), sample.source);
  const commands: Record<string, string> = { sh: 'bash', ts: process.execPath, py: python };
  return execute(commands[sample.language] ?? '', [file], folder, env);
};

/** Saves the image that its link leads to. */
const runProgram = async (sample: Sample, folder: string, python: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const before = new Set(await readdir(folder));
  const { code, output } = await runFile(sample, folder, python, env);
  const [link] = /http[^\s"]+\/downloads\/[^\s"]+/.exec(output) ?? [];
  const made = link && Buffer.from(await (await fetch(link)).arrayBuffer());
  const saved = (await readdir(folder)).filter((name) => name.endsWith('.jpg') && !before.has(name));
  const [file] = await Promise.all(saved.map((name) => readFile(join(folder, name))));
  if (code !== 0 || !made || !file?.equals(made))
    throw new Error(
      `${sample.page}, ${sample.name}: ended with ${code} and saved ${saved.join(', ') || 'nothing'}\n${output}`,
    );
  await Promise.all(saved.map((name) => rm(join(folder, name))));
};

/** Says the code of a file that is no image, and saves none. */
const runRefused = async (sample: Sample, folder: string, python: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const good = await readFile(join(folder, 'photo.jpg'));
  await writeFile(join(folder, 'photo.jpg'), 'not an image');
  const { output } = await runFile(sample, folder, python, env);
  await writeFile(join(folder, 'photo.jpg'), good);
  if (!output.includes('unsupported_media_type') || (await readdir(folder)).includes('main-image.jpg'))
    throw new Error(`${sample.page}, ${sample.name}: does not say what is wrong with a photo\n${output}`);
};

const runCheck = async (sample: Sample, folder: string, python: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const { code, output } = await runFile(sample, folder, python, env);
  if (code !== 0 || !output.includes('source_too_small'))
    throw new Error(`${sample.page}, ${sample.name}: ended with ${code} and no finding\n${output}`);
};

/** Says that the image it made is deleted, or being deleted. */
const runDeletion = async (sample: Sample, folder: string, python: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const { code, output } = await runFile(sample, folder, python, env);
  if (code !== 0 || !/^(20[24]|deleted|deleting)$/m.test(output))
    throw new Error(`${sample.page}, ${sample.name}: ended with ${code} and deleted nothing\n${output}`);
};
const isDeletion = ({ source }: Sample): boolean => /\bDELETE\b|delete_batch/.test(source);

/** What a driver does with a receiver of webhooks: hands it a genuine delivery and an altered one. */
const drivers: Readonly<Record<string, string>> = {
  TypeScript: `import { POST } from './sample.mts';
const ask = (body) => POST(new Request('https://shop.example/', { method: 'POST', headers: delivery.headers, body }));
const told = [(await ask(delivery.body)).status, (await ask(delivery.body + ' ')).status];`,
  'Without a library': `import { verify } from './sample.mts';
const ask = (body) => { try { return verify(body, delivery.headers, delivery.secret).batch_id ? 204 : 0; } catch { return 400; } };
const told = [ask(delivery.body), ask(delivery.body + ' ')];`,
  Python: `import json
from sample import app
delivery = json.load(open("delivery.json"))
client = app.test_client()
ask = lambda body: client.post("/packshot", headers=delivery["headers"], data=body).status_code
told = [ask(delivery["body"]), ask(delivery["body"] + " ")]
assert told == [204, 400], told`,
};
const DRIVER_HEAD = `import { readFileSync } from 'node:fs';
const delivery = JSON.parse(readFileSync('delivery.json', 'utf8'));
`;
const DRIVER_END = `
if (String(told) !== '204,400') throw new Error(String(told));`;

const runReceiver = async (sample: Sample, folder: string, python: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const driver = drivers[sample.name];
  if (!driver) throw new Error(`nothing drives the sample ${sample.name}`);
  await writeFile(join(folder, `sample.${suffix[sample.language]}`), sample.source);
  const isPython = sample.language === 'py';
  const file = `driver.${isPython ? 'py' : 'mts'}`;
  await writeFile(join(folder, file), isPython ? driver : DRIVER_HEAD + driver + DRIVER_END);
  const { code, output } = await execute(isPython ? python : process.execPath, [file], folder, env);
  if (code !== 0) throw new Error(`${sample.page}, ${sample.name}: ${output}`);
};

/** The status of a real batch, signed as the edge signs it. */
const writeDelivery = async (system: TemporarySystem, folder: string): Promise<void> => {
  const headers = { authorization: `Bearer ${system.apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ input_url: `${system.baseUrl}/samples/mug.jpg` });
  const created = await fetch(`${system.baseUrl}/api/v1/service-hero`, { method: 'POST', headers, body });
  const { batch_id } = (await created.json()) as { batch_id: string };
  const status = await fetch(`${system.baseUrl}/api/v1/service-hero/status/${batch_id}?wait=25`, { headers });
  const told = await status.text();
  const message = { id: 'evt_1', timestampSeconds: Math.floor(Date.now() / 1_000), body: told };
  const signed = await signedHeaders(message, SECRET);
  await writeFile(join(folder, 'delivery.json'), JSON.stringify({ secret: SECRET, headers: signed, body: told }));
};

/** Throws where a sample does not work. `noPython` says why those in Python are left out; the text says what ran. */
export const runSamples = async (
  folder: string,
  system: TemporarySystem,
  noPython: string | undefined,
): Promise<string> => {
  const work = join(folder, 'samples');
  await mkdir(work, { recursive: true });
  for (const name of ['photo.jpg', 'mug.jpg'])
    await copyFile(join(root, 'portal', 'public', 'samples', 'mug.jpg'), join(work, name));
  // The mug's half of the photo, more or less: any matte that holds something will do.
  const { width, height } = await sharp(join(work, 'photo.jpg')).metadata();
  const box = {
    input: { create: { width: width >> 1, height: height >> 1, channels: 3, background: '#fff' } },
  } as const;
  await sharp({ create: { width, height, channels: 3, background: '#000' } })
    .composite([{ ...box, gravity: 'centre' }])
    .removeAlpha()
    .png()
    .toFile(join(work, 'matte.png'));
  // Where standardwebhooks is found.
  await symlink(join(root, 'node_modules'), join(work, 'node_modules'));
  await writeDelivery(system, work);
  const python = noPython ? '' : join(await pythonWith(PACKAGES), 'python');
  const env = {
    PATH: process.env['PATH'],
    HOME: work,
    PYTHONPATH: join(root, 'clients', 'python', 'src'),
    PACKSHOT_KEY: system.apiKey,
    PACKSHOT_WEBHOOK_SECRET: SECRET,
  };
  const ran: string[] = [];
  const runnerOf = (page: string) =>
    PROGRAMS.includes(page) ? runProgram : CHECKS.includes(page) ? runCheck : runReceiver;
  for (const page of [...PROGRAMS, ...CHECKS, '/docs/webhooks']) {
    const samples = await samplesOf(system, page);
    if (samples.length < 3) throw new Error(`${page}.md has ${samples.length} samples`);
    for (const sample of samples) {
      if (sample.language === 'py' && noPython) continue;
      const isDeleting = isDeletion(sample);
      await (isDeleting ? runDeletion : runnerOf(page))(sample, work, python, env);
      if (page === '/docs') await runRefused(sample, work, python, env);
      ran.push(`${page} ${sample.name}${isDeleting ? ', deleting' : ''}`);
    }
  }
  return ran.join(', ') + (noPython ? `; those in Python were left out: ${noPython}` : '');
};
