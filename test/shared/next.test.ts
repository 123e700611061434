import { describe, expect, it } from 'vitest';
import { safeNext } from '../../portal/src/next.ts';

describe('where sign-in goes on', () => {
  it('is the page that asked for it, with its query and fragment', () => {
    for (const next of ['/billing', '/invitation?token=a-b_c', '/docs/keys#roll', '/logs/req_1?a=%2F%2Fb'])
      expect(safeNext(next)).toBe(next);
  });

  it('is never another site, whatever a browser makes of the text', () => {
    const texts = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '/\r\\evil.example',
      '/.//evil.example',
      '/a/..//evil.example',
      'javascript:alert(1)',
      '\t//evil.example',
      '//',
      '',
      null,
    ];
    for (const text of texts) expect(safeNext(text), JSON.stringify(text)).toBe('/overview');
    expect(new URL(safeNext('/a/%2e%2e//evil.example'), 'https://here.example').host).toBe('here.example');
  });
});
