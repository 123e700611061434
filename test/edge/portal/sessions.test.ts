/** Where somebody is signed in, and ending it. */
import { describe, expect, it } from 'vitest';
import { deviceOf } from '../../../edge/portal/access/sessions.ts';
import type { SecurityOverview } from '../../../shared/portal-api.ts';
import { answerOf, type Customer, me, newCustomer, PASSWORD, registered, signIn } from './customer.ts';

const sessionsOf = async (customer: Customer): Promise<SecurityOverview['sessions']> =>
  (await answerOf<SecurityOverview>(customer.call('GET', '/account/security'))).sessions;

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';

/** A second session of the owner, from a browser in Norway. */
const second = async (owner: Customer): Promise<Customer> => {
  const other = newCustomer(owner.email);
  const headers = { 'user-agent': FIREFOX, 'cf-ipcountry': 'NO' };
  expect(
    (await other.call('POST', '/auth/sign-in/email', { email: owner.email, password: PASSWORD }, headers)).status,
  ).toBe(200);
  return other;
};

describe('sessions', () => {
  it('are listed with device and country, the own one marked, without what would open them', async () => {
    const owner = await registered();
    await second(owner);
    const sessions = await sessionsOf(owner);
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    expect(sessions.find(({ current }) => !current)).toMatchObject({ device: 'Firefox on Windows', country: 'NO' });
    const answer = await (await owner.call('GET', '/account/security')).text();
    for (const value of owner
      .cookies()
      .split(/[=; ]/)
      .filter((text) => text.length > 20))
      expect(answer).not.toContain(decodeURIComponent(value).split('.')[0]);
  });

  it('end one by one, or all but the own', async () => {
    const owner = await registered();
    const [a, b] = [await second(owner), await second(owner)];
    const ofA = (await sessionsOf(a)).find(({ current }) => current);
    expect((await owner.call('POST', `/account/sessions/${ofA?.id}/end`, {})).status).toBe(200);
    expect([(await me(a)).me, (await me(b)).me === null]).toEqual([null, false]);
    expect((await owner.call('POST', '/account/sessions/end-others', {})).status).toBe(200);
    expect([(await me(b)).me, (await me(owner)).me === null]).toEqual([null, false]);
  });

  it('end by their owner alone', async () => {
    const [owner, other] = [await registered(), await registered()];
    const [mine] = await sessionsOf(owner);
    expect((await other.call('POST', `/account/sessions/${mine?.id}/end`, {})).status).toBe(404);
    expect((await me(owner)).me).not.toBeNull();
  });

  it("are not listed or ended by the library's own routes, which show the tokens", async () => {
    const owner = await registered();
    expect((await owner.call('GET', '/auth/list-sessions')).status).toBe(404);
    expect((await owner.call('POST', '/auth/revoke-sessions', {})).status).toBe(404);
    expect((await signIn(owner)).status).toBe(200);
  });
});

describe('a device', () => {
  it('is named by its browser and system', () => {
    const named: Record<string, string> = {
      [FIREFOX]: 'Firefox on Windows',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15':
        'Safari on macOS',
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36':
        'Chrome on Android',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0':
        'Edge on Windows',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1':
        'Chrome on iPhone',
      'curl/8.5.0': 'Unknown device',
    };
    for (const [agent, name] of Object.entries(named)) expect(deviceOf(agent)).toBe(name);
    expect(deviceOf(null)).toBe('Unknown device');
  });
});
