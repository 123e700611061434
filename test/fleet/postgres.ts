/** A PostgreSQL server of its own in a temporary folder, from the programs of an installed one. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export type Postgres = {
  readonly url: string;
  /** Its programs work in there, as `/proc` tells of each. */
  readonly data: string;
  restart(): Promise<void>;
  /** Started again where it has ended by itself, or was killed; the start may fail while what it left is still there. */
  revive(): Promise<void>;
  stop(): Promise<void>;
};

const INSTALLED = '/usr/lib/postgresql';
/** Folder with initdb and postgres: as PACKSHOT_POSTGRES_BIN says, or the newest of Debian's; undefined without any. */
export const postgresBin = (): string | undefined => {
  const given = process.env['PACKSHOT_POSTGRES_BIN'];
  if (given !== undefined) return given;
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(INSTALLED, version, 'bin')).find((bin) => existsSync(join(bin, 'postgres')));
};

/** The server refuses to run as root, so root runs it as the user the package made for it. */
const serverUser = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const fields = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!fields) throw new Error('run as root, PostgreSQL needs a user named postgres');
  return { uid: Number(fields[1]), gid: Number(fields[2]) };
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

const START_MS_MAX = 60_000;
const ANSWER_MS_MAX = 5_000;

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS_MAX });
  // One that breaks has been told by its promise.
  client.on('error', () => undefined);
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
};

/** With its folder below `parent`. */
export const startPostgres = async (bin: string, parent = tmpdir()): Promise<Postgres> => {
  const user = serverUser();
  const home = mkdtempSync(join(parent, 'packshot-pg-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid);
  const data = join(home, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'packshot', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { ...user, cwd: home, stdio: 'pipe' },
  );
  const port = await freePort();
  const url = `postgres://packshot@127.0.0.1:${port}/postgres`;

  const launch = async (): Promise<ChildProcess> => {
    const server = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-p', String(port), '-k', home, '-c', 'listen_addresses=127.0.0.1', '-c', 'shared_buffers=16MB'],
      { ...user, cwd: home, stdio: 'ignore' },
    );
    for (const giveUpAt = Date.now() + START_MS_MAX; !(await answers(url)); ) {
      if (hasEnded(server) || Date.now() > giveUpAt) throw new Error('PostgreSQL did not start');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return server;
  };
  const end = (server: ChildProcess, signal: NodeJS.Signals): Promise<void> =>
    new Promise((resolve) => {
      if (hasEnded(server)) return resolve();
      server.once('exit', () => resolve());
      server.kill(signal);
    });
  const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

  let server = await launch();
  return {
    url,
    data,
    // SIGQUIT: immediate shutdown, as in a crash; the start that follows recovers from the write-ahead log.
    restart: async () => {
      await end(server, 'SIGQUIT');
      server = await launch();
    },
    revive: async () => {
      if (hasEnded(server)) server = await launch();
    },
    stop: async () => {
      await end(server, 'SIGINT');
      rmSync(home, { recursive: true, force: true });
    },
  };
};
