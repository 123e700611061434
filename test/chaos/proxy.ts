/** A connection between two tiers that can be delayed, silenced and cut, byte by byte: it knows nothing of HTTP. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type TierProxy = {
  readonly url: string;
  /** Ends every open connection with a reset; new ones go through. */
  cut(): void;
  /** New connections are reset at once. */
  refuse(on: boolean): void;
  /** Nothing goes through in either direction, and nobody is told; what came meanwhile arrives afterwards. */
  silence(on: boolean): void;
  /** Every piece waits for so long on its way. */
  delay(ms: number): void;
  close(): Promise<void>;
};

const SILENCE_POLL_MS = 20;

/** `targetPort` on loopback need not be served yet. */
export const startProxy = async (targetPort: number): Promise<TierProxy> => {
  const open = new Set<Socket>();
  let [delayMs, isSilent, refuses, closed] = [0, false, false, false];

  const pass = async (from: Socket, to: Socket): Promise<void> => {
    try {
      for await (const piece of from) {
        if (delayMs > 0) await sleep(delayMs);
        while (isSilent && !closed) await sleep(SILENCE_POLL_MS);
        if (!to.write(piece as Buffer)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      }
      to.end();
    } catch {
      to.destroy();
    }
  };

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (refuses) return void near.resetAndDestroy();
    const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => open.delete(one));
      void pass(one, other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    refuse: (on) => {
      refuses = on;
      if (on) cut();
    },
    silence: (on) => {
      isSilent = on;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    close: async () => {
      closed = true;
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
