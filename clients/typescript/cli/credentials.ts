/** The key and the service's address: from the environment, else from the file that `packshot login` wrote. */
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Packshot } from '../src/index.ts';
import { UsageError } from './exit-codes.ts';

/** A run of thousands meets more than one person's call does; 429 above all. */
const RETRIES_MAX = 12;

type Credentials = { readonly api_key: string; readonly base_url: string };

/** Below XDG_CONFIG_HOME, or %APPDATA%. */
const file = (): string => {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const folder = process.platform === 'win32' && APPDATA ? APPDATA : XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'packshot', 'credentials.json');
};

const stored = async (): Promise<Partial<Credentials>> => {
  try {
    return JSON.parse(await readFile(file(), 'utf8')) as Credentials;
  } catch {
    return {};
  }
};

const addressOfEnvironment = (): string | undefined => process.env['PACKSHOT_BASE_URL'] || process.env['PACKSHOT_URL'];

/** `baseUrl`: of --base-url. */
export const connect = async (baseUrl: string | undefined): Promise<Packshot> => {
  const kept = await stored();
  const credentials = {
    apiKey: process.env['PACKSHOT_API_KEY'] || process.env['PACKSHOT_KEY'] || kept.api_key,
    baseUrl: baseUrl ?? (addressOfEnvironment() || kept.base_url),
  };
  if (!credentials.apiKey) throw new UsageError('No API key: run `packshot login`, or set PACKSHOT_API_KEY');
  if (!credentials.baseUrl)
    throw new UsageError('No address of the service: give --base-url, or set PACKSHOT_BASE_URL');
  return new Packshot({ ...credentials, retriesMax: RETRIES_MAX });
};

/** Checks the key with the service, then keeps it in a file that its owner alone can read. Answers the file's path. */
export const login = async (baseUrl: string | undefined): Promise<string> => {
  const address = baseUrl ?? (addressOfEnvironment() || (await stored()).base_url);
  if (!address) throw new UsageError('No address of the service: give --base-url, or set PACKSHOT_BASE_URL');
  const apiKey = (process.stdin.isTTY ? await ask('API key (not shown): ') : await text(process.stdin)).trim();
  if (apiKey === '') throw new UsageError('No API key was given');
  await new Packshot({ apiKey, baseUrl: address }).account();
  const path = file();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const credentials: Credentials = { api_key: apiKey, base_url: address };
  // An older file may have another mode, which writing keeps.
  await rm(path, { force: true });
  await writeFile(path, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  return path;
};

export const logout = (): Promise<void> => rm(file(), { force: true });

/** A line from the terminal that is not shown. */
const ask = (question: string): Promise<string> => {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve, reject) => {
    terminal.on('SIGINT', () => {
      terminal.close();
      reject(new UsageError('No API key was given'));
    });
    terminal.question('', (answer) => {
      terminal.close();
      process.stderr.write('\n');
      resolve(answer);
    });
  });
};
