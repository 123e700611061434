import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashApiKey, issueApiKey, maskApiKey, newApiKey, parseApiKey } from '../../shared/api-key.ts';
import { PACK, PACKS, packOf, usdNumber, usdString } from '../../shared/credits.ts';
import { idTimeMs, imageId, isId, newId, parseImageId } from '../../shared/ids.ts';

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));

describe('money', () => {
  it('a pack of 1,000 credits is 250 dollars in both wire forms', () => {
    expect(usdNumber(PACK.credits)).toBe(250);
    expect(usdString(PACK.credits)).toBe('$250.00');
    expect(PACK.usdCents).toBe(25_000);
    expect(usdString(999)).toBe('$249.75');
    expect(usdString(-1)).toBe('-$0.25');
  });

  it('every pack has the same price a credit, and what is no pack is none', () => {
    expect(PACKS.map(({ credits, usdCents }) => [credits, usdCents, usdString(credits)])).toEqual([
      [40, 1_000, '$10.00'],
      [200, 5_000, '$50.00'],
      [1_000, 25_000, '$250.00'],
    ]);
    expect(packOf(1_000)).toBe(PACK);
    for (const credits of [0, 1, 41, 1_000.5, -40, Number.NaN]) expect(packOf(credits)).toBeUndefined();
  });

  it('the number and the string never differ', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        (credits) => Number(usdString(credits).slice(1)) === usdNumber(credits),
      ),
    );
  });
});

describe('ids', () => {
  it('sort by creation time and give it back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 47 }), fc.integer({ min: 1, max: 1e9 }), (ms, later) => {
        const [a, b] = [newId('batch', ms, random), newId('batch', ms + later, random)];
        expect(a < b).toBe(true);
        expect(idTimeMs(a)).toBe(ms);
        expect(isId('batch', a)).toBe(true);
        expect(isId('request', a)).toBe(false);
      }),
    );
  });

  it('an image id leads back to its batch and index', () => {
    const batchId = newId('batch', 1_700_000_000_000, random);
    expect(parseImageId(imageId(batchId, 999))).toEqual({ batchId, index: 999 });
    expect(parseImageId(`${imageId(batchId, 1)}x`)).toBeUndefined();
  });
});

describe('API keys', () => {
  const accountId = newId('account', 1_700_000_000_000, random);

  it('carry their account and mode', () => {
    expect(parseApiKey(newApiKey('live', accountId, random))).toMatchObject({ mode: 'live', accountId });
    expect(parseApiKey(newApiKey('test', accountId, random))).toMatchObject({ mode: 'test', accountId });
  });

  it('any single changed character is noticed without a lookup', () => {
    const key = newApiKey('live', accountId, random);
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === 'a' ? 'b' : 'a';
      expect(parseApiKey(key.slice(0, i) + other + key.slice(i + 1)), `position ${i}`).toBeUndefined();
    }
  });

  it('are stored as a SHA-256 and shown masked', async () => {
    const key = newApiKey('live', accountId, random);
    expect(await hashApiKey(key)).toMatch(/^[0-9a-f]{64}$/);
    expect(maskApiKey(key)).toBe(`packshot_live_…${key.slice(-4)}`);
  });

  it('are issued with an id of their own, and nothing but the secret leads back to the secret', async () => {
    const { secret, ...kept } = await issueApiKey('test', accountId, 1_700_000_000_000, random);
    expect(parseApiKey(secret)).toMatchObject({ mode: 'test', accountId });
    expect(kept).toEqual({
      keyId: expect.stringMatching(/^key_/),
      masked: maskApiKey(secret),
      hash: await hashApiKey(secret),
    });
    expect(idTimeMs(kept.keyId)).toBe(1_700_000_000_000);
    expect(JSON.stringify(kept)).not.toContain(secret.slice(8, -4));
  });
});
