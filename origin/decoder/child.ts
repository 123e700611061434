/**
 * The decoder's process: what libvips and its libraries do with untrusted bytes, they do here. It has no secret, no
 * database and, where the system allows it, no network. Takes `measure`, `decode` and `decodeMatte` frames, one at a time. Started by
 * decoder.ts only.
 */
import sharp from 'sharp';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { decode, sizeOf } from '../pipeline/decode.ts';
import { decodeMatte } from '../pipeline/decode-matte.ts';
import { allowAcceptedFormatsOnly } from '../pipeline/loaders.ts';
import { releasePhoto } from '../pipeline/photo-source.ts';
import type { Frame } from '../processes/frames.ts';
import { connectToParent } from '../processes/parent.ts';
import { FRAME } from './frames.ts';

/** Set by decoder-process.ts. */
const accepted = { takesHeic: process.env['HEIC_DECODER'] !== undefined };
allowAcceptedFormatsOnly();
sharp.cache(false);
sharp.concurrency(1);
const parent = connectToParent();

const refuse = (id: number, { code, detail }: Failure): Promise<void> =>
  parent.send({ kind: FRAME.failed, id, count: 0, width: 0, height: 0 }, [
    new TextEncoder().encode(JSON.stringify({ code, detail })),
  ]);

const measure = async ({ id, payload }: Frame): Promise<void> => {
  const size = await sizeOf(payload, accepted);
  if (!size) return refuse(id, failure('unreadable_image'));
  await parent.send({ kind: FRAME.size, id, count: 0, ...size }, []);
};

const decodeWhole = async ({ id, payload }: Frame): Promise<void> => {
  const photo = await decode(payload, accepted);
  if (!photo.ok) return refuse(id, photo.failure);
  const { rgb, alpha } = photo.value;
  await parent.send(
    { kind: FRAME.photo, id, count: alpha ? 1 : 0, width: rgb.width, height: rgb.height },
    alpha ? [rgb.data, alpha.data] : [rgb.data],
  );
  releasePhoto(photo.value);
};

const decodeMatteOf = async ({ id, payload, width, height }: Frame): Promise<void> => {
  const matte = await decodeMatte(payload, { width, height });
  if (!matte.ok) return refuse(id, matte.failure);
  const { data, ...size } = matte.value;
  await parent.send({ kind: FRAME.matte, id, count: 0, ...size }, [data]);
};

const answer = (frame: Frame): Promise<void> => {
  if (frame.kind === FRAME.measure) return measure(frame);
  return frame.kind === FRAME.decodeMatte ? decodeMatteOf(frame) : decodeWhole(frame);
};

parent.onFrame(limits.upload.fileBytesMax, (frame) => void answer(frame));
