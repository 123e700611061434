/** Nobody's mailbox is flooded from here, and no list of strangers is written to. */
import { describe, expect, it } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { mailWait } from '../../../edge/portal/access/mail-limit.ts';
import { bindings } from '../support/service.ts';
import { mailsTo, newCustomer, registered, signUp } from './customer.ts';

const { perRecipientHour, perRecipientDay, perLineHour, perNetworkHour } = edgeLimits.portal.mails;
const HOUR_MS = 60 * 60 * 1000;
const anAddress = (i: number): string => `100.${i >> 8}.${i & 255}.9`;
const email = (): string => `${crypto.randomUUID()}@example.com`;

describe('one recipient', () => {
  it('gets a few mails an hour, whoever asks for them and from wherever', async () => {
    const victim = newCustomer();
    const answers: number[] = [];
    for (let i = 0; i < 20; i++) answers.push((await signUp(newCustomer(victim.email))).status);
    expect(answers.filter((status) => status === 202)).toHaveLength(perRecipientHour);
    expect(await mailsTo(victim)).toHaveLength(perRecipientHour);
  });

  it('with an account gets no more of them, and the answers do not tell', async () => {
    const owner = await registered();
    const stranger = email();
    const ask = async (to: string): Promise<number[]> => {
      const answers: number[] = [];
      for (let i = 0; i < perRecipientHour + 2; i++)
        answers.push((await newCustomer().call('POST', '/auth/request-password-reset', { email: to })).status);
      return answers;
    };
    const before = (await mailsTo(owner)).length;
    expect(await ask(owner.email)).toEqual(await ask(stranger));
    expect((await mailsTo(owner)).length - before).toBe(perRecipientHour);
  });

  it('can still reset a password when others have had confirmations sent to it', async () => {
    const to = email();
    for (let i = 0; i < 5; i++)
      await mailWait(bindings.DB, { kind: 'confirm', recipient: to, address: anAddress(i) }, 0);
    expect(await mailWait(bindings.DB, { kind: 'reset', recipient: to, address: anAddress(9) }, 0)).toEqual({
      waitMs: 0,
    });
  });

  it('gets a few a day, however they are spread', async () => {
    const to = email();
    let sent = 0;
    for (let hour = 0; hour < 24; hour++)
      for (let i = 0; i < 5; i++) {
        const request = { kind: 'reset', recipient: to.toUpperCase(), address: anAddress(hour * 5 + i) } as const;
        if ((await mailWait(bindings.DB, request, hour * HOUR_MS)).waitMs === 0) sent++;
      }
    expect(sent).toBe(perRecipientDay);
  });
});

describe('one client', () => {
  it('has a bounded number of mails sent an hour, to whomever', async () => {
    const answers: number[] = [];
    for (let i = 0; i < perLineHour + 5; i++)
      answers.push(
        (await mailWait(bindings.DB, { kind: 'confirm', recipient: email(), address: '2001:db8:1:1::5' }, 0)).waitMs,
      );
    expect(answers.filter((waitMs) => waitMs === 0)).toHaveLength(perLineHour);
    expect(answers.at(-1)).toBe(HOUR_MS);
  });

  it('does not gain more by changing its address within its network', async () => {
    let sent = 0;
    for (let i = 0; i < perNetworkHour + 30; i++) {
      const address = `2001:db8:2:${i.toString(16)}::1`;
      if ((await mailWait(bindings.DB, { kind: 'confirm', recipient: email(), address }, 0)).waitMs === 0) sent++;
    }
    expect(sent).toBe(perNetworkHour);
  });

  it('uses up nobody’s share of mails while it is refused itself', async () => {
    const victim = email();
    for (let i = 0; i < perLineHour; i++)
      await mailWait(bindings.DB, { kind: 'reset', recipient: email(), address: '192.0.2.1' }, 0);
    for (let i = 0; i < 10; i++)
      await mailWait(bindings.DB, { kind: 'reset', recipient: victim, address: '192.0.2.1' }, 0);
    expect(await mailWait(bindings.DB, { kind: 'reset', recipient: victim, address: '203.0.113.1' }, 0)).toEqual({
      waitMs: 0,
    });
  });
});
