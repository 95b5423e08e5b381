import { describe, expect, test } from '@jest/globals';
import { ROUTE_TABLE, appForPath } from './route-table.js';

describe('ROUTE_TABLE', () => {
  test.each([
    ['/apis/v2/userctx/user/child/get', 'userctx'],
    ['/hmd-wx/api/v2/userctx/user/device/contacts/update', 'userctx'],
    ['/apis/v2/payment/notify/sandbox', 'userctx'],
    ['/hmd-wx/api/v2/message/send', 'gateway'],
    ['/socket.io/', 'gateway'],
    ['/app-api/mcdisk/wristwatch/familyCloud/deleteContents', 'mcdisk'],
    ['/v1/geolocate', 'userctx'],
    ['/.well-known/jwks.json', 'userctx'],
  ])('routes %s to %s', (path, app) => {
    expect(appForPath(path)).toBe(app);
  });

  test.each(['/', '/health/ready', '/v1/geolocate/more', '/apis/v2/', '/APIS/v2/userctx/', '//socket.io/', '/metrics'])(
    'routes %s to no app',
    (path) => {
      expect(appForPath(path)).toBeUndefined();
    },
  );

  test('contains no rule that is a prefix of another rule, so that the order of the rules does not matter', () => {
    const prefixes = ROUTE_TABLE.map(({ pathPrefix }) => pathPrefix);
    for (const prefix of prefixes) {
      expect(prefixes.filter((other) => other.startsWith(prefix))).toEqual([prefix]);
    }
  });
});
