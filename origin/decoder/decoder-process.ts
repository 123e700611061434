/** One decoder process, and the bounds within which it answers. */
import { fileURLToPath } from 'node:url';
import type { Size } from '../../shared/imaging/raster.ts';
import { limits } from '../../shared/limits.ts';
import { type ChildProcess, launchChild } from '../processes/child-process.ts';
import type { Frame } from '../processes/frames.ts';
import { usageOf } from '../processes/usage.ts';

export type DecoderLimits = {
  /** Processor time of one request. Only Linux tells it; elsewhere the time on the clock alone counts. */
  readonly cpuMsMax: number;
  readonly wallMsMax: number;
  /** Resident memory of the process. */
  readonly rssBytesMax: number;
  readonly watchEveryMs: number;
};
/** killed: for what it used · broke: ended by itself. */
type Death = { readonly death: 'killed' | 'broke'; readonly detail: string };
export type DecoderProcess = Pick<ChildProcess, 'pid' | 'ended' | 'kill'> & {
  isAlive(): boolean;
  /** One at a time. `size`: what the frame says as width and height. */
  request(kind: number, bytes: Uint8Array, size?: Size): Promise<Frame | Death>;
};

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
/** Nothing of the node's environment but what glibc needs to give memory back (origin/malloc.ts has the figures). */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '4194304', MALLOC_TRIM_THRESHOLD_: '1048576' };
/** Rgb and alpha of the largest photo. */
const PAYLOAD_BYTES_MAX = 4 * limits.image.pixelsMax;

/** `isolation`: a command line before the process's own. `takesHeic`: the decoder of HEIC is installed. */
export type DecoderKind = { readonly isolation: readonly string[]; readonly takesHeic: boolean };

export const launchDecoder = ({ isolation, takesHeic }: DecoderKind, bounds: DecoderLimits): DecoderProcess => {
  const [file, ...args] = [...isolation, process.execPath, '--no-warnings', CHILD];
  const environment = takesHeic ? { ...ENVIRONMENT, HEIC_DECODER: 'libheif-js' } : ENVIRONMENT;
  const child = launchChild([file as string, ...args], environment, PAYLOAD_BYTES_MAX);
  let alive = true;
  void child.ended.then(() => {
    alive = false;
  });
  return {
    pid: child.pid,
    ended: child.ended,
    kill: child.kill,
    isAlive: () => alive,
    request: async (kind, bytes, size = { width: 0, height: 0 }) => {
      const answer = child.nextFrame(bounds.wallMsMax);
      child.send({ kind, id: 0, count: 0, ...size }, [bytes]);
      const watch = watchUsage(child, bounds);
      const frame = await answer;
      watch.stop();
      if (frame === 'timed_out') {
        child.kill();
        await child.ended;
        return { death: 'killed', detail: `Decoding it takes more than ${bounds.wallMsMax / 1_000} s` };
      }
      if (!('ended' in frame)) return frame;
      const overuse = watch.overuse();
      return overuse === undefined
        ? { death: 'broke', detail: `The decoder breaks on it (${frame.ended})` }
        : { death: 'killed', detail: overuse };
    },
  };
};

/** Kills the process once it uses more than it may, and then says what that was. */
const watchUsage = ({ pid = 0, kill }: ChildProcess, { cpuMsMax, rssBytesMax, watchEveryMs }: DecoderLimits) => {
  const cpuMsBefore = usageOf(pid)?.cpuMs ?? 0;
  let overuse: string | undefined;
  const look = (): void => {
    const usage = usageOf(pid);
    if (!usage) return;
    if (usage.rssBytes > rssBytesMax) overuse = `Decoding it takes more than ${rssBytesMax >> 20} MiB of memory`;
    else if (usage.cpuMs - cpuMsBefore > cpuMsMax)
      overuse = `Decoding it takes more than ${cpuMsMax / 1_000} s of processor time`;
    if (overuse !== undefined) kill();
  };
  const timer = setInterval(look, watchEveryMs);
  return { stop: () => clearInterval(timer), overuse: () => overuse };
};
