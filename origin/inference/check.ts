/**
 * Asks a probe process, and judges its answers. A provider that was asked for and is not in use is an error, never a
 * silent fall-back.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { originLimits } from '../limits.ts';
import { deviceEnvironment } from './device-process.ts';
import type { ProbeAnswer, ProbeTask } from './probe.ts';
import type { ProviderName } from './providers.ts';
import type { SessionSettings } from './session.ts';

const PROBE = fileURLToPath(new URL('./probe.ts', import.meta.url));
const execute = promisify(execFile);

/** Names as they stand in onnxruntime's profiles. */
const EXECUTION_PROVIDER: Record<ProviderName, string> = {
  tensorrt: 'TensorrtExecutionProvider',
  cuda: 'CUDAExecutionProvider',
  webgpu: 'WebGpuExecutionProvider',
  cpu: 'CPUExecutionProvider',
};
/** What must at least run on the first provider for it to count as in use. */
const SHARE_MIN = 0.5;

/** Throws an Error with the first error lines that onnxruntime printed. */
const probe = async (task: ProbeTask, deviceIndex: number): Promise<ProbeAnswer> => {
  try {
    const { stdout } = await execute(process.execPath, ['--no-warnings', PROBE, JSON.stringify(task)], {
      env: deviceEnvironment(task.settings, deviceIndex),
      timeout: originLimits.inference.startMsMax,
      killSignal: 'SIGKILL',
    });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ProbeAnswer;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    const reason = errorLines(said) || (error instanceof Error ? error.message : String(error));
    throw new Error(`${task.settings.providers.join(', ')} could not be used: ${reason}`, { cause: error });
  }
};

const errorLines = (text: string): string =>
  stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => /error|fail|exception/i.test(line))
    .slice(0, 3)
    .join(' | ')
    .slice(0, 600);

/**
 * Share of the model's nodes that each provider ran. Throws unless the first of `settings.providers` ran at least half.
 */
export const checkProvider = async (
  settings: SessionSettings,
  deviceIndex: number,
): Promise<Record<string, number>> => {
  const { nodes, backends } = await probe({ settings, question: 'provider' }, deviceIndex);
  const requested = settings.providers[0] as ProviderName;
  const total = Object.values(nodes).reduce((sum, count) => sum + count, 0);
  const share = (nodes[EXECUTION_PROVIDER[requested]] ?? 0) / Math.max(1, total);
  if (share < SHARE_MIN) {
    const percent = Math.round(share * 100);
    const facts = `${JSON.stringify(nodes)}; built in: ${backends.join(', ')}`;
    throw new Error(
      `EXECUTION_PROVIDERS asks for ${requested}, but it ran ${percent} % of the model's nodes (${facts})`,
    );
  }
  return nodes;
};

/** Mean difference between the int8 kernels of this processor and fp32, of 255. */
export const measureInt8Error = async (settings: SessionSettings): Promise<number> =>
  (await probe({ settings, question: 'int8' }, 0)).int8Error ?? Number.POSITIVE_INFINITY;
