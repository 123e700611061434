/** "Run for 1 credit": the call that any customer's server makes, with a key that lives in this tab's memory only. */
import type { UploadFailedResult, UploadResponse, UploadResult } from '../../../shared/api.ts';
import { paths } from '../../../shared/paths.ts';

export type RunOutcome =
  | {
      readonly ok: true;
      readonly result: UploadResult;
      readonly requestId: string;
      readonly creditsLeftUsd: number;
      readonly ms: number;
    }
  | { readonly ok: false; readonly code: string; readonly detail: string };

/** Links carry the public address; the portal fetches them from its own origin. */
export const ownPath = (url: string): string => new URL(url).pathname;

const isFailed = (result: UploadResult | UploadFailedResult): result is UploadFailedResult => 'error' in result;

export const runOnApi = async (
  file: Blob,
  name: string,
  fields: Readonly<Record<string, string>>,
  secret: string,
): Promise<RunOutcome> => {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('files', file, name);
  const started = performance.now();
  try {
    const response = await fetch(paths.hero, {
      method: 'POST',
      // One run is one charge, even if the browser sends it twice.
      headers: { authorization: `Bearer ${secret}`, 'idempotency-key': crypto.randomUUID() },
      body: form,
      credentials: 'omit',
    });
    const answer = (await response.json()) as UploadResponse & { code?: string; detail?: string };
    if (!response.ok)
      return {
        ok: false,
        code: answer.code ?? `status_${response.status}`,
        detail: answer.detail ?? 'The request was refused.',
      };
    const [result] = answer.results;
    if (!result || isFailed(result))
      return {
        ok: false,
        code: result?.error.code ?? 'empty_answer',
        detail: result?.error.detail ?? 'The answer holds no result.',
      };
    return {
      ok: true,
      result,
      requestId: answer.request_id,
      creditsLeftUsd: answer.remaining_api_credits_usd,
      ms: performance.now() - started,
    };
  } catch {
    return { ok: false, code: 'unreachable', detail: 'The API could not be reached.' };
  }
};
