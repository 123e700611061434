/** Who is calling: the key's checksum first (no storage), then the one ledger the key names. */
import { hashApiKey, type KeyMode, parseApiKey } from '../../shared/api-key.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Services } from '../ports.ts';
import type { LedgerPort } from './port.ts';
import type { RateState } from './rate.ts';

export type Caller = {
  readonly accountId: string;
  readonly keyId: string;
  readonly mode: KeyMode;
  /** Credits when the request began. */
  readonly available: number;
  readonly rate: RateState;
  readonly ledger: LedgerPort;
};
/** `known` tells whose request was turned away, where that is known. */
export type TurnedAway = {
  readonly failure: Failure;
  readonly known?: { readonly keyId: string; readonly rate: RateState; readonly ledger: LedgerPort };
};

const BEARER = /^Bearer +([^\s]+) *$/i;

/** `slot` is given by uploads, which are counted while they run; see `LedgerPort.leave`. */
export const authenticate = async (
  services: Services,
  authorization: string | undefined,
  slot?: string,
): Promise<Result<Caller, TurnedAway>> => {
  if (!authorization) return turnAway(failure('key_missing'));
  const key = parseApiKey(BEARER.exec(authorization)?.[1] ?? '');
  if (!key) return turnAway(failure('key_malformed'));
  const ledger = services.ledgerOf(key.accountId);
  const reply = await ledger.authenticate({
    hash: await hashApiKey(key.text),
    ...(slot === undefined ? {} : { slot }),
  });
  switch (reply.result) {
    case 'unknown':
      return turnAway(failure('key_unknown'));
    case 'revoked':
      return turnAway(failure('key_revoked'));
    case 'rate_limited':
    case 'too_many_uploads':
      return fail({
        failure: limited(reply.result, reply.rate),
        known: { keyId: reply.keyId, rate: reply.rate, ledger },
      });
    case 'authenticated':
      return ok({
        accountId: key.accountId,
        keyId: reply.keyId,
        mode: reply.mode,
        available: reply.available,
        rate: reply.rate,
        ledger,
      });
  }
};

const turnAway = (found: Failure): Result<never, TurnedAway> => fail({ failure: found });

const limited = (result: 'rate_limited' | 'too_many_uploads', rate: RateState): Failure =>
  result === 'rate_limited'
    ? failure('rate_limited', undefined, { retryAfterSeconds: Math.max(1, Math.ceil(rate.retryAfterMs / 1_000)) })
    : failure('rate_limited', `More than ${limits.rate.uploadsInFlightMax} uploads of this account are running`, {
        retryAfterSeconds: limits.rate.slotRetrySeconds,
      });
