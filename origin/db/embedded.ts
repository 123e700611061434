/**
 * The embedded database: PGlite in a worker thread, so that a query never holds up the event loop and a killed node leaves no process behind. It listens on
 * a Unix socket inside the data folder, which only the owner may enter; nothing listens on the network. Recovers by its write-ahead log after kill -9.
 */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PoolConfig } from 'pg';
import { limits } from '../../shared/limits.ts';

export type EmbeddedDatabase = {
  readonly connection: PoolConfig;
  /** PGlite is one session behind one socket: more connections would only wait for each other. */
  readonly poolMax: number;
  close(): Promise<void>;
};

const SOCKET = '.s.PGSQL.5432';
/** sockaddr_un has room for 108 bytes, the closing zero included. */
const SOCKET_PATH_BYTES_MAX = 107;

const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });

/** Whether a node serves the embedded database of this folder now. */
export const isEmbeddedRunning = (dataDir: string): Promise<boolean> => isServed(join(dataDir, 'postgres', SOCKET));

/** Initialising a new folder leaves half a gigabyte in the worker's memory; it is done by a first worker, which then ends. */
const startWorker = (task: { kind: 'create' | 'serve'; folder: string; socket: string }): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: task });
    const giveUp = setTimeout(() => {
      void worker.terminate();
      reject(new Error(`the embedded database was not ready within ${limits.database.embeddedStartMsMax} ms`));
    }, limits.database.embeddedStartMsMax);
    worker.once('message', () => (clearTimeout(giveUp), resolve(worker)));
    worker.once('error', (error) => (clearTimeout(giveUp), reject(error)));
  });

/** `onDeath` is called when the database thread ends without being asked to. Throws where another node holds the folder. */
export const startEmbedded = async (dataDir: string, onDeath: (error: Error) => void): Promise<EmbeddedDatabase> => {
  const home = join(dataDir, 'postgres');
  const socket = join(home, SOCKET);
  if (Buffer.byteLength(socket) > SOCKET_PATH_BYTES_MAX) throw new Error(`DATA_DIR is too long: ${socket} must fit into ${SOCKET_PATH_BYTES_MAX} bytes`);
  await mkdir(home, { recursive: true });
  await chmod(home, 0o700);
  // Whoever answers the socket owns the folder; a socket that nobody answers was left by a killed node.
  if (await isServed(socket)) throw new Error(`${dataDir} is in use by another node; give each node its own DATA_DIR, or a shared DATABASE_URL`);
  await rm(socket, { force: true });
  const folder = join(home, 'data');
  const creator = await startWorker({ kind: 'create', folder, socket });
  await creator.terminate();
  const worker = await startWorker({ kind: 'serve', folder, socket });
  let closing = false;
  worker.once('error', (error) => closing || onDeath(error instanceof Error ? error : new Error(String(error))));
  worker.once('exit', (code) => closing || onDeath(new Error(`the embedded database ended with code ${code}`)));
  return {
    connection: { host: home, user: 'postgres', database: 'postgres' },
    poolMax: 1,
    close: async () => {
      closing = true;
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.postMessage('close');
      await ended;
      await rm(socket, { force: true });
    },
  };
};
