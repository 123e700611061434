/** The code that the log offers to run a request again, run as it is shown, with names that need every escape. */
import { spawn } from 'node:child_process';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Again, againSamples } from '../../portal/src/samples/again.ts';
import { UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import type { TemporarySystem } from '../support/local-system.ts';
import { pythonWith } from '../support/python.ts';

const root = join(import.meta.dirname, '..', '..');
const RUN_MS_MAX = 90_000;
const HARD = `a "mug" & $HOME's \\ half; 100%.jpg`;

const requests = (base: string): readonly Again[] => [
  { style: 'upload', sources: ['mug.jpg'], fields: {} },
  {
    style: 'upload',
    sources: [HARD],
    fields: { marketplace: 'ebay', background: '#f4f4f4', fill: '0.8', canvas: '1200' },
  },
  { style: 'upload', sources: ['mug.jpg', HARD], fields: { marketplaces: 'amazon,etsy', region: '5%,5%,90%,90%' } },
  { style: 'batch', sources: [`${base}/samples/mug.jpg`], fields: { canvas: '1801x2600', shadow: 'soft' } },
];

const execute = (command: string, file: string, cwd: string, env: NodeJS.ProcessEnv) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    const child = spawn(command, [file], { cwd, env, timeout: RUN_MS_MAX });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });

/** A folder with the photos, in which `packshot` is the client of this repository. */
const workFolder = async (folder: string): Promise<string> => {
  const work = join(folder, 'again');
  const client = join(work, 'node_modules', 'packshot');
  await mkdir(client, { recursive: true });
  for (const name of ['mug.jpg', HARD])
    await copyFile(join(root, 'portal', 'public', 'samples', 'mug.jpg'), join(work, name));
  await symlink(join(root, 'clients', 'typescript', 'src'), join(client, 'src'));
  await writeFile(join(client, 'package.json'), '{"name": "packshot", "type": "module", "exports": "./src/index.ts"}');
  return work;
};

const suffix = { sh: 'sh', ts: 'mts', py: 'py' };

/** Throws where one does not make its images. `noPython` says why those in Python are left out. */
export const runAgain = async (
  folder: string,
  system: TemporarySystem,
  noPython: string | undefined,
): Promise<string> => {
  const work = await workFolder(folder);
  const python = noPython ? '' : join(await pythonWith(['httpx==0.28.1']), 'python');
  const commands = { sh: 'bash', ts: process.execPath, py: python };
  const PYTHONPATH = join(root, 'clients', 'python', 'src');
  const env = { PATH: process.env['PATH'], HOME: work, PYTHONPATH, PACKSHOT_KEY: system.apiKey };
  let ran = 0;
  for (const request of requests(system.baseUrl))
    for (const { name, language, source } of againSamples(request)) {
      if (language === 'py' && noPython) continue;
      const file = `again.${suffix[language]}`;
      await writeFile(join(work, file), source.replaceAll(UNKNOWN_ORIGIN, system.baseUrl));
      const { code, output } = await execute(commands[language], file, work, env);
      const links = output.match(/\/downloads\//g)?.length ?? 0;
      const isMade = language === 'sh' && request.style === 'batch' ? output.includes('"queued"') : links > 0;
      if (code !== 0 || !isMade || (language !== 'sh' && links !== request.sources.length))
        throw new Error(`${request.style}, ${name}: ended with ${code}\n${source}\n${output}`);
      ran++;
    }
  return `${ran} programs${noPython ? `; those in Python were left out: ${noPython}` : ''}`;
};
