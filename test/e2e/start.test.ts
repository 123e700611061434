/** `npm start` as a person runs it, and ends it. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../origin/support/proc.ts';
import { freePort } from '../support/local-system.ts';

const STARTED_MS_MAX = 150_000;
const ENDED_MS_MAX = 40_000;

const isServed = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves nothing running when npm gets %s', async (signal) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'packshot-start-'));
    const [edgePort, originPort] = [await freePort(), await freePort()];
    const npm = spawn('npm', ['start'], {
      env: { ...process.env, DATA_DIR: dataDir, EDGE_PORT: String(edgePort), ORIGIN_PORT: String(originPort) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    npm.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await eventually(
      async () => said.includes('Ctrl-C stops everything') || npm.exitCode !== null,
      'the greeting',
      STARTED_MS_MAX,
    );
    const { base_url, api_key } = JSON.parse(await readFile(join(dataDir, 'local.json'), 'utf8')) as Record<
      string,
      string
    >;
    expect(said).toContain(api_key);
    expect(
      (await fetch(`${base_url}/api/v1/account`, { headers: { authorization: `Bearer ${api_key}` } })).status,
    ).toBe(200);
    npm.kill(signal);
    await eventually(
      async () => !(await isServed(edgePort)) && !(await isServed(originPort)),
      'both tiers end',
      ENDED_MS_MAX,
    );
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  });
});
