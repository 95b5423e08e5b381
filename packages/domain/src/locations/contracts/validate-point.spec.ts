import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { validatePoint } from './validate-point.js';

const VALID_POINT = {
  latitude: '31.2304',
  longitude: '121.4737',
  positionTime: 1_790_000_000_000,
  radius: 20,
  pointType: 1,
};

describe('validatePoint', () => {
  it('accepts a valid point and drops unknown fields', () => {
    expect(validatePoint({ ...VALID_POINT, owner: 'someone' })).toEqual({ isValid: true, point: VALID_POINT });
  });

  it.each([
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
    ['INVALID_RADIUS', { ...VALID_POINT, radius: -1 }],
    ['INVALID_RADIUS', { ...VALID_POINT, radius: 2_147_483_648 }],
    ['INVALID_RADIUS', { ...VALID_POINT, radius: undefined }],
    ['INVALID_POINT_TYPE', { ...VALID_POINT, pointType: 5 }],
    ['INVALID_POINT_TYPE', { ...VALID_POINT, pointType: '1' }],
  ])('rejects an invalid value with the reason %s', (reason, value) => {
    expect(validatePoint(value)).toEqual({ isValid: false, reason });
  });

  it('accepts all latitudes and longitudes on Earth and rejects all others', () => {
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

  it('returns a result and does not throw for any value', () => {
    fc.assert(fc.property(fc.anything(), (value) => expect(typeof validatePoint(value).isValid).toBe('boolean')));
  });
});
