import { isIPv6 } from 'node:net';

/** A home or a server has a /64 of IPv6 for itself; limits per single address would limit nobody there. */
const PREFIX_GROUPS = 4;

/** What an address counts as in limits: itself, or the /64 of an IPv6 address. */
export function ipBlock(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const missing = Math.max(0, 8 - left.length - right.length);
  const groups = tail === undefined ? left : [...left, ...Array<string>(missing).fill('0'), ...right];
  const prefix = groups.slice(0, PREFIX_GROUPS).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${prefix.join(':')}::/64`;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['v4', 'v4'] : [group]));
}
