import { describe, expect, it } from 'vitest';
import { signDownload, verifyDownload } from '../../shared/signed-token.ts';

const secret = 'a secret of the test, thirty-two bytes long';
const download = {
  objectKey: 'results/bat_x/0000.jpg',
  filename: 'mug.jpg',
  expiresAtMs: 2_000_000,
  madeFor: 'key',
} as const;
const code = async (token: string, filename = 'mug.jpg', key = secret, nowMs = 1_000_000) => {
  const result = await verifyDownload(token, filename, [key], nowMs);
  return result.ok ? 'ok' : result.failure.code;
};

describe('download tokens', () => {
  it('give back what was signed', async () => {
    expect(await verifyDownload(await signDownload(download, secret), 'mug.jpg', [secret], 1_000_000)).toEqual({
      ok: true,
      value: download,
    });
    const forOwner = { ...download, madeFor: 'owner' } as const;
    expect(await verifyDownload(await signDownload(forOwner, secret), 'mug.jpg', [secret], 1_000_000)).toEqual({
      ok: true,
      value: forOwner,
    });
  });

  it('every changed character is refused', async () => {
    const token = await signDownload(download, secret);
    for (let i = 0; i < token.length; i++) {
      for (const other of ['A', 'B', 'Q', '_'].filter((c) => c !== token[i])) {
        expect(await code(token.slice(0, i) + other + token.slice(i + 1)), `position ${i}`).toBe('download_invalid');
      }
    }
  });

  it('another file name or another secret is refused', async () => {
    const token = await signDownload(download, secret);
    expect(await code(token, 'other.jpg')).toBe('download_invalid');
    expect(await code(token, 'mug.jpg', `${secret}!`)).toBe('download_invalid');
    expect(await code('nonsense')).toBe('download_invalid');
  });

  it('signed with the secret before are good beside those of the new one, and refused without it', async () => {
    const token = await signDownload(download, 'the secret before, also thirty-two bytes');
    const verified = (secrets: string[]) => verifyDownload(token, 'mug.jpg', secrets, 1_000_000);
    expect((await verified([secret, 'the secret before, also thirty-two bytes'])).ok).toBe(true);
    expect((await verified([secret])).ok).toBe(false);
    expect((await verified([])).ok).toBe(false);
  });

  it('ends at its expiry, not a millisecond later', async () => {
    const token = await signDownload(download, secret);
    expect(await code(token, 'mug.jpg', secret, 1_999_999)).toBe('ok');
    expect(await code(token, 'mug.jpg', secret, 2_000_000)).toBe('download_expired');
  });
});
