import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Returns a port of 127.0.0.1 that is currently unused. Another process may use the port before the caller listens. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
