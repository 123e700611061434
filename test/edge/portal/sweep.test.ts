/** What is deleted from the portal's tables, and what stays. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { sweepPortal } from '../../../edge/portal/sweep.ts';
import { bindings } from '../support/service.ts';
import { me, newCustomer, registered, rows, signIn, signUp } from './customer.ts';

const count = async (table: string): Promise<number> =>
  (await rows<{ n: number }>(`select count(*) as n from "${table}"`))[0]?.n ?? -1;

describe('the sweep', () => {
  it('deletes registrations that nobody completed, expired attempts and sessions, and keeps customers', async () => {
    const customer = await registered();
    const ghost = newCustomer();
    await signUp(ghost);
    await signIn(newCustomer('somebody@example.com'), 'a wrong password');
    for (const table of ['sign_in_trails', 'known_networks', 'counters'])
      expect(await count(table), table).toBeGreaterThan(0);

    await sweepPortal(bindings.DB, Date.now());
    expect((await me(customer)).me?.user.email).toBe(customer.email);
    expect(await count('mailed_links')).toBe(1);

    await sweepPortal(bindings.DB, Date.now() + edgeLimits.portal.sessionMs + 1_000);
    expect(await rows('select id from "user" where email = ?', ghost.email)).toEqual([]);
    expect(await count('mailed_links')).toBe(0);
    expect(await rows('select id from "user" where email = ?', customer.email)).toHaveLength(1);
    expect(await count('session')).toBe(0);
    expect(await count('sign_in_trails')).toBe(0);
    expect(await count('counters')).toBe(0);
    expect(await count('known_networks')).toBeGreaterThan(0);
    expect(await count('rateLimit')).toBe(0);
    expect((await me(customer)).me).toBeNull();
    expect((await signIn(customer)).status).toBe(200);

    await bindings.DB.prepare('update known_networks set seen_at = seen_at - ?')
      .bind(edgeLimits.portal.signIn.knownNetworkMs)
      .run();
    await sweepPortal(bindings.DB, Date.now() + 1);
    expect(await count('known_networks')).toBe(0);
  });
});
