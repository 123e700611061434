/** Puts an app on a port, and takes it off again. */
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';

export type Listening = {
  readonly url: string;
  /** Takes no new connection and resolves when the open requests are answered. */
  close(): Promise<void>;
};

/** `port` 0: a free one. Rejects where the port is taken. */
export const listen = async ({ fetch }: Pick<Hono, 'fetch'>, host: string, port: number): Promise<Listening> => {
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host}:${address.port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      await closed;
    },
  };
};
