/** A decoder that meets each undecodable file once: what killed it is refused at once from then on, on every node. */
import { createHash } from 'node:crypto';
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, type Result } from '../../shared/result.ts';
import type { UndecodableInputs } from '../db/undecodable-inputs.ts';

/** Throws where the database cannot be reached. */
export const rememberUndecodable =
  <More extends readonly unknown[], Value>(
    decode: (bytes: Uint8Array, ...more: More) => Promise<Result<Value, Failure>>,
    inputs: Pick<UndecodableInputs, 'has' | 'remember'>,
  ): typeof decode =>
  async (bytes, ...more) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (await inputs.has(sha256))
      return fail(failure('undecodable_image', 'A decoder had to be ended for this very file before'));
    const photo = await decode(bytes, ...more);
    if (!photo.ok && photo.failure.code === 'undecodable_image') await inputs.remember(sha256);
    return photo;
  };
