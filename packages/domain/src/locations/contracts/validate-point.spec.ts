import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { validatePoint } from './validate-point.js';

const VALID_POINT = {
  latitude: '31.2304',
  longitude: '121.4737',
  positionTime: 1_790_000_000_000,
  radius: 20,
  pointType: 1,
};

/** Prints a number as receivers do: all digits, no exponent. */
function toDecimalText(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20) : text;
}

describe('validatePoint', () => {
  test('accepts a valid point and drops unknown fields', () => {
    expect(validatePoint({ ...VALID_POINT, owner: 'someone' })).toEqual({ isValid: true, point: VALID_POINT });
  });

  test.each([
    ['NOT_AN_OBJECT', null],
    ['NOT_AN_OBJECT', [VALID_POINT]],
    ['NOT_AN_OBJECT', 'point'],
    ['INVALID_LATITUDE', { ...VALID_POINT, latitude: 31.2304 }],
    ['INVALID_LATITUDE', { ...VALID_POINT, latitude: '90.0000001' }],
    ['INVALID_LATITUDE', { ...VALID_POINT, latitude: '-91' }],
    ['INVALID_LATITUDE', { ...VALID_POINT, latitude: '1e1' }],
    ['INVALID_LATITUDE', { ...VALID_POINT, latitude: '31.2304\n' }],
    ['INVALID_LATITUDE', { ...VALID_POINT, latitude: '' }],
    ['INVALID_LATITUDE', { ...VALID_POINT, latitude: '٣١' }],
    ['INVALID_LONGITUDE', { ...VALID_POINT, longitude: '180.1' }],
    ['INVALID_LONGITUDE', { ...VALID_POINT, longitude: 'NaN' }],
    ['INVALID_LONGITUDE', { ...VALID_POINT, longitude: '+12' }],
    ['INVALID_POSITION_TIME', { ...VALID_POINT, positionTime: -1 }],
    ['INVALID_POSITION_TIME', { ...VALID_POINT, positionTime: 1.5 }],
    ['INVALID_POSITION_TIME', { ...VALID_POINT, positionTime: '1790000000000' }],
    ['INVALID_POSITION_TIME', { ...VALID_POINT, positionTime: 2 ** 60 }],
    ['POSITION_TIME_BEFORE_2015', { ...VALID_POINT, positionTime: 1_790_000_000 }],
    ['POSITION_TIME_BEFORE_2015', { ...VALID_POINT, positionTime: Date.UTC(2015, 0, 1) - 1 }],
    ['INVALID_RADIUS', { ...VALID_POINT, radius: -1 }],
    ['INVALID_RADIUS', { ...VALID_POINT, radius: 2_147_483_648 }],
    ['INVALID_RADIUS', { ...VALID_POINT, radius: undefined }],
    ['INVALID_POINT_TYPE', { ...VALID_POINT, pointType: 5 }],
    ['INVALID_POINT_TYPE', { ...VALID_POINT, pointType: '1' }],
  ])('rejects an invalid value with the reason %s', (reason, value) => {
    expect(validatePoint(value)).toEqual({ isValid: false, reason });
  });

  test.each([
    ['31.2304000001', '31.2304000001'],
    ['31.23040000006', '31.2304000001'],
    ['-31.23040000004999', '-31.2304000000'],
    ['89.99999999999', '90.0000000000'],
    ['0.00000000000000000000000000000001', '0.0000000000'],
  ])('stores the latitude %s with at most ten decimals, as %s', (latitude, stored) => {
    expect(validatePoint({ ...VALID_POINT, latitude })).toMatchObject({ isValid: true, point: { latitude: stored } });
  });

  test('accepts the shortest text of every number on Earth and changes it by at most half of the tenth decimal', () => {
    const degreesUpTo = (max: number) => fc.double({ min: -max, max, noNaN: true });
    fc.assert(
      fc.property(degreesUpTo(90), degreesUpTo(180), (latitude, longitude) => {
        const texts = { latitude: toDecimalText(latitude), longitude: toDecimalText(longitude) };
        const validation = validatePoint({ ...VALID_POINT, ...texts });
        if (!validation.isValid) throw new Error(validation.reason);
        expect(Math.abs(Number(validation.point.latitude) - latitude)).toBeLessThan(5.1e-11);
        expect(Math.abs(Number(validation.point.longitude) - longitude)).toBeLessThan(5.1e-11);
        expect(validation.point.latitude.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(10);
      }),
    );
  });

  test('accepts all latitudes and longitudes on Earth and rejects all others', () => {
    const degrees = fc.tuple(fc.integer({ min: -200, max: 200 }), fc.integer({ min: 0, max: 9_999_999 }));
    fc.assert(
      fc.property(degrees, degrees, ([latitudeInteger, latitudeDecimals], [longitudeInteger, longitudeDecimals]) => {
        const latitude = `${latitudeInteger}.${String(latitudeDecimals).padStart(7, '0')}`;
        const longitude = `${longitudeInteger}.${String(longitudeDecimals).padStart(7, '0')}`;
        const isOnEarth = Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180;
        expect(validatePoint({ ...VALID_POINT, latitude, longitude }).isValid).toBe(isOnEarth);
      }),
    );
  });

  test('returns a result and does not throw for any value', () => {
    fc.assert(fc.property(fc.anything(), (value) => expect(typeof validatePoint(value).isValid).toBe('boolean')));
  });
});
