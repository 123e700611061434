/** What request bodies may hold of an isolate's memory, attacked by senders that are many, large, slow, or gone. */
import { describe, expect, it } from 'vitest';
import { withText } from '../../../edge/http/body.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { type Bodies, createBodies } from '../../../edge/spool/bodies.ts';
import { byteBudget, type Permit } from '../../../edge/spool/byte-budget.ts';
import { readUpload } from '../../../edge/upload/read-upload.ts';
import { limits } from '../../../shared/limits.ts';
import { ok } from '../../../shared/result.ts';
import { jpegOf } from '../../support/image-heads.ts';
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts';

const { bytesMax, openMax, waitMsMax, wantedWindowMs, idleMsMax, retrySeconds } = edgeLimits.bodies;
const { blockBytes, clientWindowMs } = edgeLimits.spool;
const CONTENT_TYPE = 'multipart/form-data; boundary=xx';
const head = new TextEncoder().encode('--xx\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n');
const tail = new TextEncoder().encode('\r\n--xx--\r\n');

/** A body of one file; `stopsAfter` so many bytes it says nothing more. */
const bodyOf = (bytes: number, stopsAfter = Number.POSITIVE_INFINITY): ReadableStream<Uint8Array> => {
  const chunk = jpegOf(65_536);
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(head),
    async pull(controller) {
      if (sent >= stopsAfter) return new Promise(() => {});
      const part = chunk.subarray(0, Math.min(chunk.length, bytes - sent, stopsAfter - sent));
      sent += part.length;
      controller.enqueue(part);
      if (sent < bytes) return;
      controller.enqueue(tail);
      controller.close();
    },
  });
};
const declared = (body: ReadableStream<Uint8Array>, bytes?: number) => ({ body, contentType: CONTENT_TYPE, bytes });
const reads = (clock: VirtualClock, bodies: Bodies, account: string, body: ReadableStream<Uint8Array>) =>
  readUpload(declared(body), { clock, openRoom: bodies.of(account) }, () => ({
    takesHeic: false,
    put: async () => {},
    open: async () => ({ write: async () => {}, complete: async () => {}, abort: async () => {} }),
  }));
const codeOf = (read: Awaited<ReturnType<typeof reads>>): string => (read.ok ? 'ok' : read.failure.code);

describe('the bodies that an isolate takes in', () => {
  it('hold no more than their bound, however many senders stop short of a block', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    let most = 0;
    const all = Array.from({ length: 60 }, async (_, i) => {
      const read = await reads(clock, bodies, `acc${i}`, bodyOf(limits.upload.fileBytesMax, blockBytes - 1));
      most = Math.max(most, bodies.heldBytes());
      return codeOf(read);
    });
    const codes = await clock.run(Promise.all(all));
    expect(new Set(codes)).toEqual(new Set(['body_too_slow', 'not_ready']));
    expect(most).toBeGreaterThan(bytesMax / 2);
    expect(most).toBeLessThanOrEqual(bytesMax);
    expect(bodies.heldBytes()).toBe(0);
  });

  it('let a stranger in within two windows, while slow senders hold all there is', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    const slow = Array.from({ length: 9 }, (_, i) =>
      reads(clock, bodies, `slow${i}`, bodyOf(limits.upload.fileBytesMax, blockBytes - 1)),
    );
    const begunMs = clock.nowMs();
    expect(codeOf(await clock.run(reads(clock, bodies, 'stranger', bodyOf(20_000_000))))).toBe('ok');
    expect(clock.nowMs() - begunMs).toBeLessThanOrEqual(2 * wantedWindowMs);
    expect((await clock.run(Promise.all(slow))).map(codeOf)).toContain('body_too_slow');
  });

  it('leave a slow sender its time while nobody waits', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    const begunMs = clock.nowMs();
    expect(codeOf(await clock.run(reads(clock, bodies, 'a', bodyOf(9_000_000, 200_000))))).toBe('body_too_slow');
    expect(clock.nowMs() - begunMs).toBe(2 * clientWindowMs);
  });

  it('take a stranger at once while one account sends as much as it can', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    const flood = Array.from({ length: 100 }, () =>
      reads(clock, bodies, 'flood', bodyOf(limits.upload.fileBytesMax, blockBytes - 1)),
    );
    const begunMs = clock.nowMs();
    expect(codeOf(await clock.run(reads(clock, bodies, 'stranger', bodyOf(20_000_000))))).toBe('ok');
    expect(clock.nowMs()).toBe(begunMs);
    await clock.run(Promise.all(flood));
    expect(bodies.heldBytes()).toBe(0);
  });

  it('refuse who finds no room, after a bounded wait and with a time to come again', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    const rooms = await Promise.all(Array.from({ length: 2 }, (_, i) => bodies.of(`holder${i}`)()));
    for (const room of rooms)
      if (room.ok) await room.value.need(Number.POSITIVE_INFINITY, (bytesMax - 8 * 2 ** 20) / 2);
    const begunMs = clock.nowMs();
    const read = await clock.run(reads(clock, bodies, 'late', bodyOf(20_000_000)));
    expect(read).toMatchObject({ ok: false, failure: { code: 'not_ready', retryAfterSeconds: retrySeconds } });
    expect(clock.nowMs() - begunMs).toBe(waitMsMax);
    for (const room of rooms) if (room.ok) room.value.leave();
    expect(bodies.heldBytes()).toBe(0);
  });

  it('take small ones while large ones wait', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    const large = Array.from({ length: 40 }, (_, i) =>
      reads(clock, bodies, `large${i}`, bodyOf(limits.upload.fileBytesMax, blockBytes - 1)),
    );
    const begunMs = clock.nowMs();
    expect(codeOf(await clock.run(reads(clock, bodies, 'small', bodyOf(10_000))))).toBe('ok');
    expect(clock.nowMs()).toBe(begunMs);
    await clock.run(Promise.all(large));
  });

  it('are so many at most, and then wait for each other', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    const rooms = await Promise.all(Array.from({ length: openMax }, (_, i) => bodies.of(`acc${i}`)()));
    const next = bodies.of('next')();
    const first = rooms[0];
    if (first?.ok) first.value.leave();
    expect((await clock.run(next)).ok).toBe(true);
  });

  it('find the room again of a request that the runtime ended without a word', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    for (let i = 0; i < 2; i++) {
      const gone = await bodies.of(`gone${i}`)();
      if (gone.ok) await gone.value.need(Number.POSITIVE_INFINITY, (bytesMax - 8 * 2 ** 20) / 2);
    }
    await clock.run(clock.wait(idleMsMax - waitMsMax / 2));
    expect(codeOf(await clock.run(reads(clock, bodies, 'next', bodyOf(20_000_000))))).toBe('ok');
  });

  it('are held as text for as long as the text is used, whatever it is used for', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    const text = 'x'.repeat(300_000);
    const bounds = { openRoom: bodies.of('a'), bytesMax: 400_000, factor: 4 };
    const asBody = () => ({ body: new Blob([text]).stream(), bytes: text.length });
    const used = await withText(asBody(), bounds, async (read) => {
      expect(bodies.heldBytes()).toBeGreaterThanOrEqual(4 * text.length);
      return ok(read);
    });
    expect(used).toEqual(ok(text));
    expect(bodies.heldBytes()).toBe(0);
    const broken = withText(asBody(), bounds, () => Promise.reject(new Error('a bug')));
    await expect(broken).rejects.toThrow('a bug');
    expect(bodies.heldBytes()).toBe(0);
  });

  it('have room for the largest text of each endpoint', async () => {
    const clock = virtualClock();
    const bodies = createBodies(clock);
    const { bodyBytesMax, textFactor } = edgeLimits.removebg;
    for (const bytes of [bodyBytesMax * textFactor, limits.batch.bodyBytesMax * edgeLimits.bodies.jsonFactor]) {
      const room = await bodies.of('a')();
      expect(room.ok && (await clock.run(room.value.need(Number.POSITIVE_INFINITY, bytes)))).toBeUndefined();
      if (room.ok) room.value.leave();
    }
  });
});

describe('a budget', () => {
  const bounds = { bytesMax: 100, accountBytesMax: 60, waitMsMax: 1_000, waitersMax: 3, idleMsMax: 60_000 };
  const taken = async (permit: Promise<Permit | undefined>): Promise<Permit> => {
    const given = await permit;
    if (!given) throw new Error('no permit');
    return given;
  };

  it('serves the account that holds least, then who came first, and lets nobody overtake', async () => {
    const budget = byteBudget(bounds, virtualClock());
    const [a, kept] = [await taken(budget.take('a', 20)), await taken(budget.take('a', 30))];
    const b = await taken(budget.take('b', 50));
    const order: string[] = [];
    const waits = async (account: string, bytes: number): Promise<void> => {
      await taken(budget.take(account, bytes));
      order.push(account);
    };
    const all = [waits('a', 10), waits('c', 55), waits('b', 20)];
    b.giveBack();
    b.giveBack();
    expect(budget.heldBytes()).toBe(50);
    a.giveBack();
    expect(budget.heldBytes()).toBe(85);
    kept.giveBack();
    await Promise.all(all);
    expect(order).toEqual(['c', 'a', 'b']);
    expect(budget.heldBytes()).toBe(85);
  });

  it('says that it is short only where its bound keeps somebody waiting, not an account its own share', async () => {
    const clock = virtualClock();
    const budget = byteBudget(bounds, clock);
    await budget.take('a', 60);
    const own = budget.take('a', 30);
    expect(budget.isShort()).toBe(false);
    const other = budget.take('b', 50);
    expect(budget.isShort()).toBe(true);
    expect(await clock.run(Promise.all([own, other]))).toEqual([undefined, undefined]);
    expect(budget.isShort()).toBe(false);
  });

  it('refuses at once where too many are in line, and lends more than a share to who holds nothing', async () => {
    const clock = virtualClock();
    const budget = byteBudget(bounds, clock);
    const all = await taken(budget.take('a', 100));
    const line = Array.from({ length: 3 }, () => budget.take('b', 10));
    const begunMs = clock.nowMs();
    expect(await budget.take('c', 10)).toBeUndefined();
    expect(clock.nowMs()).toBe(begunMs);
    all.giveBack();
    expect((await Promise.all(line)).every(Boolean)).toBe(true);
  });
});
