/**
 * Whether a link still counts: one that was made for a key ends when the key is revoked. The answer is remembered for a
 * while in the memory of one isolate, which bounds how long a link outlives its key.
 */
import type { Clock } from '../../shared/clock.ts';
import { dropOldest } from '../../shared/drop-oldest.ts';
import type { LinkHolder } from '../../shared/signed-token.ts';
import type { AccountOf } from '../account/port.ts';
import type { BatchOwner, SagaPort } from '../batch/port.ts';
import { edgeLimits } from '../limits.ts';
import { batchOfObject, indexOfObject } from '../stores/object-keys.ts';

/**
 * `gone`: nobody knows the batch any more. `deleted`: by its owner. `delivered`: its one download was made. `once`: live,
 * until its first complete download.
 */
type LinkState = 'live' | 'once' | 'revoked' | 'deleted' | 'delivered' | 'gone';
/** `isFresh`: nothing that is remembered counts. Throws where the batch or its account cannot be reached. */
export type LinkGuard = (objectKey: string, madeFor: LinkHolder, isFresh?: boolean) => Promise<LinkState>;

type LinkGuardDeps = {
  readonly sagaOf: (batchId: string) => Pick<SagaPort, 'owner'>;
  readonly accountOf: AccountOf;
  readonly clock: Pick<Clock, 'nowMs'>;
};

const { checkedMs, rememberedMax } = edgeLimits.links;

/** Values of the last `rememberedMax` names asked for, each for `checkedMs`. */
const remembered = <T>(read: (name: string) => Promise<T>, nowMs: () => number) => {
  const known = new Map<string, { readonly value: T; readonly untilMs: number }>();
  return async (name: string, isFresh: boolean): Promise<T> => {
    const before = known.get(name);
    // From before it is asked for: what changes meanwhile may not be in the answer.
    const askedMs = nowMs();
    if (!isFresh && before && askedMs < before.untilMs) return before.value;
    const value = await read(name);
    known.delete(name);
    known.set(name, { value, untilMs: askedMs + checkedMs });
    dropOldest(known, rememberedMax);
    return value;
  };
};

export const createLinkGuard = ({ sagaOf, accountOf, clock }: LinkGuardDeps): LinkGuard => {
  const ownerOf = remembered<BatchOwner | undefined>((batchId) => sagaOf(batchId).owner(), clock.nowMs);
  const isRevoked = remembered<boolean>(async (name) => {
    const [accountId = '', keyId = ''] = name.split(' ');
    return accountOf(accountId).keys.isRevoked(keyId);
  }, clock.nowMs);
  return async (objectKey, madeFor, isFresh = false) => {
    const owner = await ownerOf(batchOfObject(objectKey), isFresh);
    if (!owner) return 'gone';
    const { accountId, keyId, removed, delivered, isKeptOnce } = owner;
    const index = indexOfObject(objectKey);
    if (removed === 'batch' || removed.includes(index)) return 'deleted';
    if (delivered.includes(index)) return 'delivered';
    if (madeFor === 'key' && (await isRevoked(`${accountId} ${keyId}`, isFresh))) return 'revoked';
    return isKeptOnce ? 'once' : 'live';
  };
};
