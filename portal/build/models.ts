/** Paths of the playground's models; the models' own command fetches what is missing. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** QDQ int8 for WASM, weight-only int8 for WebGPU. */
const MODELS = ['isnet-int8', 'isnet-w8'] as const;

export const modelFiles = async (root: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'models', 'main.ts'), ...MODELS.flatMap((name) => ['--model', name])],
    { cwd: root },
  );
  return stdout.trim().split('\n');
};
