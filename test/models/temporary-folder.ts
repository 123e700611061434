import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that goes away with the test. */
export const temporaryFolder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'models-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
};
