/**
 * `packshot webhooks listen`: what a webhook_url would get, forwarded to a local port. An event is forwarded in its order
 * and once; what the local server does not take is tried a few times, then told as failed and left.
 */
import { ConnectionError, type Packshot, ServiceError, type WebhookEvent } from '../src/index.ts';
import { UsageError } from './exit-codes.ts';

const WAIT_SECONDS = 25;
const FORWARD_TRIES = 4;
const FORWARD_PAUSE_MS = 500;
const FORWARD_TIMEOUT_MS = 10_000;
/** A service that cannot be reached is asked again after so long. */
const RECONNECT_MS = 2_000;

export type ListenOptions = { readonly forward?: string; readonly json?: true; readonly quiet?: true };

const forwardUrl = (text: string | undefined): URL | undefined => {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError('--forward takes an http(s) address');
  return url;
};

/** Ends only by `signal`, or where the key is refused. */
export const listen = async (packshot: Packshot, options: ListenOptions, signal: AbortSignal): Promise<void> => {
  const target = forwardUrl(options.forward);
  const say = (text: string): void => void (options.quiet || process.stderr.write(`${text}\n`));
  let after: string | undefined;
  while (!signal.aborted) {
    try {
      const page = await packshot.webhookEvents({ after, waitSeconds: WAIT_SECONDS, signal, retriesMax: 0 });
      if (after === undefined) say(`Listening. Deliveries are signed with ${page.secret}`);
      if (page.missing) say('Some events were missed: nobody listened for too long');
      for (const event of page.events) {
        const status = target ? await forward(target, event, signal) : null;
        tell(event, target, status, options, say);
      }
      after = page.next;
    } catch (error) {
      if (signal.aborted) return;
      const isPassing = error instanceof ConnectionError || error instanceof ServiceError;
      if (!isPassing) throw error;
      say(`The connection broke (${error.code}); trying again`);
      await pause(RECONNECT_MS, signal);
    }
  }
};

/** Status of the local server's answer; null where it gave none. */
const forward = async (target: URL, { headers, body }: WebhookEvent, signal: AbortSignal): Promise<number | null> => {
  let status: number | null = null;
  for (let attempt = 0; attempt < FORWARD_TRIES && !signal.aborted; attempt++) {
    if (attempt > 0) await pause(FORWARD_PAUSE_MS * 2 ** (attempt - 1), signal);
    try {
      const answer = await fetch(target, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'packshot/1' },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
      });
      await answer.body?.cancel();
      status = answer.status;
      if (answer.ok) return status;
    } catch {
      status = null;
    }
  }
  return status;
};

const tell = (
  { headers, body }: WebhookEvent,
  target: URL | undefined,
  status: number | null,
  options: ListenOptions,
  say: (text: string) => void,
): void => {
  const { batch_id, status: ended } = JSON.parse(body) as { batch_id: string; status: string };
  const id = headers['webhook-id'];
  if (options.json) process.stdout.write(`${JSON.stringify({ id, batch_id, status: ended, forwarded: status })}\n`);
  const came = target ? ` → ${target.host} ${status ?? 'did not answer'}` : '';
  say(`${id} ${batch_id} ${ended}${came}`);
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
