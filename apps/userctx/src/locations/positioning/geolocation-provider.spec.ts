import { describe, expect, test } from '@jest/globals';
import { parseGeolocationResponse } from './geolocation-provider.js';

describe('parseGeolocationResponse', () => {
  test.each(['lacf', 'ipf', null] as const)('parses a response with the fallback %s', (fallback) => {
    const text = JSON.stringify({
      location: { lat: 45.4, lng: -14.1 },
      accuracy: 90.5,
      ...(fallback ? { fallback } : {}),
    });
    expect(parseGeolocationResponse(text)).toEqual({ latitude: 45.4, longitude: -14.1, radius: 90.5, fallback });
  });

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"location":null,"accuracy":1}',
    '{"location":{"lat":"45","lng":14},"accuracy":1}',
    '{"location":{"lat":91,"lng":14},"accuracy":1}',
    '{"location":{"lat":45,"lng":181},"accuracy":1}',
    '{"location":{"lat":45,"lng":14},"accuracy":-1}',
    '{"location":{"lat":45,"lng":14},"accuracy":1e99}',
    '{"location":{"lat":45,"lng":14}}',
  ])('rejects the invalid response “%s”', (text) => expect(() => parseGeolocationResponse(text)).toThrow());
});
