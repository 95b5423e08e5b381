import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AccessPointDto, CellTowerDto } from '@family-watch/domain/locations/dto/positioning.dto';
import {
  isOptedOut,
  isGloballyAdministeredMac,
  normalizeMac,
  toObservedNetworks,
  filterOptedOut,
} from './observed-networks.js';

const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 });
const hex = (byte: number) => byte.toString(16).padStart(2, '0');

describe('normalizeMac and isGloballyAdministeredMac', () => {
  test('normalizeMac returns the same text for every notation', () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom(':', '-', ''), fc.boolean(), (address, separator, upper) => {
        const text = address.map(hex).join(separator);
        expect(normalizeMac(upper ? text.toUpperCase() : text)).toBe(address.map(hex).join(''));
      }),
    );
  });

  test.each([
    '',
    '00:1b:21:0a:3f',
    '00:1b:21:0a:3f:7c:00',
    '00:1b-21:0a:3f:7c',
    '0:1b:21:0a:3f:7c',
    'zz1b210a3f7c',
    '٠٠1b210a3f7c',
  ])('normalizeMac returns null for %j', (text) => expect(normalizeMac(text)).toBeNull());

  test('isGloballyAdministeredMac returns false for multicast, locally administered and zero addresses', () => {
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
  test.each(['home_nomap', '_nomap', '', 'my_optout', 'a_optout_nomap'])(
    'returns true for the network name %j',
    (ssid) => expect(isOptedOut(ssid)).toBe(true),
  );

  test.each(['home', 'nomap', '_nomap home', '_NOMAP', undefined, null])(
    'returns false for the network name %j',
    (ssid) => expect(isOptedOut(ssid)).toBe(false),
  );
});

const CELL: CellTowerDto = {
  radioType: 'lte',
  mobileCountryCode: 293,
  mobileNetworkCode: 40,
  locationAreaCode: 7,
  cellId: 4_711,
  signalStrength: -95,
};
const createAccessPoint = (macAddress: string, extra: Partial<AccessPointDto> = {}): AccessPointDto => ({
  macAddress,
  ...extra,
});

describe('toObservedNetworks', () => {
  test('omits opted-out access points from any set of observed networks', () => {
    const ssid = fc.constantFrom('a_nomap', 'b_optout', '', 'home', undefined);
    const mac = fc
      .integer({ min: 1, max: 20 })
      .map((serial) => `00:1b:21:00:00:${serial.toString(16).padStart(2, '0')}`);
    fc.assert(
      fc.property(fc.array(fc.record({ macAddress: mac, ssid })), (wifiAccessPoints) => {
        const names = toObservedNetworks({ wifiAccessPoints, cellTowers: [] }).map(({ name }) => name);
        const allowed = wifiAccessPoints.filter((each) => each.ssid === 'home' || each.ssid === undefined);
        expect(new Set(names)).toEqual(new Set(allowed.map(({ macAddress }) => macAddress.replaceAll(':', ''))));
        expect(names).toHaveLength(new Set(names).size);
      }),
    );
  });

  test('omits access points with locally administered, multicast and zero addresses', () => {
    const macs = ['02:1b:21:00:00:01', '01:1b:21:00:00:01', 'ff:ff:ff:ff:ff:ff', '00:00:00:00:00:00'];
    expect(toObservedNetworks({ wifiAccessPoints: macs.map((mac) => createAccessPoint(mac)), cellTowers: [] })).toEqual(
      [],
    );
  });

  test('returns a network that was observed several times once, with its strongest signal', () => {
    const [weak, strong] = [-80, -40].map((signalStrength) =>
      createAccessPoint('00:1b:21:00:00:01', { signalStrength }),
    );
    const unknown = createAccessPoint('001B21000001');
    for (const wifiAccessPoints of [
      [weak!, strong!, unknown],
      [unknown, strong!, weak!],
    ]) {
      expect(toObservedNetworks({ wifiAccessPoints, cellTowers: [] })).toEqual([
        { kind: 'WIFI', name: '001b21000001', signalStrength: -40 },
      ]);
    }
  });

  test('returns a cell and its area, only the area of an unknown cell, and nothing for an unknown area', () => {
    const kinds = (change: Partial<CellTowerDto>) =>
      toObservedNetworks({ wifiAccessPoints: [], cellTowers: [{ ...CELL, ...change }] }).map(({ kind }) => kind);
    expect(kinds({})).toEqual(['AREA', 'CELL']);
    for (const cellId of [0, 65_535, 268_435_455]) expect(kinds({ cellId })).toEqual(['AREA']);
    for (const locationAreaCode of [0, 65_534, 65_535]) expect(kinds({ locationAreaCode })).toEqual([]);
  });

  test('distinguishes cells of different mobile networks', () => {
    const changes: Partial<CellTowerDto>[] = [
      {},
      { radioType: 'gsm' as const },
      { mobileCountryCode: 1 },
      { mobileNetworkCode: 1 },
      { locationAreaCode: 70 },
    ];
    const cellTowers = changes.map((change) => ({ ...CELL, ...change }));
    const cells = toObservedNetworks({ wifiAccessPoints: [], cellTowers }).filter(({ kind }) => kind === 'CELL');
    expect(new Set(cells.map(({ name }) => name)).size).toBe(changes.length);
  });
});

describe('filterOptedOut', () => {
  test('returns access points with an opt-out name, but not hidden access points', () => {
    const wifiAccessPoints = ['home_nomap', '', 'home'].map((ssid, serial) =>
      createAccessPoint(`00:1b:21:00:00:0${serial + 1}`, { ssid }),
    );
    expect(filterOptedOut({ wifiAccessPoints, cellTowers: [] }).map(({ name }) => name)).toEqual(['001b21000001']);
  });
});
