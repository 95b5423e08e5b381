import { lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { LookupFunction } from 'node:net';

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
 * {@link publicLookup}.
 */
export function isPublicEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return false;
  if (url.port !== '' && url.port !== '443') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return isPublicIp(host);
  return host.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(host);
}

/**
 * Resolves names like Node does, but fails for a name that resolves to a private network. The connection uses the
 * checked IP address, so a name that resolves differently the next time (DNS rebinding) cannot bypass the check.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 4);
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublicIp(address))) {
      return callback(new Error('This host name resolves to a private network'), '', 4);
    }
    const [first] = addresses as [(typeof addresses)[number], ...typeof addresses];
    return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};
