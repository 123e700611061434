/** Batch style: check the body, hold a credit for each URL, answer 202. The saga hands the images to the queue. */
import { type BatchRequest, batchRequestSchema } from '../../shared/api.ts';
import { sha256 } from '../../shared/digest.ts';
import { type Failure, type FieldError, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { type ResolvedOptions, resolveOptions } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import { idempotent } from '../account/idempotency/idempotent.ts';
import type { Services, Trace } from '../ports.ts';
import { acceptedAgain, acceptedAnswer, refused } from '../responses/accepted.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { nameFromUrl, resultFilenames } from '../responses/filenames.ts';
import { openBatch } from './open.ts';

export type BatchCreation = Trace & {
  readonly batchId: string;
  readonly idempotencyKey: string | null;
  readonly text: string;
  readonly checkWebhookUrl: (url: string) => Result<string, Failure>;
};

type Item = { readonly input_url: string; readonly filename?: string | undefined };
type BatchForm = {
  readonly items: readonly Item[];
  readonly options: ResolvedOptions;
  readonly webhookUrl: string | null;
  readonly fingerprint: string;
};

export const createBatch = (services: Services, caller: Caller, request: BatchCreation): Promise<Answer> =>
  idempotent<BatchForm>(services, caller, request, {
    read: () => readForm(request),
    run: (batchId, stillOurs) => open(services, caller, { ...request, batchId }, stillOurs),
    resume: async (_form, batch) => acceptedAgain(caller, batch),
  });

const open = async (
  services: Services,
  caller: Caller,
  request: BatchCreation,
  stillOurs: () => Promise<boolean>,
): Promise<{ answer: Answer; fingerprint?: string }> => {
  const form = await readForm(request);
  if (!form.ok) return { answer: failed(form.failure) };
  if (!(await stillOurs())) return { answer: failed(failure('idempotency_in_flight')) };
  const { items, options, webhookUrl, fingerprint } = form.value;
  const originalNames = items.map((item) => item.filename ?? nameFromUrl(item.input_url));
  const filenames = resultFilenames(originalNames, options.format);
  const opened = await openBatch(services, {
    batchId: request.batchId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    requestId: request.requestId,
    fingerprint,
    mode: caller.mode,
    options,
    webhookUrl,
    style: 'batch',
    deadlineAtMs: services.clock.nowMs() + limits.batch.deadlineMs,
    images: items.map((item, i) => ({
      originalName: originalNames[i] ?? '',
      filename: filenames[i] ?? '',
      inputUrl: item.input_url,
    })),
  });
  if (opened.result === 'refused') return { answer: refused(opened.available, opened.required) };
  if (opened.result === 'ledger_silent')
    return { answer: failed(failure('not_ready', undefined, { retryAfterSeconds: 2 })) };
  const images = items.length;
  const charged = caller.mode === 'live' ? images : 0;
  return {
    answer: acceptedAnswer({
      batchId: request.batchId,
      requestId: request.requestId,
      images,
      charged,
      available: opened.available ?? caller.available,
    }),
    fingerprint,
  };
};

const readForm = async ({ text, checkWebhookUrl }: BatchCreation): Promise<Result<BatchForm, Failure>> => {
  const raw = parseJson(text);
  if (!raw.ok) return raw;
  const body = checkBody(raw.value);
  if (!body.ok) return body;
  const items: readonly Item[] = 'images' in body.value ? body.value.images : [body.value];
  const options = resolveOptions(body.value.options);
  if (!options.ok) return options;
  const webhookUrl = body.value.webhook_url === undefined ? ok(null) : checkWebhookUrl(body.value.webhook_url);
  if (!webhookUrl.ok) return webhookUrl;
  const fingerprint = await sha256(JSON.stringify([items, options.value, webhookUrl.value]));
  return ok({ items, options: options.value, webhookUrl: webhookUrl.value, fingerprint });
};

const parseJson = (text: string): Result<unknown, Failure> => {
  try {
    return ok(JSON.parse(text));
  } catch {
    return fail(failure('malformed_request', 'The body is not valid JSON'));
  }
};

const [manySchema, oneSchema] = batchRequestSchema.options;

/** The form meant is told by `images`, so that a mistake is named in the form that was meant. */
const checkBody = (raw: unknown): Result<BatchRequest, Failure> => {
  const many = typeof raw === 'object' && raw !== null && 'images' in raw;
  if (many && Array.isArray(raw.images) && raw.images.length > limits.batch.imagesMax)
    return fail(failure('too_many_images', `A batch carries at most ${limits.batch.imagesMax} images`));
  const parsed = (many ? manySchema : oneSchema).safeParse(raw);
  if (parsed.success) return ok(parsed.data);
  const rows = parsed.error.issues.slice(0, limits.batch.errorRowsMax).map((issue): FieldError => {
    const field = issue.path.join('.');
    const code = issue.path[0] === 'options' ? 'invalid_options' : 'invalid_request';
    return issue.code === 'unrecognized_keys'
      ? { field: [...issue.path, issue.keys[0]].join('.'), code, detail: 'is not known' }
      : { field, code, detail: issue.message };
  });
  const code = rows.every((row) => row.code === 'invalid_options') ? 'invalid_options' : 'invalid_request';
  return fail(
    failure(
      code,
      rows
        .map((row) => `${row.field || 'body'}: ${row.detail}`)
        .join('; ')
        .slice(0, 500),
      { errors: rows },
    ),
  );
};
