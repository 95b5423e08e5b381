import { describe, expect, test } from '@jest/globals';
import { coarseAddress, ipBlock, enclosingNetworks } from './ip-block.js';

describe('ipBlock', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ])('maps the IP address %s to the limit key %s', (ip, block) => {
    expect(ipBlock(ip)).toBe(block);
  });
});

describe('coarseAddress', () => {
  test.each([
    ['192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::9', '2001:db8:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
  ])('maps the IP address %s to the network %s', (ip, network) => {
    expect(coarseAddress(ip)).toBe(network);
  });
});

describe('enclosingNetworks', () => {
  test.each([
    ['192.0.2.7', ['192.0.2.7', '192.0.2.0/24', '192.0.0.0/16', 'all']],
    ['::ffff:192.0.2.7', ['192.0.2.7', '192.0.2.0/24', '192.0.0.0/16', 'all']],
    ['2001:db8:1:2:3:4:5:6', ['2001:db8:1:2::/64', '2001:db8:1::/48', '2001:db8::/32', 'all']],
  ])('maps the IP address %s to the networks %j', (ip, networks) => {
    expect([...enclosingNetworks(ip)]).toEqual(networks);
  });
});
