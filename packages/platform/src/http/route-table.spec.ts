import { describe, expect, test } from '@jest/globals';
import { ROUTE_TABLE, appForPath } from './route-table.js';

describe('ROUTE_TABLE', () => {
  test.each([
    ['/apis/v2/userctx/user/child/get', 'userctx'],
    ['/hmd-wx/api/v2/userctx/user/device/contacts/update', 'userctx'],
    ['/apis/v2/payment/notify/sandbox', 'userctx'],
    ['/hmd-wx/api/v2/message/send', 'gateway'],
    ['/apis/v2/tool/position/locate', 'userctx'],
    ['/apis/v2/tool/video-token/get', 'gateway'],
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

  test('contains no rule after one of its prefixes, so that the longest matching rule applies', () => {
    const prefixes = ROUTE_TABLE.map(({ pathPrefix }) => pathPrefix);
    for (const [index, prefix] of prefixes.entries())
      expect(prefixes.slice(index).filter((other) => other.startsWith(prefix))).toEqual([prefix]);
  });
});
