/**
 * The embedded database: PGlite in a worker thread, so that a query never holds up the event loop and a killed node
 * leaves no process behind. It listens on a Unix socket inside the data folder, which only the owner may enter; nothing
 * listens on the network. Recovers by its write-ahead log after kill -9.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { PoolConfig } from 'pg';
import { systemClock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { originLimits } from '../limits.ts';
import type { EmbeddedTask } from './embedded-worker.ts';

export type EmbeddedDatabase = {
  readonly connection: PoolConfig;
  /** PGlite is one session behind one socket: more connections would only wait for each other. */
  readonly poolMax: number;
  close(): Promise<void>;
};

const { embeddedStartMsMax } = originLimits.database;
const CREATE = fileURLToPath(new URL('./embedded-create.ts', import.meta.url));
const SOCKET = '.s.PGSQL.5432';
/** sockaddr_un has room for 108 bytes, the closing zero included. */
const SOCKET_PATH_BYTES_MAX = 107;

const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** Whether a node serves the embedded database of this folder now. */
export const isEmbeddedRunning = (dataDir: string): Promise<boolean> => isServed(join(dataDir, 'postgres', SOCKET));

/**
 * Makes a new database folder, in a process of its own because it takes half a gigabyte that a thread would leave
 * behind in the node, and under another name first, so that a node killed meanwhile leaves no half-made folder.
 */
const createFolder = async (folder: string): Promise<void> => {
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await promisify(execFile)(process.execPath, ['--no-warnings', CREATE, draft], {
    timeout: embeddedStartMsMax,
    killSignal: 'SIGKILL',
  }).catch((cause: { killed?: boolean; stderr?: string }) => {
    const why = cause.killed ? `not within ${embeddedStartMsMax} ms` : (cause.stderr || String(cause)).trim();
    throw new Error(`the folder of the embedded database could not be made: ${why}`, { cause });
  });
  await rename(draft, folder);
};

const startWorker = async (task: EmbeddedTask): Promise<Worker> => {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: task });
  // Rejects with what the thread throws.
  const serving = once(worker, 'message');
  if ((await withTimeout(serving, embeddedStartMsMax, systemClock)) !== TIMED_OUT) return worker;
  void worker.terminate();
  throw new Error(`the embedded database was not ready within ${embeddedStartMsMax} ms`);
};

/**
 * `onDeath` is called when the database thread ends without being asked to. Throws where another node holds the folder.
 */
export const startEmbedded = async (dataDir: string, onDeath: (error: Error) => void): Promise<EmbeddedDatabase> => {
  const home = join(dataDir, 'postgres');
  const socket = join(home, SOCKET);
  if (Buffer.byteLength(socket) > SOCKET_PATH_BYTES_MAX)
    throw new Error(`DATA_DIR is too long: ${socket} must fit into ${SOCKET_PATH_BYTES_MAX} bytes`);
  await mkdir(home, { recursive: true });
  await chmod(home, 0o700);
  // A node that answers on the socket owns the folder; a socket on which none answers was left by a killed node.
  if (await isServed(socket))
    throw new Error(`${dataDir} is in use by another node; give each node its own DATA_DIR, or a shared DATABASE_URL`);
  await rm(socket, { force: true });
  const folder = join(home, 'data');
  if (!existsSync(folder)) await createFolder(folder);
  const worker = await startWorker({ folder, socket });
  let closing = false;
  worker.once('error', (error) => closing || onDeath(error instanceof Error ? error : new Error(String(error))));
  worker.once('exit', (code) => closing || onDeath(new Error(`the embedded database ended with code ${code}`)));
  return {
    connection: { host: home, user: 'postgres', database: 'postgres' },
    poolMax: 1,
    close: async () => {
      closing = true;
      const ended = once(worker, 'exit');
      worker.postMessage('close');
      await ended;
      await rm(socket, { force: true });
    },
  };
};
