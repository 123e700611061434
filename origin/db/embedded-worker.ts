/** The thread in which PGlite lives. Started by embedded.ts only. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

const task = workerData as { kind: 'create' | 'serve'; folder: string; socket: string };

/** A journal of a few megabytes needs no 128 MB of buffers; each is memory of the node. Measured: 360 MB resident with the defaults, 210 so. */
const SMALL = ['-c', 'shared_buffers=8MB', '-c', 'max_connections=10', '-c', 'wal_buffers=256kB', '-c', 'work_mem=2MB', '-c', 'maintenance_work_mem=8MB'];
/** Connections of other tools (reconcile, psql) beside the node's own. */
const CONNECTIONS_MAX = 8;

const open = (): Promise<PGlite> => PGlite.create({ dataDir: task.folder, startParams: [...PGlite.defaultStartParams, ...SMALL] });

if (task.kind === 'create') {
  if (!existsSync(join(task.folder, 'PG_VERSION'))) await (await open()).close();
  parentPort?.postMessage('created');
} else {
  const db = await open();
  const server = new PGLiteSocketServer({ db, path: task.socket, maxConnections: CONNECTIONS_MAX });
  await server.start();
  parentPort?.once('message', () => {
    void (async () => {
      await server.stop();
      await db.close();
      process.exit(0);
    })();
  });
  parentPort?.postMessage('serving');
}
