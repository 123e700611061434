/** How a device's process is started. */
import { fileURLToPath } from 'node:url';
import { originLimits } from '../limits.ts';
import { type ChildProcess, launchChild } from '../processes/child-process.ts';
import type { DeviceSettings, SessionSettings } from './session.ts';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
const { batchSizeMax, sideMax } = originLimits.inference;
/**
 * glibc keeps one arena per thread and gives little back; two are enough for a process that allocates in a few large
 * pieces.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '1048576' };

/**
 * From 1.30 on, onnxruntime for Linux tells Microsoft about sessions, models and errors, under an id that it keeps on
 * disk, and leaves a log in the folder of temporary files at each start. This keeps it from beginning with any of that.
 */
const NO_TELEMETRY = { ORT_DISABLE_TELEMETRY: '1' };

export const deviceEnvironment = (settings: SessionSettings, deviceIndex: number): NodeJS.ProcessEnv => ({
  ...process.env,
  ...MALLOC,
  ...NO_TELEMETRY,
  ...(settings.providers.some((name) => name === 'cuda' || name === 'tensorrt')
    ? { CUDA_VISIBLE_DEVICES: String(deviceIndex) }
    : {}),
});

export const launchDevice = (settings: DeviceSettings, deviceIndex: number): ChildProcess =>
  launchChild(
    [process.execPath, '--no-warnings', CHILD, JSON.stringify(settings)],
    deviceEnvironment(settings, deviceIndex),
    batchSizeMax * sideMax ** 2,
  );
