/** Calls a node as the edge does: jobs with presigned-like URLs, service tokens by shared/job.ts. */
import { createHash } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { type JobRequest, jobResponseSchema, type Outcome, SERVICE_TOKEN } from '../../../shared/job.ts';
import { type ResolvedOptions, resolveOptions } from '../../../shared/options.ts';
import { nodePaths } from '../../../shared/paths.ts';
import type { ServiceSigningKey } from '../../../shared/service-key.ts';
import { signingKey } from '../../support/service-keys.ts';
import type { Storage } from './storage.ts';

const defaults = resolveOptions({});
if (!defaults.ok) throw new Error('the default options must resolve');
const defaultOptions: ResolvedOptions = { ...defaults.value, canvas: 1000 };

/** A job whose input is `/in/<input>` and whose outputs are `/out/<job id>` and `/out/<job id>.preview`. */
export const newJob = (
  storage: Pick<Storage, 'url'>,
  jobId: string,
  input: string,
  more: Partial<JobRequest> = {},
): JobRequest => ({
  job_id: jobId,
  account_id: 'acc_test',
  input_url: `${storage.url}/in/${input}?X-Amz-Signature=secret-signature`,
  outputs: {
    clean: `${storage.url}/out/${jobId}?X-Amz-Signature=secret-signature`,
    preview: `${storage.url}/out/${jobId}.preview?X-Amz-Signature=secret-signature`,
  },
  options: defaultOptions,
  watermark: false,
  priority: 'interactive',
  deadline_at: Date.now() + 600_000,
  ...more,
});

export type TokenChanges = {
  subject?: string;
  body?: string;
  audience?: string;
  issuer?: string;
  issuedAt?: number;
  expiresAt?: number;
  key?: ServiceSigningKey;
  kid?: string;
};

export const signToken = async (subject: string, body: string, changes: TokenChanges = {}): Promise<string> => {
  const key = changes.key ?? signingKey;
  const issuedAt = changes.issuedAt ?? Math.floor(Date.now() / 1000);
  return new SignJWT({
    body_sha256: createHash('sha256')
      .update(changes.body ?? body)
      .digest('hex'),
  })
    .setProtectedHeader({ alg: 'EdDSA', kid: changes.kid ?? key.kid })
    .setSubject(changes.subject ?? subject)
    .setIssuer(changes.issuer ?? SERVICE_TOKEN.issuer)
    .setAudience(changes.audience ?? SERVICE_TOKEN.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(changes.expiresAt ?? issuedAt + SERVICE_TOKEN.secondsMax)
    .sign(await importJWK({ ...key }, 'EdDSA'));
};

export type PostOptions = {
  token?: string | undefined;
  changes?: TokenChanges;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export const postSigned = async (
  url: string,
  path: string,
  subject: string,
  content: unknown,
  options: PostOptions = {},
): Promise<Response> => {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  const token = 'token' in options ? options.token : await signToken(subject, body, options.changes);
  return fetch(`${url}${path}`, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...options.headers,
    },
    ...(options.signal ? { signal: options.signal } : {}),
  });
};

export const postJob = (url: string, job: JobRequest, options: PostOptions = {}): Promise<Response> =>
  postSigned(url, nodePaths.jobs, job.job_id, job, options);

/** The outcome of a job that must be answered with one. */
export const outcomeOf = async (response: Response): Promise<Outcome> => {
  if (response.status !== 200) throw new Error(`expected an outcome, got ${response.status}: ${await response.text()}`);
  const answer = jobResponseSchema.parse(await response.json());
  if ('refused' in answer) throw new Error(`expected an outcome, got ${answer.refused.code}: ${answer.refused.detail}`);
  return answer.outcome;
};
