/** A server of a test's own, on a free port of this machine. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Served = {
  /** `127.0.0.1:<port>` */
  readonly hostPort: string;
  readonly url: string;
  /** Ends its connections, too. */
  readonly close: () => Promise<void>;
};

/** Resolves once it takes connections. */
export const served = async (server: Server): Promise<Served> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const hostPort = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    hostPort,
    url: `http://${hostPort}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
