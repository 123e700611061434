/**
 * The clock of a local run: wrangler dev fires no cron trigger by itself, so the status page's probes are asked for here.
 * What else is due by the clock stays undone, as it always was: local files and rows are kept.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 60_000;
/** As wrangler.toml has it. */
const PROBES = '* * * * *';
const RUN_MS_MAX = 55_000;

/** One run of the probes; resolves when it is over, and says whether it could be begun. */
export const runProbesOnce = async (baseUrl: string, stop?: AbortSignal): Promise<boolean> => {
  try {
    const url = `${baseUrl}/cdn-cgi/local/scheduled?cron=${encodeURIComponent(PROBES)}`;
    const answer = await fetch(url, {
      signal: AbortSignal.any([AbortSignal.timeout(RUN_MS_MAX), ...(stop ? [stop] : [])]),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    // The edge is away: its supervisor starts it again, and the page says by itself that probes are missing.
    return false;
  }
};

/** Until `signal` is aborted. */
export const keepProbing = async (baseUrl: string, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await runProbesOnce(baseUrl, signal);
    await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
  }
};
