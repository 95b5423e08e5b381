import { describe, expect, test } from '@jest/globals';
import { isPublicIp, isPublicEndpoint, publicLookup } from './public-endpoint.js';

describe('isPublicIp', () => {
  test.each(['8.8.8.8', '142.250.1.1', '2a00:1450:4001:81b::200e', '::ffff:8.8.8.8'])('returns true for %s', (ip) => {
    expect(isPublicIp(ip)).toBe(true);
  });

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    'fc00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'ff02::1',
    '2001:db8::1',
    'example.org',
    '',
  ])('returns false for "%s"', (ip) => {
    expect(isPublicIp(ip)).toBe(false);
  });
});

describe('isPublicEndpoint', () => {
  test.each(['https://fcm.googleapis.com/fcm/send/x', 'https://push.example:443/x', 'https://8.8.8.8/x'])(
    'returns true for %s',
    (endpoint) => {
      expect(isPublicEndpoint(endpoint)).toBe(true);
    },
  );

  test.each([
    ...['http://push.example/x', 'https://localhost/x', 'https://a.localhost/x', 'https://printer.local/x'],
    ...['https://127.0.0.1/x', 'https://2130706433/x', 'https://0x7f.1/x', 'https://127.1/x', 'https://[::1]/x'],
    ...['https://[::ffff:127.0.0.1]/x', 'https://10.0.0.1/x', 'https://169.254.169.254/latest/meta-data'],
    ...['https://user:secret@push.example/x', 'https://push.example:8443/x', 'https://intranet/x', 'ftp://a.example/'],
    ...['https://db.internal/x', 'https://localhost./x', 'file:///etc/passwd', '', 'nonsense'],
  ])('returns false for "%s"', (endpoint) => {
    expect(isPublicEndpoint(endpoint)).toBe(false);
  });
});

test('publicLookup fails for a name that resolves to a private network', async () => {
  const failure = await new Promise<Error | null>((resolve) =>
    publicLookup('localhost', {}, (error) => resolve(error)),
  );
  expect(failure?.message).toContain('private network');
});
