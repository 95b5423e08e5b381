import { randomInt } from 'node:crypto';

const randomOctet = (): number => randomInt(1, 255);

/**
 * Returns a random loopback address, so that limits per IP address apply to each client separately. Returns undefined
 * on systems other than Linux, which do not support all of 127.0.0.0/8; the operating system then chooses the address.
 */
export function loopbackAddress(): string | undefined {
  return process.platform === 'linux' ? `127.${randomOctet()}.${randomOctet()}.${randomOctet()}` : undefined;
}
