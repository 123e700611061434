/** A PostgreSQL server of its own in a temporary folder, from the programs of an installed one. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export type Postgres = { readonly url: string; restart(): Promise<void>; stop(): Promise<void> };

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

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
};

export const startPostgres = async (bin: string): Promise<Postgres> => {
  const user = serverUser();
  const home = mkdtempSync(join(tmpdir(), 'packshot-pg-'));
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
    for (const giveUpAt = Date.now() + 60_000; !(await answers(url)); ) {
      if (Date.now() > giveUpAt) throw new Error('PostgreSQL did not start');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return server;
  };
  const end = (server: ChildProcess, signal: NodeJS.Signals): Promise<void> =>
    new Promise((resolve) => {
      server.once('exit', () => resolve());
      server.kill(signal);
    });

  let server = await launch();
  return {
    url,
    // SIGQUIT: immediate shutdown, as in a crash; the start that follows recovers from the write-ahead log.
    restart: async () => {
      await end(server, 'SIGQUIT');
      server = await launch();
    },
    stop: async () => {
      await end(server, 'SIGINT');
      rmSync(home, { recursive: true, force: true });
    },
  };
};
