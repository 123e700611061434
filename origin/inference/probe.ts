/**
 * The start-up check, in a process of its own, so that what it loads is freed afterwards. It answers one of two
 * questions with a JSON line: which provider really runs the model's nodes (from onnxruntime's own profile), or, for an
 * int8 model on the CPU, how far its integer kernels are from the same graph computed in fp32 (without VNNI, u8 × s8
 * products may saturate). Started by check.ts only.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listSupportedBackends } from 'onnxruntime-node';
import { createRunner, createSession, type SessionSettings } from './session.ts';

export type ProbeTask = { readonly settings: SessionSettings; readonly question: 'provider' | 'int8' };
export type ProbeAnswer = {
  /** Provider → number of the model's nodes it ran. Empty for `int8`. */
  readonly nodes: Record<string, number>;
  /** Mean difference of the two mattes, of 255. Undefined for `provider`. */
  readonly int8Error?: number;
  readonly backends: readonly string[];
};

/** Large enough that every kernel works on full blocks, small enough to take milliseconds. */
const CHECK_SIDE = 256;

/**
 * A bright disc with a gradient and some texture on white: strong activations, where saturation would show. Interleaved
 * rgb.
 */
const drawDisc = (side: number): Uint8Array => {
  const rgb = new Uint8Array(side * side * 3).fill(255);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      if (Math.hypot(x - side / 2, y - side / 2) > side * 0.35) continue;
      const shade = ((x ^ y) & 8) * 4;
      rgb.set([220 - (x * 120) / side + shade, 40 + (y * 160) / side, 30 + shade * 3], (y * side + x) * 3);
    }
  }
  return rgb;
};

const int8Error = async (settings: SessionSettings): Promise<number> => {
  const matteOf = async (graphOptimizationLevel: 'all' | 'disabled'): Promise<Uint8Array> => {
    const session = await createSession(settings, { graphOptimizationLevel });
    const matte = (await createRunner(session, settings)(drawDisc(CHECK_SIDE), 1, CHECK_SIDE, CHECK_SIDE)).slice();
    await session.release();
    return matte;
  };
  // Without graph optimisation each Q/DQ pair is computed in fp32; with it, this processor's int8 kernels run.
  const [integer, float] = [await matteOf('all'), await matteOf('disabled')];
  return integer.reduce((sum, value, i) => sum + Math.abs(value - (float[i] ?? 0)), 0) / integer.length;
};

type ProfileEvent = { cat?: string; name?: string; args?: { provider?: string } };

/**
 * Runs the model once under the profiler and counts its nodes by provider; copies between providers are not counted.
 */
const nodesByProvider = async (settings: SessionSettings): Promise<Record<string, number>> => {
  const folder = await mkdtemp(join(tmpdir(), 'packshot-probe-'));
  try {
    const session = await createSession(settings, { enableProfiling: true, profileFilePrefix: join(folder, 'run') });
    const { side } = settings.input;
    await createRunner(session, settings)(new Uint8Array(3 * side * side), 1, side, side);
    session.endProfiling();
    const [file] = await readdir(folder);
    const events = JSON.parse(await readFile(join(folder, file ?? ''), 'utf8')) as ProfileEvent[];
    const counts: Record<string, number> = {};
    for (const event of events) {
      const provider = event.args?.provider;
      if (event.cat === 'Node' && provider && !event.name?.startsWith('Memcpy'))
        counts[provider] = (counts[provider] ?? 0) + 1;
    }
    return counts;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const task = JSON.parse(process.argv[2] ?? '') as ProbeTask;
const backends = listSupportedBackends().map((backend) => backend.name);
const answer: ProbeAnswer =
  task.question === 'int8'
    ? { nodes: {}, int8Error: await int8Error(task.settings), backends }
    : { nodes: await nodesByProvider(task.settings), backends };
process.stdout.write(`${JSON.stringify(answer)}\n`);
