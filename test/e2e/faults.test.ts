/** What happens when a tier dies or a client leaves. Real processes, killed with SIGKILL. */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { supervise } from '../../local/supervise.ts';
import { createAccount } from '../../local/system.ts';
import type { UploadResponse, UploadResult } from '../../shared/api.ts';
import { eventually, isAlive } from '../origin/support/proc.ts';
import { type Photo, type TemporarySystem, temporarySystem, upload } from '../support/local-system.ts';
import { renderScene } from '../support/scenes.ts';
import { download, expectBalanced, ledgerOf, problemOf } from './support.ts';

let system: TemporarySystem;
let mug: Photo;
beforeAll(async () => {
  system = await temporarySystem({ credits: 10 });
  mug = { name: 'mug.jpg', bytes: await renderScene('mug') };
});
afterAll(() => system?.remove());

/** Polls until nothing is held any more; the saga's own alarms must get it there. */
const untilSettled = async (account: { accountId: string; apiKey: string }, msMax: number): Promise<void> => {
  for (const end = Date.now() + msMax; Date.now() < end; await sleep(500)) {
    if ((await ledgerOf(system, account)).totals.held === 0) return;
  }
  throw new Error(`credits still held after ${msMax} ms`);
};

/** Polls until a hold is open: the images are on their way to origin. */
const untilHeld = async (account: { accountId: string; apiKey: string }): Promise<void> => {
  for (let i = 0; i < 400; i++, await sleep(25)) if ((await ledgerOf(system, account)).totals.held > 0) return;
  throw new Error('no hold was opened');
};

/** Pids of the workerd processes in a process group. */
const workerdsOf = async (group: number): Promise<number[]> => {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : '';
    // pid (command) state parent group …
    const [, command, after] = /\((.*)\) (.*)/.exec(stat) ?? [];
    if (command?.startsWith('workerd') && Number(after?.split(' ')[2]) === group) found.push(Number(name));
  }
  return found;
};

const isReady = async (managementUrl: string): Promise<boolean> =>
  (await fetch(`${managementUrl}/readyz`).catch(() => undefined))?.status === 200;

/** A server that holds the port; undefined while another one does. */
const squat = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

const outcomeOf = async (answer: Response): Promise<UploadResult[]> =>
  answer.status === 200
    ? ((await answer.json()) as UploadResponse).results.filter(
        (result): result is UploadResult => 'clean_url' in result,
      )
    : [];

describe('a client that hangs up midway', () => {
  it('is charged nothing', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 5);
    const socket = connect(system.settings.edgePort, '127.0.0.1');
    await once(socket, 'connect');
    const head = `--cut\r\ncontent-disposition: form-data; name="files"; filename="mug.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`;
    socket.write(
      `POST /api/v1/service-hero HTTP/1.1\r\nhost: 127.0.0.1:${system.settings.edgePort}\r\nauthorization: Bearer ${account.apiKey}\r\n`,
    );
    socket.write(
      `content-type: multipart/form-data; boundary=cut\r\ncontent-length: ${head.length + mug.bytes.length + 9}\r\n\r\n${head}`,
    );
    socket.write(mug.bytes.subarray(0, mug.bytes.length / 2));
    await sleep(300);
    socket.destroy();
    await once(socket, 'close');
    await sleep(1_000);
    await expectBalanced(system, { spent: 0 }, account);
    expect((await ledgerOf(system, account)).entries.map((entry) => entry.kind)).toEqual(['grant']);
  });
});

describe('origin', () => {
  it('down: 503 with Retry-After, nothing charged; back: the next call works', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 5);
    await system.origin().kill();
    const answer = await upload(system.baseUrl, account.apiKey, [mug]);
    expect([answer.status, (await problemOf(answer)).code]).toEqual([503, 'origin_unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await expectBalanced(system, { spent: 0 }, account);
    await system.restartOrigin();
    expect((await upload(system.baseUrl, account.apiKey, [mug])).status).toBe(200);
    await expectBalanced(system, { spent: 1 }, account);
  });

  it('killed mid-job: every image ends, and what is charged has its download', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 10);
    const running = upload(system.baseUrl, account.apiKey, [mug, mug, mug, mug, mug, mug]);
    await untilHeld(account);
    await sleep(400);
    await system.origin().kill();
    await system.restartOrigin();
    const results = await outcomeOf(await running);
    await untilSettled(account, 90_000);
    await expectBalanced(system, { spent: results.length }, account);
    for (const result of results) await download(result.clean_url);
  }, 500_000);
});

describe('edge', () => {
  it('killed mid-upload: a retry with the same Idempotency-Key gets the images and is charged for each once', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 10);
    const send = () => upload(system.baseUrl, account.apiKey, [mug, mug, mug], {}, { 'idempotency-key': 'order-7' });
    const lost = send().catch(() => undefined);
    await untilHeld(account);
    await system.edge().kill();
    await lost;
    await system.restartEdge();
    let answer = await send();
    // 409 while the dead request's lease runs; 503 where its images ran out of time meanwhile and were returned. Both
    // ask for another try.
    for (
      const end = Date.now() + 240_000;
      [409, 503].includes(answer.status) && Date.now() < end;
      answer = await send()
    ) {
      await answer.body?.cancel();
      await sleep(1_000 * Math.min(10, Number(answer.headers.get('retry-after') ?? 1)));
    }
    const results = await outcomeOf(answer);
    await untilSettled(account, 120_000);
    await expectBalanced(system, { spent: results.length }, account);
    expect(results).toHaveLength(3);
    for (const result of results) await download(result.clean_url);
  }, 500_000);
});

describe('workerd killed alone, wrangler left alive', () => {
  it('is noticed, said and started again: the next upload succeeds', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 5);
    const [said, stopping] = [[] as string[], new AbortController()];
    const supervision = supervise(system, stopping.signal, { say: (text) => said.push(text) });
    // Both of its workerd processes: the one at the port and the one that runs the Worker.
    for (const pid of await workerdsOf(system.edge().pid)) process.kill(pid, 'SIGKILL');
    await eventually(() => Promise.resolve(said.length > 0), 'the launcher says so', 60_000);
    await eventually(
      async () => (await upload(system.baseUrl, account.apiKey, [mug]).catch(() => undefined))?.status === 200,
      'an upload succeeds',
      90_000,
    );
    stopping.abort();
    await supervision;
    expect(said).toEqual([expect.stringMatching(/^edge (ended|has not answered)/)]);
  }, 300_000);
});

describe('a node that does not end, but answers nobody', () => {
  it('is noticed, said and started again, and so is one whose first new start fails', async () => {
    const account = await createAccount(system.baseUrl, system.secrets, 5);
    const [said, stopping] = [[] as string[], new AbortController()];
    const supervision = supervise(system, stopping.signal, { say: (text) => said.push(text) });
    const stuck = system.origin().pid;
    process.kill(stuck, 'SIGSTOP');
    await eventually(() => Promise.resolve(said.length > 0), 'the launcher says so', 60_000);
    await eventually(() => Promise.resolve(system.origin().pid !== stuck), 'another node', 60_000);
    expect(await isAlive(stuck)).toBe(false);

    await eventually(() => isReady(system.managementUrl), 'the new node is ready', 90_000);
    process.kill(-system.origin().pid, 'SIGKILL');
    const port = Number(new URL(system.managementUrl).port);
    const squatter = await eventually(() => squat(port), "another one has the node's port", 10_000);
    await eventually(() => Promise.resolve(said.some((text) => text.includes('could not'))), 'it says that', 120_000);
    squatter.close();
    await eventually(
      async () => (await upload(system.baseUrl, account.apiKey, [mug]).catch(() => undefined))?.status === 200,
      'an upload succeeds',
      90_000,
    );
    stopping.abort();
    await supervision;
    expect(said[0]).toMatch(/^origin has not answered for 15 s; starting it again/);
  }, 300_000);
});
