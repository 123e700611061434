/** The status page: what the probes of the running system find, and what they found when one of its parts was away. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { runProbesOnce } from '../../local/schedule.ts';
import { type StatusAnswer, statusComponentNames } from '../../shared/status.ts';

/** The first answer of which every part is known: one from before the probes is given for ten more seconds. */
const knownStatus = async (base: string): Promise<StatusAnswer> => {
  for (let tries = 1; ; tries++) {
    const answer = (await (await fetch(`${base}/status.json`)).json()) as StatusAnswer;
    if (tries === 30 || answer.components.every(({ state }) => state !== 'unknown')) return answer;
    await sleep(500);
  }
};

/** Every part of the real system is probed and well; without news the page stops saying so. */
export const readStatus = async (page: Page, base: string): Promise<string> => {
  assert.ok(await runProbesOnce(base));
  const answer = await knownStatus(base);
  const broken = answer.components.filter(({ state }) => state !== 'operational' && state !== 'degraded');
  assert.deepEqual(broken, []);
  await page.goto(`${base}/status`);
  const rows = page.locator('.status-row');
  await rows
    .filter({ hasText: /Probed/ })
    .first()
    .waitFor();
  assert.equal(await rows.count(), statusComponentNames.length);
  await page.clock.install();
  await page.reload();
  await rows
    .filter({ hasText: /Probed/ })
    .first()
    .waitFor();
  await page.route('**/status.json', (route) => route.fulfill({ status: 503, body: '' }));
  await page.clock.runFor(30 * 60_000);
  await page.getByText('No recent probe of any part').waitFor();
  assert.equal(await rows.getByText('Not known').count(), statusComponentNames.length);
  return answer.components.map(({ name, latency_ms }) => `${name} ${latency_ms} ms`).join(', ');
};
