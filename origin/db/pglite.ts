/** Opens PGlite with the settings of a small database. */
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';

/**
 * A journal of a few megabytes needs no 128 MB of buffers; each is memory of the node. Measured: 360 MB resident with
 * the defaults, 210 so.
 */
const SMALL = [
  '-c',
  'shared_buffers=8MB',
  '-c',
  'max_connections=10',
  '-c',
  'wal_buffers=256kB',
  '-c',
  'work_mem=2MB',
  '-c',
  'maintenance_work_mem=8MB',
];

/**
 * V8's optimising compiler takes up to 400 MB and seconds of processor time for PGlite's 9 MB of WebAssembly, to make
 * statements faster that take about a
 * millisecond as it is. Nothing else here is WebAssembly. Both flags count only together.
 */
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);

export const openPglite = (folder: string): Promise<PGlite> =>
  PGlite.create({ dataDir: folder, startParams: [...PGlite.defaultStartParams, ...SMALL] });
