/**
 * An onnxruntime session with the options that were measured, and images in and mattes out. Only device processes load
 * this.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelInput } from '../../models/catalogue.ts';
import type { ProviderName } from './providers.ts';

/** What a device process is started with; crosses the process border as JSON. */
export type SessionSettings = {
  readonly modelPath: string;
  readonly input: ModelInput;
  readonly outputName: string;
  /** `extra.session` entries of the catalogue row. */
  readonly sessionEntries: Readonly<Record<string, string>>;
  readonly providers: readonly ProviderName[];
  readonly threads: number;
};

/** Of a device process: the matting model, and beside it the detectors of what is looked for. */
export type DeviceSettings = SessionSettings & {
  readonly text?: SessionSettings | undefined;
  readonly faces?: SessionSettings | undefined;
};

type SessionOptions = InferenceSession.SessionOptions;

/**
 * `enableMemPattern: false` halves memory at no cost of time; `parallel` execution is twice as slow; threads that wait
 * must sleep, not spin, because the other images' stages need the core. Without `cpu` in the list a node that only the
 * CPU could run makes creation fail.
 */
const sessionOptions = (settings: SessionSettings, more: Partial<SessionOptions> = {}): SessionOptions => ({
  executionProviders: settings.providers.map((name) =>
    name === 'cuda' || name === 'tensorrt' ? { name, deviceId: 0 } : name,
  ) as SessionOptions['executionProviders'] & object,
  graphOptimizationLevel: 'all',
  executionMode: 'sequential',
  enableMemPattern: false,
  intraOpNumThreads: settings.threads,
  interOpNumThreads: 1,
  logSeverityLevel: 3,
  ...more,
  extra: {
    session: {
      ...settings.sessionEntries,
      intra_op: { allow_spinning: '0' },
      ...(settings.providers.includes('cpu') ? {} : { disable_cpu_ep_fallback: '1' }),
    },
  },
});

export const createSession = (settings: SessionSettings, more?: Partial<SessionOptions>): Promise<InferenceSession> =>
  InferenceSession.create(settings.modelPath, sessionOptions(settings, more));

/** One table per channel: byte → normalised value. */
const normalisation = (input: ModelInput): Float32Array[] =>
  [0, 1, 2].map((channel) =>
    Float32Array.from({ length: 256 }, (_, byte) => (byte - (input.mean[channel] ?? 0)) / (input.scale[channel] ?? 1)),
  );

export type RunImages = (rgb: Uint8Array, count: number, width: number, height: number) => Promise<Uint8Array>;

/** Tensors of so many shapes are kept and written over; images of other shapes push the oldest out. */
const SHAPES_MAX = 4;

/**
 * `count` images of interleaved 8-bit rgb one after the other → their mattes, 8 bit, one after the other. The result is
 * written over by the next run.
 */
export const createRunner = (session: InferenceSession, settings: SessionSettings): RunImages => {
  const tables = normalisation(settings.input);
  const shapes = new Map<string, { input: Float32Array; output: Float32Array; matte: Uint8ClampedArray }>();

  const buffersOf = (count: number, pixels: number, key: string) => {
    let buffers = shapes.get(key);
    if (!buffers) {
      if (shapes.size >= SHAPES_MAX) shapes.delete(shapes.keys().next().value ?? '');
      buffers = {
        input: new Float32Array(count * 3 * pixels),
        output: new Float32Array(count * pixels),
        matte: new Uint8ClampedArray(count * pixels),
      };
      shapes.set(key, buffers);
    }
    return buffers;
  };

  return async (rgb, count, width, height) => {
    const pixels = width * height;
    const buffers = buffersOf(count, pixels, `${count}×${width}×${height}`);
    for (let image = 0; image < count; image++)
      toPlanes(rgb.subarray(image * 3 * pixels), buffers.input.subarray(image * 3 * pixels), pixels, tables);
    const feeds = { [settings.input.name]: new Tensor('float32', buffers.input, [count, 3, height, width]) };
    const fetches = { [settings.outputName]: new Tensor('float32', buffers.output, [count, 1, height, width]) };
    await session.run(feeds, fetches);
    for (let i = 0; i < buffers.output.length; i++) buffers.matte[i] = (buffers.output[i] ?? 0) * 255;
    return new Uint8Array(buffers.matte.buffer);
  };
};

const toPlanes = (rgb: Uint8Array, planes: Float32Array, pixels: number, tables: readonly Float32Array[]): void => {
  const [red, green, blue] = tables as [Float32Array, Float32Array, Float32Array];
  for (let i = 0, j = 0; i < pixels; i++, j += 3) {
    planes[i] = red[rgb[j] as number] as number;
    planes[i + pixels] = green[rgb[j + 1] as number] as number;
    planes[i + 2 * pixels] = blue[rgb[j + 2] as number] as number;
  }
};
