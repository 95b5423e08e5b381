import { describe, expect, test } from '@jest/globals';
import { deviceKindOf } from './device-kind.js';

describe('deviceKindOf', () => {
  test.each([
    ['FamilyWatch/1.0 (Android 15)', 'PHONE'],
    ['FamilyWatch/1.0 (iPhone; iOS 19)', 'PHONE'],
    ['Mozilla/5.0 (Linux; Android 15; Pixel) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'PHONE'],
    ['Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 Chrome/140.0 Safari/537.36', 'TABLET'],
    ['Mozilla/5.0 (iPad; CPU OS 19_0 like Mac OS X)', 'TABLET'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'COMPUTER'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 'COMPUTER'],
    ['curl/8', 'UNKNOWN'],
    ['', 'UNKNOWN'],
    [null, 'UNKNOWN'],
  ])('recognises %j as %s', (userAgent, kind) => expect(deviceKindOf(userAgent)).toBe(kind));
});
