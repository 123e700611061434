/**
 * The node of the clients' tests: it fetches each input through the edge's presigned URL and stores a file made from its
 * digest, so that a test knows what it must download.
 */
import type { JobRequest, Outcome } from '../../../shared/job.ts';
import type { ServicePublicKey } from '../../../shared/service-key.ts';
import { completeWith, sha256, startQuickNode } from '../../support/quick-node.ts';

export { sha256 } from '../../support/quick-node.ts';

export type DigestingNode = {
  /** How many jobs there were for each digest of an input. */
  readonly jobs: ReadonlyMap<string, number>;
  /** Photos looked at by the free check. */
  readonly checks: () => number;
  readonly close: () => Promise<void>;
};

/** What the node makes of an input with this digest. */
export const resultOf = (inputDigest: string): string => `result of ${inputDigest}`;

/** An input that the edge takes for a JPEG, and that this node completes. Each `id` is another image. */
export const photo = (id: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array([0xff, 0xd8, 0xff, 0xe0, ...new TextEncoder().encode(`${id} `.padEnd(64, '.'))]);
/** One in which the node finds no product. */
export const emptyPhoto = (id: string): Uint8Array<ArrayBuffer> => photo(`NOTHING ${id}`);

/** One that the free check finds cut off. */
export const croppedPhoto = (id: string): Uint8Array<ArrayBuffer> => photo(`CROPPED ${id}`);

/** `pauseMs`: how long each job takes. */
export const startDigestingNode = async (
  port: number,
  serviceKey: ServicePublicKey,
  pauseMs: () => number,
): Promise<DigestingNode> => {
  const jobs = new Map<string, number>();
  const perform = async (job: JobRequest): Promise<Outcome> => {
    const input = new Uint8Array(await (await fetch(job.input_url)).arrayBuffer());
    const digest = sha256(input);
    jobs.set(digest, (jobs.get(digest) ?? 0) + 1);
    const ms = pauseMs();
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    if (new TextDecoder().decode(input.subarray(4)).startsWith('NOTHING'))
      return { status: 'failed', code: 'no_product_found', detail: 'No product was found', retryable: false };
    return completeWith(job, resultOf(digest));
  };
  const { checks, close } = await startQuickNode(port, serviceKey, perform);
  return { jobs, checks, close };
};
