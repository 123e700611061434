/** The published TypeScript client on a page of another origin, as a tool of a customer's own would use it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import type { Browser } from 'playwright-core';
import { buildPackage } from '../../clients/typescript/build.ts';
import { type Served, served } from '../support/served.ts';

const dist = join(import.meta.dirname, '..', '..', 'clients', 'typescript', 'dist');

/** A page without scripts of its own, and the package's modules beside it. */
const startSite = (): Promise<Served> => {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://site').pathname);
    if (path === '/')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Tool</title>');
    const module = path.startsWith('/packshot/') ? await readFile(join(dist, path.slice(9))).catch(() => null) : null;
    response.writeHead(module ? 200 : 404, { 'content-type': 'text/javascript' }).end(module);
  });
  return served(server);
};

/** What the page could do with its key, and what it could not. */
type Seen = {
  readonly width: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly told: string;
  readonly requestId: string;
  readonly refused: string;
  readonly deleted: number;
  readonly status: number;
  readonly portal: string;
  readonly localAdmin: string;
};

/** Runs on the page: only what a browser has. */
const useClient = async ([baseUrl, apiKey, photo]: readonly [string, string, string]): Promise<Seen> => {
  const { Packshot } = await import(`${location.origin}/packshot/index.js`);
  const packshot = new Packshot({ apiKey, baseUrl });
  const file = new File([Uint8Array.from(atob(photo), (c) => c.charCodeAt(0))], 'mug.jpg', { type: 'image/jpeg' });
  const image = await packshot.create(file, { marketplace: 'amazon' });
  const bytes: Uint8Array<ArrayBuffer> = await packshot.download(image);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const failing = new Packshot({ apiKey: `${apiKey}x`, baseUrl, retriesMax: 0 });
  const refused: string = await failing.account().catch((error: { code: string }) => error.code);
  const headers = { authorization: `Bearer ${apiKey}` };
  const deleted = await fetch(`${baseUrl}/api/v1/batches/${image.batch_id}`, { method: 'DELETE', headers });
  const status = await fetch(`${baseUrl}/api/v1/service-hero/status/${image.batch_id}`, { headers });
  const blocked = (path: string): Promise<string> =>
    fetch(baseUrl + path, { credentials: 'include' }).then(
      (answer) => `answered ${answer.status}`,
      () => 'blocked',
    );
  return {
    width: bitmap.width,
    bytes: bytes.length,
    sha256: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    told: image.sha256,
    requestId: image.request_id,
    refused,
    deleted: deleted.status,
    status: status.status,
    portal: await blocked('/portal/api/session'),
    localAdmin: await blocked('/api/local/accounts'),
  };
};

/** `apiKey`: of the test kind. */
export const makeImageFromAnotherOrigin = async (
  browser: Browser,
  baseUrl: string,
  apiKey: string,
  photo: Uint8Array,
): Promise<string> => {
  await buildPackage();
  const site = await startSite();
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(site.url);
    const seen = await page.evaluate(useClient, [baseUrl, apiKey, Buffer.from(photo).toString('base64')] as const);
    assert.equal(seen.sha256, seen.told);
    assert.ok(seen.width > 0 && seen.bytes > 1_000, `${seen.bytes} bytes, ${seen.width} px wide`);
    assert.match(seen.requestId, /^req_/);
    assert.deepEqual([seen.refused, seen.deleted, seen.status], ['key_malformed', 204, 410]);
    assert.deepEqual([seen.portal, seen.localAdmin], ['blocked', 'blocked']);
    assert.deepEqual(faults, []);
    return `${seen.bytes} bytes, ${seen.width} px, with the checksum told; deleted again; portal and administration blocked`;
  } finally {
    await context.close();
    await site.close();
  }
};
