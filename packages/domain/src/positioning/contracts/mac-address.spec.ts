import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isOptedOut, isGloballyAdministeredMac, normalizeMac } from './mac-address.js';

const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 });
const hex = (byte: number) => byte.toString(16).padStart(2, '0');

describe('MAC address functions', () => {
  it('normalizeMac returns the same text for every notation', () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom(':', '-', ''), fc.boolean(), (address, separator, upper) => {
        const text = address.map(hex).join(separator);
        expect(normalizeMac(upper ? text.toUpperCase() : text)).toBe(address.map(hex).join(''));
      }),
    );
  });

  it.each([
    '',
    '00:1b:21:0a:3f',
    '00:1b:21:0a:3f:7c:00',
    '00:1b-21:0a:3f:7c',
    '0:1b:21:0a:3f:7c',
    'zz1b210a3f7c',
    '٠٠1b210a3f7c',
  ])('normalizeMac returns null for %j', (text) => expect(normalizeMac(text)).toBeNull());

  it('isGloballyAdministeredMac rejects multicast, locally administered and zero addresses', () => {
    fc.assert(
      fc.property(bytes, (address) => {
        const [first = 0] = address;
        const expected = (first & 3) === 0 && address.some((byte) => byte > 0);
        expect(isGloballyAdministeredMac(address.map(hex).join(''))).toBe(expected);
      }),
    );
  });
});

describe('isOptedOut', () => {
  it.each(['home_nomap', '_nomap', '', 'my_optout', 'a_optout_nomap'])('returns true for the network name %j', (ssid) =>
    expect(isOptedOut(ssid)).toBe(true),
  );

  it.each(['home', 'nomap', '_nomap home', '_NOMAP', undefined, null])(
    'returns false for the network name %j',
    (ssid) => expect(isOptedOut(ssid)).toBe(false),
  );
});
