import { expect, it } from 'vitest';
import { describeError } from '../../origin/log.ts';
import { withoutTokens } from '../../shared/without-tokens.ts';

const TOKEN = 'WyJyZXN1bHRzL2JhdF94LzAwMDAuanBnIiwyMDAwXQ.c2lnbmF0dXJlLW9mLWZvcnR5LXRocmVlLWNoYXJhY3RlcnM';

it.each([
  [`/api/v1/downloads/${TOKEN}/mug.jpg`, '/api/v1/downloads/[redacted]'],
  [
    `fetch https://x.example/api/v1/downloads/${TOKEN}/a%20b.jpg failed`,
    'fetch https://x.example/api/v1/downloads/[redacted] failed',
  ],
  [`{"path":"/api/v1/downloads/${TOKEN}/mug.jpg","n":1}`, '{"path":"/api/v1/downloads/[redacted]","n":1}'],
  [`{"path":"/api/v1/downloads/${TOKEN}","n":1}`, '{"path":"/api/v1/downloads/[redacted]","n":1}'],
  [
    'https://s3.example/k?X-Amz-Expires=9&X-Amz-Signature=abc',
    'https://s3.example/k?X-Amz-Expires=[redacted]&X-Amz-Signature=[redacted]',
  ],
  ['nothing secret in /api/v1/service-hero', 'nothing secret in /api/v1/service-hero'],
])('%s is logged without its secret', (text, logged) => {
  expect(withoutTokens(text)).toBe(logged);
});

it('an error of a node is described without either', () => {
  const { message } = describeError(
    new Error(`GET /api/v1/downloads/${TOKEN}/a.jpg and https://s3.example/k?X-Amz-Signature=abc`),
  );
  expect(message).not.toContain(TOKEN);
  expect(message).not.toContain('abc');
});
