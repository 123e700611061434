/**
 * Decoding as the rest of the node sees it. Bytes from outside are opened in child processes only (child.ts): one that
 * takes too much time or memory is killed, one that breaks takes nothing with it, and either way the next photo gets a
 * fresh one.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import type { Gray, Size } from '../../shared/imaging/raster.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import type { Photo } from '../pipeline/main-image.ts';
import type { Frame } from '../processes/frames.ts';
import { type DecoderKind, type DecoderLimits, type DecoderProcess, launchDecoder } from './decoder-process.ts';
import { FRAME } from './frames.ts';

export type Decoder = {
  /**
   * Fails with file_empty, unsupported_media_type, unsupported_heic, image_too_large, image_too_small,
   * unreadable_image, and with undecodable_image where the process had to be killed or broke twice.
   */
  decode(bytes: Uint8Array): Promise<Result<Photo, Failure>>;
  /** `photo`: its photo's size. Fails with invalid_matte, and with undecodable_image as `decode` does. */
  decodeMatte(bytes: Uint8Array, photo: Size): Promise<Result<Gray, Failure>>;
  /** Of the photo as it lies in the file, by its header alone; undefined where `decode` would refuse it. */
  measure(bytes: Uint8Array): Promise<Size | undefined>;
  pids(): number[];
  close(): Promise<void>;
};

export type DecoderEvents = {
  /** A process ended that should not have. */
  onDeath(detail: string): void;
};

/** `processes` run at once; each has one request at a time. */
export const createDecoder = (
  processes: number,
  kind: DecoderKind,
  { onDeath }: DecoderEvents,
  bounds: DecoderLimits = originLimits.decoder,
): Decoder => {
  const launched = new Set<DecoderProcess>();
  const idle: DecoderProcess[] = [];
  const waiting: ((process: DecoderProcess) => void)[] = [];
  let closing = false;

  const launch = (): DecoderProcess => {
    const process = launchDecoder(kind, bounds);
    launched.add(process);
    void process.ended.then((how) => {
      launched.delete(process);
      const at = idle.indexOf(process);
      if (at < 0) return;
      idle.splice(at, 1);
      if (closing) return;
      onDeath(how);
      // It was to be there when a request comes. One that cannot even start is not started over and over.
      if (how.startsWith('SIG')) idle.push(launch());
    });
    return process;
  };
  const take = (): Promise<DecoderProcess> => {
    const free = idle.pop();
    if (free) return Promise.resolve(free);
    if (launched.size < processes) return Promise.resolve(launch());
    return new Promise((resolve) => waiting.push(resolve));
  };
  const giveBack = (process: DecoderProcess): void => {
    const kept = process.isAlive() ? process : closing ? undefined : launch();
    if (!kept) return;
    const next = waiting.shift();
    if (next) next(kept);
    else idle.push(kept);
  };

  const attempt = async (kind: number, bytes: Uint8Array, size?: Size): ReturnType<DecoderProcess['request']> => {
    const process = await take();
    try {
      return await process.request(kind, bytes, size);
    } finally {
      giveBack(process);
    }
  };
  /** Once more in a fresh process where the first one broke: it may have been killed for a reason of the machine's. */
  const request = async (kind: number, bytes: Uint8Array, size?: Size): Promise<Result<Frame, Failure>> => {
    if (bytes.byteLength === 0) return fail(failure('file_empty'));
    if (bytes.byteLength > limits.upload.fileBytesMax) return fail(failure('file_too_large'));
    for (let tries = 1; ; tries++) {
      const answer = await attempt(kind, bytes, size);
      if ('kind' in answer) return ok(answer);
      if (!closing) onDeath(answer.detail);
      if (closing) return fail(failure('origin_busy', 'this node is shutting down'));
      if (answer.death === 'killed' || tries === 2) return fail(failure('undecodable_image', answer.detail));
    }
  };

  for (let i = 0; i < processes; i++) idle.push(launch());
  return {
    decode: async (bytes) => {
      const answer = await request(FRAME.decode, bytes);
      if (!answer.ok) return answer;
      return answer.value.kind === FRAME.photo ? ok(photoOf(answer.value)) : fail(failureOf(answer.value));
    },
    decodeMatte: async (bytes, photo) => {
      const answer = await request(FRAME.decodeMatte, bytes, photo);
      if (!answer.ok) return answer;
      const { kind, payload, width, height } = answer.value;
      return kind === FRAME.matte ? ok({ data: payload.slice(), width, height }) : fail(failureOf(answer.value));
    },
    measure: async (bytes) => {
      const answer = await request(FRAME.measure, bytes);
      if (!answer.ok || answer.value.kind !== FRAME.size) return undefined;
      return { width: answer.value.width, height: answer.value.height };
    },
    pids: () => Array.from(launched, ({ pid }) => pid).filter((pid) => pid !== undefined),
    close: async () => {
      closing = true;
      const all = [...launched];
      for (const process of all) process.kill();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
};

/** Colours and alpha get buffers of their own: each is transferred and freed by itself. */
const photoOf = ({ width, height, count, payload }: Frame): Photo => {
  const colours = width * height * 3;
  const rgb = { data: count ? payload.slice(0, colours) : payload, width, height };
  return { rgb, alpha: count ? { data: payload.slice(colours), width, height } : undefined };
};

const failureOf = ({ payload }: Frame): Failure => {
  const { code, detail } = JSON.parse(new TextDecoder().decode(payload)) as Failure;
  return failure(code, detail);
};
