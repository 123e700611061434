/** Who is calling: the key's checksum first (no storage), then the one account the key names. */
import { hashApiKey, type KeyMode, parseApiKey } from '../../shared/api-key.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { KeyScope } from '../../shared/scopes.ts';
import { edgeLimits } from '../limits.ts';
import type { AuthenticateReply } from './access/port.ts';
import type { KeyGuard } from './key-guard.ts';
import type { AccountOf, AccountParts } from './port.ts';
import type { RateState } from './rate.ts';

export type Caller = {
  readonly accountId: string;
  readonly keyId: string;
  readonly mode: KeyMode;
  /** Credits when the request began. */
  readonly available: number;
  readonly rate: RateState;
  readonly account: AccountParts;
  /** Told once the slot of an upload is known to be free, which its settlement makes it. */
  readonly noteSlotFree?: () => void;
  /** Told what was sent, for the search of the request log. */
  readonly noteSent?: (names: readonly string[], options: ResolvedOptions) => void;
};
/** `caller` names whose request was turned away, where that is known. */
export type TurnedAway = {
  readonly failure: Failure;
  readonly caller?: Pick<Caller, 'keyId' | 'account'> & Partial<Pick<Caller, 'rate'>>;
};

/** What a client sends whose variable for the key is empty. */
const NO_KEY = /^(Bearer)? *$/i;
const BEARER = /^Bearer +([^\s]+) *$/i;

type AuthenticateDeps = { readonly accountOf: AccountOf; readonly keyGuard: KeyGuard };
export type Credentials = Asked & { readonly authorization: string | undefined };
/** A key that its owner names, without its secret. */
export type KeyOfOwner = { readonly accountId: string; readonly keyId: string };
/** Of any caller. */
type Asked = {
  /** The client's network address; the platform always gives it. */
  readonly address: string | undefined;
  /** Given by uploads, which are counted while they run, until `AccessPort.releaseSlot`. */
  readonly slot?: string | undefined;
  /** What the route asks of the key; undefined: any key will do. */
  readonly scope?: KeyScope | undefined;
};

export const authenticate = async (
  { accountOf, keyGuard }: AuthenticateDeps,
  { authorization, ...rest }: Credentials,
): Promise<Result<Caller, TurnedAway>> => {
  if (!authorization || NO_KEY.test(authorization)) return fail({ failure: failure('key_missing') });
  const key = parseApiKey(BEARER.exec(authorization)?.[1] ?? '');
  if (!key) return fail({ failure: failure('key_malformed') });
  const hash = await hashApiKey(key.text);
  const guarded = await keyGuard.check(rest.address, hash);
  if (guarded.result === 'unknown') return fail({ failure: failure('key_unknown') });
  if (guarded.result === 'wait') return fail({ failure: tooManyUnknownKeys(guarded.waitMs) });
  const account = accountOf(key.accountId);
  const reply = await account.access.authenticate({ hash, ...askedOf(rest) });
  if (reply.result !== 'unknown') keyGuard.known(hash);
  else keyGuard.unknown(rest.address, hash);
  return callerOf(key.accountId, account, reply, rest);
};

/** Somebody who is signed in uses a key of their account: what the key may do holds for them, too. */
export const authenticateOwner = async (
  { accountOf }: Pick<AuthenticateDeps, 'accountOf'>,
  { accountId, keyId }: KeyOfOwner,
  asked: Asked,
): Promise<Result<Caller, TurnedAway>> => {
  const account = accountOf(accountId);
  const reply = await account.access.authenticate({ keyId, ...askedOf(asked) });
  return callerOf(accountId, account, reply, asked);
};

const askedOf = ({ slot, scope, address }: Asked) => ({
  ...(slot && { slot }),
  ...(scope && { scope }),
  ...(address && { address }),
});

const callerOf = (
  accountId: string,
  account: AccountParts,
  reply: AuthenticateReply,
  { scope }: Asked,
): Result<Caller, TurnedAway> => {
  switch (reply.result) {
    case 'unknown':
      return fail({ failure: failure('key_unknown') });
    case 'revoked':
      return fail({ failure: failure('key_revoked') });
    case 'expired':
      return fail({ failure: failure('key_expired'), caller: { ...reply, account } });
    case 'address_not_allowed':
      return fail({ failure: failure('key_address_not_allowed'), caller: { ...reply, account } });
    case 'scope_missing':
      return fail({ failure: scopeMissing(scope), caller: { ...reply, account } });
    case 'rate_limited':
      return fail({ failure: rateLimited(reply.rate), caller: { ...reply, account } });
    case 'too_many_uploads':
      return fail({ failure: tooManyUploads(), caller: { ...reply, account } });
    case 'authenticated': {
      const { keyId, mode, available, rate } = reply;
      return ok({ accountId, keyId, mode, available, rate, account });
    }
  }
};

const scopeMissing = (scope = ''): Failure =>
  failure('key_scope_missing', `The API key lacks the scope ${scope}`, { members: { scope } });

const rateLimited = ({ retryAfterMs }: RateState): Failure =>
  failure('rate_limited', undefined, { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)) });

const tooManyUnknownKeys = (waitMs: number): Failure =>
  failure('rate_limited', 'Too many unknown keys were tried from this address', {
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  });

const tooManyUploads = (): Failure =>
  failure('rate_limited', `More than ${limits.rate.uploadsInFlightMax} uploads of this account are running`, {
    retryAfterSeconds: edgeLimits.rate.slotRetrySeconds,
  });
