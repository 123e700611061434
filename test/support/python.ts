/** Python's tools for tests: a virtual environment per list of requirements, kept between runs. */
import { type SpawnOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'packshot');

/** Resolves with the exit code; 127 where there is no such command. */
export const run = (command: string, args: readonly string[], options: SpawnOptions = {}): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });

/** As `run`, for what must succeed. Throws where it does not. */
export const mustRun = async (command: string, args: readonly string[], options: SpawnOptions = {}): Promise<void> => {
  const code = await run(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 4).join(' ')} … ended with ${code}`);
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Why there is no Python to test with; undefined where there is one and its registry answers. */
export const whyNoPython = async (): Promise<string | undefined> => {
  const quiet = { stdio: 'ignore' } as const;
  if ((await run('python3', ['-m', 'venv', '--help'], quiet)) !== 0) return 'there is no python3 with venv';
  const folder = await mkdtemp(join(tmpdir(), 'packshot-pypi-'));
  const probe = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-cache-dir', '--dest', folder, 'idna==3.10'];
  const code = await run('python3', [...probe, '--retries', '1', '--timeout', '10'], quiet);
  await rm(folder, { recursive: true, force: true });
  return code === 0 ? undefined : 'PyPI is not reached';
};

/** The folder of the commands of a virtual environment that has these packages, `name==version` each. */
export const pythonWith = async (packages: readonly string[]): Promise<string> => {
  const name = `python-${createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 16)}`;
  const done = join(cache, name, 'bin', '.installed');
  if (!(await exists(done))) {
    await rm(join(cache, name), { recursive: true, force: true });
    await mkdir(cache, { recursive: true });
    await mustRun('python3', ['-m', 'venv', join(cache, name)]);
    await mustRun(join(cache, name, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
    await mkdir(`${done}.new`);
    await rename(`${done}.new`, done);
  }
  return join(cache, name, 'bin');
};
