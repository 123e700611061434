/** A small disk of its own for the system's folder, so that filling it fills nothing else. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Disk = {
  readonly folder: string;
  /** Undefined where the system lets nobody but root mount a disk, or not even root. */
  readonly fill: (() => Promise<void>) | undefined;
  free(): Promise<void>;
  remove(): Promise<void>;
};

/** Results, photos and a database's write-ahead log of an hour fit in. */
const DISK_MIB = 1_024;
const BLOCK_BYTES = 1024 * 1024;
const PAGE_BYTES = 4096;
const run = promisify(execFile);

export const startDisk = async (): Promise<Disk> => {
  const folder = mkdtempSync(join(tmpdir(), 'packshot-chaos-'));
  const mounted = await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${DISK_MIB}m,mode=0755`,
    'packshot-chaos',
    folder,
  ]).then(
    () => true,
    () => false,
  );
  const filler = join(folder, 'filler');
  // A PostgreSQL server below it runs as a user of its own.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'tmp'));
  return {
    folder,
    fill: mounted ? () => fillUp(filler) : undefined,
    free: () => rm(filler, { force: true }),
    remove: async () => {
      if (mounted) await run('umount', [folder]).catch(() => run('umount', ['--lazy', folder]));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Until not even one page more is taken. */
const fillUp = async (file: string): Promise<void> => {
  const filler = await open(file, 'a');
  try {
    for (const size of [BLOCK_BYTES, PAGE_BYTES]) {
      const block = Buffer.alloc(size);
      for (;;) {
        const { bavail, bsize } = await statfs(file);
        if (bavail * bsize < size) break;
        await filler.write(block);
      }
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await filler.close();
  }
};
