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

export const deviceEnvironment = (settings: SessionSettings, deviceIndex: number): NodeJS.ProcessEnv => ({
  ...process.env,
  ...MALLOC,
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
