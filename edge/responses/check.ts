/** The answers to a check: what was found, or that no check is left now. */
import type { CheckAnswer } from '../../shared/check-api.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import type { CheckReport } from '../../shared/findings.ts';
import { limits } from '../../shared/limits.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import type { BeginCheckReply, Quota } from '../account/checks/port.ts';
import { edgeLimits } from '../limits.ts';
import { type Answer, failed } from './answer.ts';

type Checked = { readonly originalName: string; readonly options: Pick<ResolvedOptions, 'marketplace'> };

export const checkAnswer = (
  checkId: string,
  requestId: string,
  { originalName, options }: Checked,
  report: CheckReport,
): Answer => {
  const { width, height, product_box, matte_confidence, findings, processing_ms } = report;
  const body: CheckAnswer = {
    success: true,
    request_id: requestId,
    check_id: checkId,
    original_name: originalName,
    marketplace: options.marketplace,
    width,
    height,
    product_box,
    matte_confidence,
    findings,
    processing_ms: Math.round(processing_ms),
  };
  return { kind: 'ok', body };
};

/** Nothing of the request's body was read. */
export const notBegunAnswer = (reply: Exclude<BeginCheckReply, { result: 'begun' }>): Answer => {
  const { quotas } = reply;
  return reply.result === 'quota_exceeded'
    ? failed(quotaExceeded(reply.spent), { quotas })
    : failed(tooMany(), { quotas });
};

const quotaExceeded = ({ policy, perWindow, resetMs }: Quota): Failure => {
  const [window, end] = policy === 'checks-day' ? ['day', 'at midnight UTC'] : ['minute', 'with the next minute'];
  return failure(
    'check_quota_exceeded',
    `An account has ${perWindow} free checks a ${window}; there are new ones ${end}`,
    {
      retryAfterSeconds: Math.max(1, Math.ceil(resetMs / 1_000)),
    },
  );
};

const tooMany = (): Failure =>
  failure('rate_limited', `More than ${limits.checks.inFlightMax} checks of this account are running`, {
    retryAfterSeconds: edgeLimits.check.retrySeconds,
  });
