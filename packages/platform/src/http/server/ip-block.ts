import { isIPv6 } from 'node:net';

/**
 * Number of 16-bit groups of an IPv6 address that form the /64 network. A home network or a server usually has a whole
 * /64 network, so limits per single IPv6 address would be ineffective.
 */
const IPV6_PREFIX_GROUPS = 4;

/** Returns the key under which limits count an IP address: the address itself, or the /64 of an IPv6 address. */
export function ipBlock(ip: string): string {
  const normalized = ip.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(normalized)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(normalized)) return normalized;
  const [head = '', tail] = normalized.split('::');
  const left = parseGroups(head);
  const right = tail === undefined ? [] : parseGroups(tail);
  const missing = Math.max(0, 8 - left.length - right.length);
  const groups = tail === undefined ? left : [...left, ...Array<string>(missing).fill('0'), ...right];
  const prefix = groups.slice(0, IPV6_PREFIX_GROUPS).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${prefix.join(':')}::/64`;
}

/**
 * Returns the network in which an address is, without revealing the connection: the /24 of an IPv4 address, the /48 of an
 * IPv6 address.
 */
export function coarseAddress(ip: string): string {
  const block = ipBlock(ip);
  const [, site] = /^((?:[0-9a-f]+:){2}[0-9a-f]+):[0-9a-f]+::\/64$/.exec(block) ?? [];
  return site === undefined ? block.replace(/\.\d+$/, '.0/24') : `${site}::/48`;
}

/**
 * Returns the keys under which limits count an IP address, each for a larger network than the one before: `ipBlock`,
 * `coarseAddress`, the /16 of an IPv4 address or the /32 of an IPv6 address, and one key for all addresses. Only the keys that a caller
 * uses are computed.
 */
export function* enclosingNetworks(ip: string): Generator<string> {
  yield ipBlock(ip);
  const site = coarseAddress(ip);
  yield site;
  yield site
    .replace(/^(\d+\.\d+)\.\d+\.0\/24$/, '$1.0.0/16')
    .replace(/^([0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/48$/, '$1::/32');
  yield 'all';
}

function parseGroups(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['v4', 'v4'] : [group]));
}
