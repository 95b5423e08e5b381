import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** IP networks that do not belong to the public internet (IANA special-purpose registries). */
const SPECIAL_PURPOSE_NETWORKS = new BlockList();
for (const [network, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
  ] as const),
  ...([
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
]) {
  SPECIAL_PURPOSE_NETWORKS.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ...([
    ['::', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001::', 23],
    ['2001:db8::', 32],
  ] as const),
  ...([
    ['2002::', 16],
    ['3fff::', 20],
    ['5f00::', 16],
    ['fc00::', 7],
    ['fe80::', 10],
    ['fec0::', 10],
  ] as const),
  ...([['ff00::', 8]] as const),
]) {
  SPECIAL_PURPOSE_NETWORKS.addSubnet(network, bits, 'ipv6');
}

/** Returns whether an IP address is on the public internet. An IPv4-mapped IPv6 address is checked as IPv4. */
export function isPublicIp(ip: string): boolean {
  const family = isIP(ip);
  if (family === 0) return false;
  const mapped = /^::ffff:(?:0:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped) return isPublicIp(mapped);
  if (/^::ffff:/i.test(ip)) return false;
  return !SPECIAL_PURPOSE_NETWORKS.check(ip, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Returns whether a notification may be sent to this URL. IP addresses of host names are checked later, by
 * {@link createPublicLookup}.
 */
export function isPublicEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return false;
  if (url.port !== '' && url.port !== '443') return false;
  return isPublicHost(url.hostname.replace(/^\[|\]$/g, ''));
}

/** Returns whether a host is a public IP address, or a name that is not reserved for private networks. */
function isPublicHost(host: string): boolean {
  if (isIP(host) !== 0) return isPublicIp(host);
  return host.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(host);
}

/** Milliseconds of the first of two attempts to reach a name server. */
const RESOLUTION_TIMEOUT_MS = 1_000;

/**
 * Creates a lookup that resolves public names, and fails for a name that resolves to a private network. The connection
 * uses the checked IP address, so a name that resolves differently the next time (DNS rebinding) cannot bypass the check.
 * Persons choose the names, so names are not resolved by `dns.lookup`: it occupies one of the four threads of the process
 * until the name server responds.
 * @param servers - IP addresses of name servers with ports; by default those of the operating system
 */
export function createPublicLookup(servers?: readonly string[]): LookupFunction {
  return (hostname, options, callback) => {
    const resolve = isPublicHost(hostname) ? resolveAll(hostname, servers) : Promise.resolve([]);
    void resolve.then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isPublicIp(address)))
          return callback(new Error('This host name resolves to a private network'), '', 4);
        return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 4),
    );
  };
}

/** @throws the error of the query for IPv4 addresses if the name has no address */
async function resolveAll(hostname: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  // A resolver per name, because a resolver keeps the name servers that were configured when it was created.
  const resolver = new Resolver({ timeout: RESOLUTION_TIMEOUT_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const toAddresses = (result: PromiseSettledResult<string[]>, family: number) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
  const addresses = [...toAddresses(ipv4, 4), ...toAddresses(ipv6, 6)];
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
  return addresses;
}

/** Lookup with the name servers of the operating system, see {@link createPublicLookup}. */
export const publicLookup: LookupFunction = createPublicLookup();
