import { describe, expect, test } from '@jest/globals';
import { ROUTE_TABLE, appForPath } from './route-table.js';

describe('the table of addresses', () => {
  test.each([
    ['/apis/v2/userctx/user/child/get', 'userctx'],
    ['/hmd-wx/api/v2/userctx/user/device/contacts/update', 'userctx'],
    ['/apis/v2/payment/notify/sandbox', 'userctx'],
    ['/hmd-wx/api/v2/message/send', 'gateway'],
    ['/socket.io/', 'gateway'],
    ['/app-api/mcdisk/wristwatch/familyCloud/deleteContents', 'mcdisk'],
    ['/v1/geolocate', 'userctx'],
    ['/.well-known/jwks.json', 'userctx'],
  ])('%s is served by %s', (path, app) => {
    expect(appForPath(path)).toBe(app);
  });

  test.each(['/', '/health/ready', '/v1/geolocate/more', '/apis/v2/', '/APIS/v2/userctx/', '//socket.io/', '/metrics'])(
    '%s is served by no app',
    (path) => {
      expect(appForPath(path)).toBeUndefined();
    },
  );

  test('no rule lies inside another, so that their order does not matter', () => {
    const addresses = ROUTE_TABLE.map(({ pathPrefix }) => pathPrefix);
    for (const address of addresses) {
      expect(addresses.filter((other) => other.startsWith(address))).toEqual([address]);
    }
  });
});
