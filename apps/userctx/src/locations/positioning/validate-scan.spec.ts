import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { validateAccessPoint, validateCellTower, validateScan } from './validate-scan.js';

const VALID_ACCESS_POINT = { macAddress: '00:1b:21:0a:3f:7c', signalStrength: -51, ssid: 'home' };
const VALID_CELL = {
  radioType: 'lte',
  mobileCountryCode: 293,
  mobileNetworkCode: 40,
  locationAreaCode: 7,
  cellId: 4_711,
  signalStrength: -95,
};
const VALID_SCAN = {
  latitude: '45.3806',
  longitude: '14.1444',
  radius: 12,
  positionTime: 1_790_000_000_000,
  wifiAccessPoints: [VALID_ACCESS_POINT],
  cellTowers: [VALID_CELL],
};

describe('validateScan', () => {
  test('accepts a valid scan and drops unknown fields', () => {
    const extended = { ...VALID_SCAN, did: 7, wifiAccessPoints: [{ ...VALID_ACCESS_POINT, channel: 11 }] };
    expect(validateScan(extended)).toEqual({ isValid: true, scan: VALID_SCAN });
    const withoutNetworks = { ...VALID_SCAN, wifiAccessPoints: undefined, cellTowers: undefined };
    expect(validateScan(withoutNetworks)).toMatchObject({
      isValid: true,
      scan: { wifiAccessPoints: [], cellTowers: [] },
    });
  });

  test.each<[string, unknown]>([
    ['NOT_AN_OBJECT', null],
    ['NOT_AN_OBJECT', [VALID_SCAN]],
    ['NOT_AN_OBJECT', 'here'],
    ['INVALID_LATITUDE', { ...VALID_SCAN, latitude: 45.38 }],
    ['INVALID_LATITUDE', { ...VALID_SCAN, latitude: '90.1' }],
    ['INVALID_LONGITUDE', { ...VALID_SCAN, longitude: 'east' }],
    ['INVALID_POSITION_TIME', { ...VALID_SCAN, positionTime: 'now' }],
    ['INVALID_POSITION_TIME', { ...VALID_SCAN, positionTime: -1 }],
    ['POSITION_TIME_BEFORE_2015', { ...VALID_SCAN, positionTime: 1_790_000_000 }],
    ['INVALID_RADIUS', { ...VALID_SCAN, radius: '12' }],
    ['INVALID_RADIUS', { ...VALID_SCAN, radius: -1 }],
    ['POOR_ACCURACY', { ...VALID_SCAN, radius: 101 }],
    ['INVALID_ACCESS_POINTS', { ...VALID_SCAN, wifiAccessPoints: {} }],
    ['INVALID_ACCESS_POINTS', { ...VALID_SCAN, wifiAccessPoints: null }],
    ['INVALID_ACCESS_POINTS', { ...VALID_SCAN, wifiAccessPoints: [VALID_ACCESS_POINT, 7] }],
    ['INVALID_ACCESS_POINTS', { ...VALID_SCAN, wifiAccessPoints: Array(101).fill(VALID_ACCESS_POINT) }],
    ['INVALID_CELL_TOWERS', { ...VALID_SCAN, cellTowers: [{ ...VALID_CELL, cellId: '4711' }] }],
    ['INVALID_CELL_TOWERS', { ...VALID_SCAN, cellTowers: 'none' }],
  ])('rejects an invalid value with the reason %s', (reason, value) => {
    expect(validateScan(value)).toEqual({ isValid: false, reason });
  });

  test('returns a result and does not throw for any value', () => {
    fc.assert(fc.property(fc.anything(), (value) => expect(typeof validateScan(value).isValid).toBe('boolean')));
  });
});

describe('validation of networks', () => {
  test.each([
    { macAddress: 7 },
    { macAddress: 'router' },
    { signalStrength: '-51' },
    { signalStrength: 1 },
    { signalStrength: -51.5 },
    { ssid: 7 },
    { ssid: 'x'.repeat(129) },
  ])('validateAccessPoint returns null for an access point with %j', (change) =>
    expect(validateAccessPoint({ ...VALID_ACCESS_POINT, ...change })).toBeNull(),
  );

  test.each([
    { radioType: 'cdma' },
    { radioType: undefined },
    { mobileCountryCode: 0 },
    { mobileCountryCode: '293' },
    { mobileNetworkCode: 1_000 },
    { locationAreaCode: 2 ** 24 },
    { cellId: 2 ** 36 },
    { cellId: -1 },
    { cellId: 1.5 },
    { signalStrength: 'strong' },
  ])('validateCellTower returns null for a cell with %j', (change) =>
    expect(validateCellTower({ ...VALID_CELL, ...change })).toBeNull(),
  );

  test('validateAccessPoint and validateCellTower accept a network without a signal strength', () => {
    for (const signalStrength of [undefined, null]) {
      expect(validateAccessPoint({ ...VALID_ACCESS_POINT, signalStrength })).not.toBeNull();
      expect(validateCellTower({ ...VALID_CELL, signalStrength })).not.toBeNull();
    }
  });
});
