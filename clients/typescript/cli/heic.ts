/** HEIC photos become JPEGs where this machine has a program for that: the service need not take them. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isHeic, SNIFF_BYTES } from '../../../shared/image-type.ts';

const QUALITY = '95';
/** macOS has the first; the second comes with libheif's examples. Both apply the photo's own rotation. */
const PROGRAMS: readonly (readonly [string, (from: string, to: string) => string[]])[] = [
  ['sips', (from, to) => ['-s', 'format', 'jpeg', '-s', 'formatOptions', QUALITY, from, '--out', to]],
  ['heif-convert', (from, to) => ['-q', QUALITY, from, to]],
];
const CONVERSION_MS_MAX = 60_000;
const run = promisify(execFile);

/** The JPEG of a HEIC; other bytes, and a HEIC that no program here converts, as they are. */
export const withoutHeic = async (bytes: Uint8Array): Promise<Uint8Array> => {
  if (!isHeic(bytes.subarray(0, SNIFF_BYTES))) return bytes;
  const folder = await mkdtemp(join(tmpdir(), 'packshot-heic-'));
  try {
    const [from, to] = [join(folder, 'photo.heic'), join(folder, 'photo.jpg')];
    await writeFile(from, bytes);
    for (const [program, argsOf] of PROGRAMS) {
      const converted = await run(program, argsOf(from, to), { timeout: CONVERSION_MS_MAX })
        .then(() => readFile(to))
        .catch(() => undefined);
      if (converted) return converted;
    }
    return bytes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
