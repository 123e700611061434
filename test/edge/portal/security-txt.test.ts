/** Where to report a vulnerability, by RFC 9116. */
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../edge/http/call.ts';
import { securityTxt } from '../../../edge/routes/security-txt.ts';
import { call } from '../support/service.ts';

const fieldsOf = (text: string): Map<string, string> =>
  new Map(
    text
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
const DAY_MS = 24 * 60 * 60 * 1000;

describe('security.txt', () => {
  it('is served by the Worker, with all that RFC 9116 asks for', async () => {
    const answer = await call('/.well-known/security.txt');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const fields = fieldsOf(await answer.text());
    expect(fields.get('Canonical')).toBe('http://127.0.0.1:8787/.well-known/security.txt');
    expect(fields.get('Policy')).toBe('http://127.0.0.1:8787/disclosure');
    expect(fields.get('Contact')).toBe(fields.get('Policy'));
  });

  it('never expires: whenever it is asked for, it has 90 days to live', async () => {
    for (const nowMs of [Date.UTC(2026, 10, 22), Date.UTC(2040, 1, 29)]) {
      const app = new Hono<HttpEnv>();
      securityTxt(app, {
        publicBaseUrl: 'https://p.example',
        securityContact: 'mailto:s@p.example',
        nowMs: () => nowMs,
      });
      const fields = fieldsOf(await (await app.request('/.well-known/security.txt')).text());
      expect(Date.parse(fields.get('Expires') ?? '') - nowMs).toBe(90 * DAY_MS);
      expect(fields.get('Contact')).toBe('mailto:s@p.example');
    }
  });
});
