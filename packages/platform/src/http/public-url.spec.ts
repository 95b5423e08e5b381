import { describe, expect, test } from '@jest/globals';
import { publicUrl, type ReceivedRequest } from './public-url.js';

const requestTo = (host: string, localAddress = '192.0.2.7'): ReceivedRequest =>
  ({ protocol: 'http', host, socket: { localAddress, localPort: 8080 } }) as unknown as ReceivedRequest;

const PUBLIC_URL = 'https://family.example/';
const PUBLIC_HOSTS = 'family.example, Other.example:8443';

describe('publicUrl', () => {
  test.each([
    ['PUBLIC_URL', { PUBLIC_URL }, 'evil.example', 'https://family.example/x'],
    [
      'the listed host of the request',
      { PUBLIC_URL, PUBLIC_HOSTS },
      'OTHER.example:8443',
      'http://other.example:8443/x',
    ],
    [
      'PUBLIC_URL when the port is not listed',
      { PUBLIC_URL, PUBLIC_HOSTS },
      'other.example',
      'https://family.example/x',
    ],
    ['PUBLIC_URL when the host is empty', { PUBLIC_URL, PUBLIC_HOSTS }, '', 'https://family.example/x'],
    ['the address that received the request', { PUBLIC_HOSTS }, 'evil.example', 'http://192.0.2.7:8080/x'],
    ['the address that received the request', {}, 'family.example', 'http://192.0.2.7:8080/x'],
  ])('uses %s as the base of the URL', (_, settings, host, url) => {
    expect(publicUrl(settings, requestTo(host), '/x')).toBe(url);
  });

  test('writes IPv6 addresses in brackets, and IPv4-mapped IPv6 addresses as IPv4', () => {
    expect(publicUrl({}, requestTo('x', '2001:db8::1'), '/x')).toBe('http://[2001:db8::1]:8080/x');
    expect(publicUrl({}, requestTo('x', '::ffff:192.0.2.7'), '/x')).toBe('http://192.0.2.7:8080/x');
  });
});
