import { randomInt } from 'node:crypto';

const octet = (): number => randomInt(1, 255);

/**
 * An address of this machine that hardly any other client of the run has, so that limits per address count each client
 * by itself. Only Linux answers on all of 127.0.0.0/8; elsewhere the system chooses.
 */
export function loopbackAddress(): string | undefined {
  return process.platform === 'linux' ? `127.${octet()}.${octet()}.${octet()}` : undefined;
}
