/**
 * Inference as the rest of the node sees it: checks the host, starts one process per device, and turns images into
 * mattes.
 */
import { type CatalogueRow, faceModel, textModel } from '../../models/catalogue.ts';
import { ensureModel } from '../../models/ensure.ts';
import { monotonicClock } from '../clock.ts';
import { originLimits } from '../limits.ts';
import { type Batcher, createBatcher } from './batcher.ts';
import { checkProvider, measureInt8Error } from './check.ts';
import { type Device, startDevice } from './device.ts';
import { defaultModel, type ProviderName } from './providers.ts';
import type { SessionSettings } from './session.ts';

export type EngineOptions = {
  /** Undefined: the default of the first provider. */
  readonly model: string | undefined;
  readonly providers: readonly ProviderName[];
  readonly devices: readonly number[];
  readonly threads: number;
  /** originLimits.inference.int8ErrorMax, unless a test wants to see the fall-back. */
  readonly int8ErrorMax?: number;
  readonly runMsMax?: number;
};
export type EngineEvents = {
  onNote(note: string, fields: Record<string, unknown>): void;
  onDeviceDeath(device: number, detail: string): void;
  onBatch(size: number): void;
};
export type Engine = Pick<Batcher, 'submit' | 'waiting'> & {
  readonly model: string;
  readonly provider: ProviderName;
  ready(): boolean;
  pids(): number[];
  close(): Promise<void>;
};

const FALLBACK_MODEL = 'isnet-fp32';
const INT8 = /int8/;

/** A provider may lack one of the detector's operators; the CPU takes those. */
const withCpu = (providers: readonly ProviderName[]): readonly ProviderName[] =>
  providers.includes('cpu') ? providers : [...providers, 'cpu'];

/** Only GPUs gain from larger runs; on a CPU a run of two takes as long as two runs. */
const batchSizeOf = (provider: ProviderName): number => (provider === 'cpu' ? 1 : originLimits.inference.batchSizeMax);

const settingsOf = async (
  name: string,
  options: EngineOptions,
): Promise<{ row: CatalogueRow; settings: SessionSettings }> => {
  const { path, model: row } = await ensureModel(name);
  return {
    row,
    settings: {
      modelPath: path,
      input: row.input,
      outputName: row.output.name,
      sessionEntries: row.session ?? {},
      providers: options.providers,
      threads: options.threads,
    },
  };
};

/** The model to run: the one asked for, or fp32 where this processor's int8 arithmetic is not right. */
const chooseModel = async (options: EngineOptions, provider: ProviderName, events: EngineEvents) => {
  const requested = await settingsOf(options.model ?? defaultModel[provider], options);
  if (provider !== 'cpu') {
    for (const device of options.devices)
      events.onNote('provider in use', { provider, device, nodes: await checkProvider(requested.settings, device) });
    return requested;
  }
  if (!INT8.test(requested.row.name)) return requested;
  const error = await measureInt8Error(requested.settings);
  const errorMax = options.int8ErrorMax ?? originLimits.inference.int8ErrorMax;
  events.onNote('int8 arithmetic checked', {
    model: requested.row.name,
    mean_error: Number(error.toFixed(3)),
    error_max: errorMax,
  });
  if (error <= errorMax) return requested;
  events.onNote('int8 arithmetic is wrong on this processor; running fp32 instead', { model: FALLBACK_MODEL });
  return settingsOf(FALLBACK_MODEL, options);
};

/**
 * Of the face detector, which is small enough for the CPU everywhere. Undefined where it cannot be had, as on a host whose
 * operator brings the models and not this one: faces are not looked for there, and nothing else changes.
 */
const faceSettings = async (options: EngineOptions, events: EngineEvents): Promise<SessionSettings | undefined> => {
  try {
    return (await settingsOf(faceModel, { ...options, providers: ['cpu'] })).settings;
  } catch (error) {
    events.onNote('faces are not looked for', { reason: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
};

/** Throws where the model is missing, a provider that was asked for is not in use, or a device does not start. */
export const startEngine = async (options: EngineOptions, events: EngineEvents): Promise<Engine> => {
  const provider = options.providers[0] ?? 'cpu';
  const { row, settings } = await chooseModel(options, provider, events);
  const text = await settingsOf(textModel, { ...options, providers: withCpu(options.providers) });
  const faces = await faceSettings(options, events);
  const started = (index: number): Promise<Device> =>
    startDevice(
      { ...settings, text: text.settings, faces },
      index,
      {
        onDeath: (detail) => events.onDeviceDeath(index, detail),
        onReady: (startMs) =>
          events.onNote('device ready', { device: index, provider, model: row.name, start_ms: Math.round(startMs) }),
      },
      options.runMsMax,
    );
  const devices = await Promise.all((provider === 'cpu' ? [0] : options.devices).map(started));
  const batcher = createBatcher({
    sizeMax: batchSizeOf(provider),
    waitMsMax: originLimits.inference.batchWaitMsMax,
    runners: devices.map((device) => device.run),
    clock: monotonicClock,
    onBatch: events.onBatch,
  });
  return {
    submit: batcher.submit,
    waiting: batcher.waiting,
    model: row.name,
    provider,
    ready: () => devices.some((device) => device.ready()),
    pids: () => devices.flatMap((device) => device.pid() ?? []),
    close: async () => void (await Promise.all(devices.map((device) => device.close()))),
  };
};
