/** The thread in which PGlite lives. Started by embedded.ts only. */
import { parentPort, workerData } from 'node:worker_threads';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { openPglite } from './pglite.ts';

export type EmbeddedTask = { readonly folder: string; readonly socket: string };

/** Connections of other tools (reconcile, psql) beside the node's own. */
const CONNECTIONS_MAX = 8;

const { folder, socket } = workerData as EmbeddedTask;
const db = await openPglite(folder);
const server = new PGLiteSocketServer({ db, path: socket, maxConnections: CONNECTIONS_MAX });
await server.start();
parentPort?.once('message', () => {
  void (async () => {
    await server.stop();
    await db.close();
    process.exit(0);
  })();
});
parentPort?.postMessage('serving');
