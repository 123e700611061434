/** That the chaos run would see what it is there to see, and does what it says. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageId } from '../../shared/ids.ts';
import { type Hold, holdsOf } from './ledger.ts';
import { startProxy, type TierProxy } from './proxy.ts';
import { newTold, type Told, type ToldImage } from './told.ts';
import { judgeTold } from './verdict.ts';

const BATCH = 'bat_01m81dr4c1s9m8syfwcvesk07m';
const told = (index: number, code: string): ToldImage => ({ imageId: imageId(BATCH, index), sha256: undefined, code });
const faultsOf = (resolved: string, more: Partial<Told>): string[] => {
  const holds: Hold[] = [{ batchId: BATCH, resolved, pending: 0 }];
  const judged = { faults: [] as string[] };
  judgeTold({ ...newTold(), ...more }, holds, judged);
  return judged.faults;
};

describe('the verdict', () => {
  it('takes what was told and charged alike', () => {
    const images = [told(0, 'completed'), told(1, 'unreadable_image'), told(2, 'unsupported_media_type')];
    expect(faultsOf('pv', { images })).toEqual([]);
    expect(faultsOf('ppp', { batches: new Map([[BATCH, 3]]) })).toEqual([]);
  });

  it('sees a charge for what was told as failed', () => {
    expect(faultsOf('pp', { images: [told(0, 'completed'), told(1, 'deadline_exceeded')] })).toEqual([
      expect.stringContaining('was told as deadline_exceeded, and its credit is p'),
    ]);
  });

  it('sees what was told as completed and is not charged', () => {
    expect(faultsOf('v', { images: [told(0, 'completed')] })).toHaveLength(1);
  });

  it('sees a charge that no answer named', () => {
    expect(faultsOf('p', {})).toEqual([expect.stringContaining('no answer named it')]);
  });

  it('sees a batch that was accepted and is not known, or holds another number', () => {
    expect(faultsOf('ppp', { batches: new Map([[BATCH, 4]]) })).toHaveLength(1);
    expect(faultsOf('v', { batches: new Map([['bat_01m81dr4c1s9m8syfwcvesk07n', 1]]) })).toHaveLength(1);
  });
});

describe('lines of the ledger', () => {
  const line = { batchId: BATCH, credits: 0, images: null };
  it('are read as one letter an image', () => {
    const hold = { ...line, kind: 'hold', credits: -5 } as const;
    const [open] = holdsOf([hold, { ...line, kind: 'post', images: '0-1' }, { ...line, kind: 'void', images: '3' }]);
    expect(open).toEqual({ batchId: BATCH, resolved: 'pp.v.', pending: 2 });
    const [released] = holdsOf([hold, { ...line, kind: 'post', images: '4' }, { ...line, kind: 'release' }]);
    expect(released).toEqual({ batchId: BATCH, resolved: 'vvvvp', pending: 0 });
  });
});

describe('the proxy between two tiers', () => {
  let echo: Server;
  let proxy: TierProxy;
  beforeAll(async () => {
    echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await startProxy((echo.address() as { port: number }).port);
  });
  afterAll(async () => {
    await proxy.close();
    echo.close();
  });
  const dial = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  /** `once` rejects where a reset comes first. */
  const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));
  const answered = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0]);

  it('passes on what comes, late or after a silence too', async () => {
    const socket = await dial();
    socket.write('plain');
    expect(await answered(socket)).toBe('plain');
    proxy.delay(100);
    const sentAtMs = performance.now();
    socket.write('late');
    expect(await answered(socket)).toBe('late');
    // Both ways; timers may be a millisecond early.
    expect(performance.now() - sentAtMs).toBeGreaterThan(195);
    proxy.delay(0);
    proxy.silence(true);
    socket.write('held back');
    const answer = answered(socket);
    expect(await Promise.race([answer, sleep(300, 'nothing')])).toBe('nothing');
    proxy.silence(false);
    expect(await answer).toBe('held back');
    socket.destroy();
  });

  it('cuts what is open, and refuses what comes', async () => {
    const socket = await dial();
    socket.write('here');
    await answered(socket);
    proxy.cut();
    await closed(socket);
    proxy.refuse(true);
    const refused = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    refused.on('error', () => undefined);
    await closed(refused);
    proxy.refuse(false);
    const again = await dial();
    again.write('again');
    expect(await answered(again)).toBe('again');
    again.destroy();
  });
});
