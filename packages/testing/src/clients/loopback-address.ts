import { randomInt } from 'node:crypto';

const octet = (): number => randomInt(1, 255);

/**
 * Returns a random loopback address, so that limits per IP address apply to each client separately. Only Linux supports
 * all of 127.0.0.0/8; on other systems it returns undefined, and the system chooses an address.
 */
export function loopbackAddress(): string | undefined {
  return process.platform === 'linux' ? `127.${octet()}.${octet()}.${octet()}` : undefined;
}
