import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, Server } from 'node:net';

/**
 * Ports that the kernel chooses neither for outgoing connections nor for servers that listen on port 0 (Linux from
 * 32768, macOS and Windows from 49152). A server may therefore be stopped and started again on its port.
 */
const PORTS = { first: 20_000, last: 32_767 };
const MAX_ATTEMPTS = 100;

/**
 * Returns `count` consecutive free ports of 127.0.0.1. On Linux, no process that uses this function gets one of them
 * again until this process ends.
 */
export async function freePorts(count: number, { first, last } = PORTS): Promise<number[]> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const lowest = randomInt(first, last - count + 2);
    const ports = Array.from({ length: count }, (_, index) => lowest + index);
    if (await reserve(ports)) return ports;
  }
  throw new Error(`Found no ${count} free ports in ${MAX_ATTEMPTS} attempts`);
}

/** Returns one port like {@link freePorts}. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Reserves all ports or none. */
async function reserve(ports: readonly number[]): Promise<boolean> {
  const reservations: Server[] = [];
  for (const port of ports) {
    // The kernel releases an abstract Unix socket when the process ends. Other systems do not have them.
    const reservation = process.platform === 'linux' ? await listen({ path: `\0family-watch-port-${port}` }) : 'none';
    if (reservation instanceof Server) reservations.push(reservation);
    if (!reservation || !(await isFree(port))) {
      for (const server of reservations) server.close();
      return false;
    }
  }
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen({ host: '127.0.0.1', port });
  if (!server) return false;
  await once(server.close(), 'close');
  return true;
}

/** Returns a listening server that does not keep the process alive, or undefined if the address is in use. */
async function listen(address: { path: string } | { host: string; port: number }): Promise<Server | undefined> {
  const server = createServer().unref();
  try {
    await once(server.listen(address), 'listening');
    return server;
  } catch {
    return undefined;
  }
}
