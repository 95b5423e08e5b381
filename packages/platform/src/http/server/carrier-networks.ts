import { isIPv6, type BlockList } from 'node:net';
import { parseList } from '../../config/variables/text-values.js';
import { parseNetworks } from './connection-table.js';

/** Returns the factor by which the limits of an IP address are higher; the address may be an `ipBlock`. */
export type AddressFactor = (address: string) => number;

/**
 * Returns the factors of CARRIER_NETWORKS, whose addresses many families share. Other addresses have the factor 1.
 * @throws Error for a network that is not valid; the error prevents the start
 */
export function addressFactorOf({ CARRIER_NETWORKS }: { CARRIER_NETWORKS?: string | undefined }): AddressFactor {
  const carriers = parseList(CARRIER_NETWORKS).map((entry): { network: BlockList; factor: number } => {
    const [network = '', factor] = entry.split('=');
    return { network: parseNetworks(network), factor: Number(factor) };
  });
  return (address) => {
    if (carriers.length === 0) return 1;
    const ip = address.replace(/\/64$/, '');
    const family = isIPv6(ip) ? 'ipv6' : 'ipv4';
    return carriers.find(({ network }) => network.check(ip, family))?.factor ?? 1;
  };
}
