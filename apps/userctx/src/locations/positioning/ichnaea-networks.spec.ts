import { describe, expect, test } from '@jest/globals';
import { toAccessPoint, toCellTower } from './ichnaea-networks.js';

const ACCESS_POINT = { macAddress: '00:1b:21:0a:3f:7c', ssid: 'home' };
const KEY = { mobileCountryCode: 208, mobileNetworkCode: 1, locationAreaCode: 2, cellId: 1_234_567 };
const CELL = { radioType: 'lte', ...KEY };

const SIGNAL_STRENGTHS: [unknown, number | undefined][] = [
  [-51, -51],
  [-51.7, -51],
  ['-51', -51],
  ['-51.7', -51],
  [null, undefined],
  ['', undefined],
  ['weak', undefined],
  [5, undefined],
  [-999, undefined],
];

describe('toAccessPoint', () => {
  test.each(SIGNAL_STRENGTHS)('reads the signal strength %j as %j and keeps the access point', (value, expected) => {
    expect(toAccessPoint({ ...ACCESS_POINT, signalStrength: value })).toEqual({
      ...ACCESS_POINT,
      signalStrength: expected,
    });
  });

  test.each([null, [], {}, { macAddress: 'nonsense' }, { ...ACCESS_POINT, ssid: 7 }])(
    'returns null for %j',
    (value) => {
      expect(toAccessPoint(value)).toBeNull();
    },
  );
});

describe('toCellTower', () => {
  test.each(SIGNAL_STRENGTHS)('reads the signal strength %j as %j and keeps the cell', (value, expected) => {
    expect(toCellTower({ ...CELL, signalStrength: value }, null)).toEqual({ ...CELL, signalStrength: expected });
  });

  test('reads texts and numbers with decimals as integers', () => {
    const texts = Object.fromEntries(Object.entries(KEY).map(([name, value]) => [name, String(value)]));
    expect(toCellTower({ ...CELL, ...texts }, null)).toEqual(CELL);
    expect(toCellTower({ ...CELL, cellId: KEY.cellId + 0.5 }, null)).toEqual(CELL);
  });

  test.each([{}, { radioType: null }, { radioType: '' }])('uses the radio type of the request for %j', (own) => {
    expect(toCellTower({ ...KEY, ...own }, 'lte')).toEqual(CELL);
  });

  test.each([null, {}, KEY, { ...CELL, radioType: 'cdma' }, { ...CELL, cellId: -1 }, { ...CELL, cellId: '' }])(
    'returns null for %j',
    (value) => {
      expect(toCellTower(value, null)).toBeNull();
    },
  );

  test('returns null for a cell without a radio type in a request of type cdma', () => {
    expect(toCellTower(KEY, 'cdma')).toBeNull();
  });
});
