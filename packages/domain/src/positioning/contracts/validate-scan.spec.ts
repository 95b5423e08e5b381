import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { validateAccessPoint, validateCellTower, validateScan } from './validate-scan.js';

const ACCESS_POINT = { macAddress: '00:1b:21:0a:3f:7c', signalStrength: -51, ssid: 'home' };
const CELL = {
  radioType: 'lte',
  mobileCountryCode: 293,
  mobileNetworkCode: 40,
  locationAreaCode: 7,
  cellId: 4_711,
  signalStrength: -95,
};
const SCAN = {
  latitude: '45.3806',
  longitude: '14.1444',
  radius: 12,
  positionTime: 1_790_000_000_000,
  wifiAccessPoints: [ACCESS_POINT],
  cellTowers: [CELL],
};

describe('validateScan', () => {
  it('accepts a valid scan and drops unknown fields', () => {
    const extended = { ...SCAN, did: 7, wifiAccessPoints: [{ ...ACCESS_POINT, channel: 11 }] };
    expect(validateScan(extended)).toEqual({ ok: true, scan: SCAN });
    const bare = { ...SCAN, wifiAccessPoints: undefined, cellTowers: undefined };
    expect(validateScan(bare)).toMatchObject({ ok: true, scan: { wifiAccessPoints: [], cellTowers: [] } });
  });

  it.each<[string, unknown]>([
    ['NOT_AN_OBJECT', null],
    ['NOT_AN_OBJECT', [SCAN]],
    ['NOT_AN_OBJECT', 'here'],
    ['INVALID_LATITUDE', { ...SCAN, latitude: 45.38 }],
    ['INVALID_LATITUDE', { ...SCAN, latitude: '90.1' }],
    ['INVALID_LONGITUDE', { ...SCAN, longitude: 'east' }],
    ['INVALID_POSITION_TIME', { ...SCAN, positionTime: 'now' }],
    ['INVALID_POSITION_TIME', { ...SCAN, positionTime: -1 }],
    ['INVALID_RADIUS', { ...SCAN, radius: '12' }],
    ['INVALID_RADIUS', { ...SCAN, radius: -1 }],
    ['POOR_ACCURACY', { ...SCAN, radius: 101 }],
    ['INVALID_ACCESS_POINTS', { ...SCAN, wifiAccessPoints: {} }],
    ['INVALID_ACCESS_POINTS', { ...SCAN, wifiAccessPoints: null }],
    ['INVALID_ACCESS_POINTS', { ...SCAN, wifiAccessPoints: [ACCESS_POINT, 7] }],
    ['INVALID_ACCESS_POINTS', { ...SCAN, wifiAccessPoints: Array(101).fill(ACCESS_POINT) }],
    ['INVALID_CELL_TOWERS', { ...SCAN, cellTowers: [{ ...CELL, cellId: '4711' }] }],
    ['INVALID_CELL_TOWERS', { ...SCAN, cellTowers: 'none' }],
  ])('rejects an invalid value with the reason %s', (reason, value) => {
    expect(validateScan(value)).toEqual({ ok: false, reason });
  });

  it('returns a result and does not throw for any value', () => {
    fc.assert(fc.property(fc.anything(), (value) => expect(typeof validateScan(value).ok).toBe('boolean')));
  });
});

describe('validateAccessPoint and validateCellTower', () => {
  it.each([
    { macAddress: 7 },
    { macAddress: 'router' },
    { signalStrength: '-51' },
    { signalStrength: 1 },
    { signalStrength: -51.5 },
    { ssid: 7 },
    { ssid: 'x'.repeat(129) },
  ])('reject an access point with %j', (change) =>
    expect(validateAccessPoint({ ...ACCESS_POINT, ...change })).toBeNull(),
  );

  it.each([
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
  ])('reject a cell with %j', (change) => expect(validateCellTower({ ...CELL, ...change })).toBeNull());

  it('accept a network without a signal strength', () => {
    for (const signalStrength of [undefined, null]) {
      expect(validateAccessPoint({ ...ACCESS_POINT, signalStrength })).not.toBeNull();
      expect(validateCellTower({ ...CELL, signalStrength })).not.toBeNull();
    }
  });
});
