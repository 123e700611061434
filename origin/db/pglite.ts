/** Opens PGlite with the settings of a small database. */
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';

/**
 * A database of a few megabytes needs no 128 MB of buffers, which are the node's memory. Measured: 360 MB resident with
 * the defaults, 210 MB with these.
 */
const SMALL = [
  'shared_buffers=8MB',
  'max_connections=10',
  'wal_buffers=256kB',
  'work_mem=2MB',
  'maintenance_work_mem=8MB',
].flatMap((setting) => ['-c', setting]);

/**
 * V8's optimising compiler takes up to 400 MB and seconds of processor time for PGlite's 9 MB of WebAssembly, to speed
 * up statements that take about a millisecond anyway. Nothing else here is WebAssembly. The flags work only together.
 */
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);

export const openPglite = (folder: string): Promise<PGlite> =>
  PGlite.create({ dataDir: folder, startParams: [...PGlite.defaultStartParams, ...SMALL] });
