/** "Run for 1 credit" and "Check first, free": the calls that any customer's server makes. */
import type { UploadFailedResult, UploadResponse, UploadResult } from '../../../shared/api.ts';
import type { CheckAnswer } from '../../../shared/check-api.ts';
import { paths } from '../../../shared/paths.ts';
import { type Posted, postPhoto, type Refused } from './post-photo.ts';
import { createRunKeys } from './run-keys.ts';
import { forgetRun, noteRun } from './run-memory.ts';

export type RunOutcome =
  | {
      readonly ok: true;
      readonly result: UploadResult;
      readonly requestId: string;
      readonly creditsLeftUsd: number;
      readonly ms: number;
    }
  | Refused;
export type CheckOutcome = Posted<CheckAnswer>;

/** Links carry the public address; the portal fetches them from its own origin. */
export const ownPath = (url: string): string => new URL(url).pathname;

const isFailed = (result: UploadResult | UploadFailedResult): result is UploadFailedResult => 'error' in result;

type Fields = Readonly<Record<string, string>>;

const runKeys = createRunKeys(() => crypto.randomUUID());

const digestOf = async (blob: Blob | undefined): Promise<string> =>
  blob ? Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()))).join() : '';

/** `matte`: a PNG that says what is product, in place of the model. */
export const runOnApi = async (
  file: Blob,
  name: string,
  fields: Fields,
  secret: string,
  matte?: Blob,
): Promise<RunOutcome> => {
  // One run is one charge, even if it is sent twice.
  const run = runKeys.begin(file, JSON.stringify([name, fields, secret, await digestOf(matte)]));
  const { idempotencyKey } = run;
  const headers = { 'idempotency-key': idempotencyKey };
  noteRun({ idempotencyKey, name });
  const posted = await postPhoto<UploadResponse>({ path: paths.hero, file, name, fields, secret, headers, matte });
  // A page that is being left aborts its calls: what becomes of this one is asked when it is back.
  if (runKeys.end(run, posted.ok ? undefined : posted.code)) forgetRun(idempotencyKey);
  if (!posted.ok) return posted;
  const { answer, ms } = posted;
  const [result] = answer.results;
  if (!result) return { ok: false, code: 'empty_answer', detail: 'The answer holds no result.' };
  if (isFailed(result)) return { ok: false, ...result.error };
  const { request_id: requestId, remaining_api_credits_usd: creditsLeftUsd } = answer;
  return { ok: true, result, requestId, creditsLeftUsd, ms };
};

export const checkOnApi = (file: Blob, name: string, fields: Fields, secret: string): Promise<CheckOutcome> =>
  postPhoto<CheckAnswer>({ path: paths.check, file, name, fields, secret });
