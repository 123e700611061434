/**
 * The clients of remove.bg, as their users install them: into a folder of their own, never as a dependency of ours. None
 * lets its user name another host; all of them are reached by the proxy in their environment.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_MS_MAX = 8 * 60_000;
const CALL_MS_MAX = 2 * 60_000;

export type Call = {
  readonly key: string;
  readonly photo: string;
  readonly photoUrl: string;
  readonly env: Readonly<Record<string, string>>;
};
/** One call of a client: what its user ends up with. */
export type Made = { readonly name: string; readonly file: Uint8Array; readonly facts?: Record<string, unknown> };
export type Client = {
  readonly name: string;
  /** Throws where a registry, or a tool that it needs, cannot be reached. */
  install(folder: string): Promise<void>;
  /** Throws where the client fails. */
  use(folder: string, call: Call): Promise<readonly Made[]>;
  /** What the client tells its user about a refusal. */
  refused(folder: string, call: Call): Promise<string>;
};

const withEnv = (env: Readonly<Record<string, string>>) => ({
  env: { ...process.env, ...env },
  timeout: CALL_MS_MAX,
  maxBuffer: 64 * 1024 * 1024,
});

const NPM = { name: 'remove.bg', version: '1.3.0' } as const;
const npmScript = (calls: string): string => `const client = require('${NPM.name}');
const { key, photo, photoUrl } = JSON.parse(process.argv[2]);
const b64 = require('node:fs').readFileSync(photo).toString('base64');
const show = (promise) => promise.then((result) => ({ result }), (error) => ({ error }));
(async () => process.stdout.write(JSON.stringify([${calls}])))();
`;
const runNpm = async (
  folder: string,
  calls: string,
  { env, ...call }: Call,
): Promise<{ result?: Record<string, string>; error?: unknown }[]> => {
  const script = join(folder, 'call.cjs');
  await writeFile(script, npmScript(calls));
  // The client makes its connections itself; Node 24 sends them through the environment's proxy where it is told to.
  const asked = withEnv({ ...env, NODE_USE_ENV_PROXY: '1', NODE_NO_WARNINGS: '1' });
  const { stdout } = await run('node', [script, JSON.stringify(call)], asked);
  return JSON.parse(stdout) as { result?: Record<string, string>; error?: unknown }[];
};

const npm: Client = {
  name: `npm ${NPM.name}@${NPM.version}`,
  async install(folder) {
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', ...flags, `${NPM.name}@${NPM.version}`], { cwd: folder, timeout: INSTALL_MS_MAX });
  },
  async use(folder, call) {
    const calls = [
      "await show(client.removeBackgroundFromImageFile({ path: photo, apiKey: key, size: 'full', type: 'product', crop: true, crop_margin: '10%' }))",
      "await show(client.removeBackgroundFromImageBase64({ base64img: b64, apiKey: key, size: 'regular', bg_color: '81d4fa' }))",
      "await show(client.removeBackgroundFromImageUrl({ url: photoUrl, apiKey: key, size: 'auto', scale: '80%', position: 'center' }))",
    ];
    const names = ['file, full, crop', 'base64, regular, bg_color', 'url, auto, scale'];
    const made = await runNpm(folder, calls.join(','), call);
    return made.map(({ result, error }, i) => {
      if (!result) throw new Error(`${names[i]}: ${JSON.stringify(error)}`);
      const { base64img, ...facts } = result;
      return { name: names[i] ?? '', file: Buffer.from(base64img ?? '', 'base64'), facts };
    });
  },
  async refused(folder, call) {
    const asked =
      "await show(client.removeBackgroundFromImageFile({ path: photo, apiKey: key, size: 'full', type: 'car' }))";
    const [answer] = await runNpm(folder, asked, call);
    return JSON.stringify(answer?.error);
  },
};

const PYPI = { name: 'removebg', version: '0.4' } as const;
const pythonScript = (calls: string): string => `import base64, json, sys
sys.path.insert(0, sys.argv[1])
from removebg import RemoveBg
call = json.loads(sys.argv[2])
client = RemoveBg(call['key'], sys.argv[1] + '/errors.log')
out = sys.argv[1] + '/out'
${calls}
`;
const runPython = async (folder: string, calls: string, { env, ...call }: Call): Promise<string> => {
  const script = join(folder, 'call.py');
  await writeFile(script, pythonScript(calls));
  const { stdout } = await run('python3', [script, folder, JSON.stringify(call)], withEnv(env));
  return stdout;
};

const pypi: Client = {
  name: `PyPI ${PYPI.name}==${PYPI.version}`,
  async install(folder) {
    const flags = ['--quiet', '--no-input', '--disable-pip-version-check', '--target', folder];
    await run('python3', ['-m', 'pip', 'install', ...flags, `${PYPI.name}==${PYPI.version}`], {
      timeout: INSTALL_MS_MAX,
    });
  },
  async use(folder, call) {
    await runPython(
      folder,
      `client.remove_background_from_img_file(call['photo'], size='regular', bg_color='fff')
client.remove_background_from_img_url(call['photoUrl'], size='4k', new_file_name=out + '-url.png')
client.remove_background_from_base64_img(base64.b64encode(open(call['photo'], 'rb').read()), size='hd', new_file_name=out + '-b64.png')`,
      call,
    );
    return [
      { name: 'file, regular, bg_color', file: await readFile(`${call.photo}_no_bg.png`) },
      { name: 'url, 4k', file: await readFile(join(folder, 'out-url.png')) },
      { name: 'base64, hd', file: await readFile(join(folder, 'out-b64.png')) },
    ];
  },
  refused: (folder, call) =>
    runPython(
      folder,
      `try:
    client.remove_background_from_img_file(call['photo'], size='8k')
except Exception as error:
    print(error.response.text)`,
      call,
    ),
};

/** Its module was never published for the Go proxy with its own dependencies, so those are named here. */
const GO_REPOSITORY = 'https://github.com/remove-bg/go';
const GO_REQUIRES = [
  'github.com/spf13/cobra@v1.0.0',
  'gopkg.in/AlecAivazis/survey.v1@v1.8.8',
  'github.com/sirupsen/logrus@v1.6.0',
  'github.com/bmatcuk/doublestar@v1.3.0',
] as const;
/** Its tests need more modules, and are not built. */
const GO_FLAGS = { GOFLAGS: '-mod=mod -buildvcs=false' } as const;

const runGo = (
  folder: string,
  flags: readonly string[],
  { key, photo, env }: Call,
): Promise<{ stdout: string; stderr: string }> => {
  const out = ['--output-directory', join(folder, 'out'), '--reprocess-existing'];
  return run(join(folder, 'removebg'), ['--api-key', key, ...out, ...flags, photo], withEnv(env));
};

const go: Client = {
  name: 'remove.bg’s command line (Go)',
  async install(folder) {
    const source = join(folder, 'source');
    const from = process.env['REMOVEBG_GO_REPOSITORY'] ?? GO_REPOSITORY;
    await run('git', ['clone', '--quiet', '--depth', '1', from.startsWith('/') ? `file://${from}` : from, source], {
      timeout: INSTALL_MS_MAX,
    });
    const inSource = { cwd: source, env: { ...process.env, ...GO_FLAGS }, timeout: INSTALL_MS_MAX };
    await run('go', ['mod', 'init', 'github.com/remove-bg/go'], inSource);
    await run('go', ['get', ...GO_REQUIRES], inSource);
    await run('go', ['build', '-o', join(folder, 'removebg'), '.'], inSource);
  },
  async use(folder, call) {
    await mkdir(join(folder, 'out'), { recursive: true });
    const runs = [
      ['default: a zip made into a PNG', [], 'png'],
      [
        'JPEG, bg_color, add_shadow',
        [
          '--format',
          'jpg',
          '--size',
          'full',
          '--bg-color',
          '81d4fa',
          '--extra-api-options',
          'add_shadow=true&type=product',
        ],
        'jpg',
      ],
      [
        'PNG, roi, preview',
        ['--skip-png-format-optimization', '--size', 'preview', '--extra-api-options', 'roi=0%25 0%25 100%25 100%25'],
        'png',
      ],
      ['bg_image_file', ['--format', 'jpg', '--bg-image-file', call.photo], 'jpg'],
    ] as const;
    const made: Made[] = [];
    for (const [name, flags, extension] of runs) {
      const { stderr } = await runGo(folder, flags, call);
      if (stderr.includes('level=error')) throw new Error(`${name}: ${stderr.trim()}`);
      made.push({ name, file: await readFile(join(folder, 'out', `photo.${extension}`)) });
    }
    return made;
  },
  async refused(folder, call) {
    const { stderr } = await runGo(folder, ['--type', 'car'], call);
    return stderr;
  },
};

export const clients: readonly Client[] = [npm, pypi, go];
