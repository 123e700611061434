/**
 * The thread in which pipelines run, so that decoding, refining and encoding never hold up the event loop. Loaded by
 * pool.ts only.
 */
import { createHash } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import sharp from 'sharp';
import type { Failure } from '../../shared/errors.ts';
import type { Result } from '../../shared/result.ts';
import { type HeroInput, type HeroOutput, makeHero } from '../pipeline/index.ts';
import { once } from './port.ts';

export type PipelineTask = { readonly input: HeroInput; readonly port: MessagePort };
export type PipelineOutput = HeroOutput & { readonly sha256: string };
export type InferRequest = { readonly rgb: Uint8Array; readonly width: number; readonly height: number };
export type InferReply = { readonly matte: Uint8Array } | { readonly refused: string };

// Every photo is another: a cache would only hold memory. Parallelism comes from several photos at once.
sharp.cache(false);
sharp.concurrency(1);

/** Asks the node for a matte over the task's own port; one question at a time. */
const inferOver =
  (port: MessagePort) =>
  async (image: InferRequest): Promise<Uint8Array> => {
    const reply = once<InferReply>(port);
    port.postMessage(image);
    const answer = await reply;
    if ('refused' in answer) throw new Error(answer.refused);
    return answer.matte;
  };

export default async ({ input, port }: PipelineTask): Promise<Result<PipelineOutput, Failure>> => {
  try {
    const hero = await makeHero(input, { infer: inferOver(port), now: () => performance.now() });
    if (!hero.ok) return hero;
    return { ok: true, value: { ...hero.value, sha256: createHash('sha256').update(hero.value.clean).digest('hex') } };
  } finally {
    port.close();
  }
};
