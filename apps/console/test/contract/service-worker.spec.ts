import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';

const SOURCE = readFileSync(new URL('../../public/service-worker.js', import.meta.url), 'utf8');

/** Loads the worker of the person `anna`; `signedIn` is the person of the cookie. Returns the requests that it sends. */
async function changeSubscription(signedIn: string): Promise<string[][]> {
  const requests: string[][] = [];
  const responses: Record<string, object> = {
    '/apis/v2/userctx/user/account/token/refresh': { accessToken: 'access', userId: signedIn },
    '/apis/v2/message/subscription/get': { webPushKey: 'key of the service' },
    '/apis/v2/message/push-token/create': { tokenId: 'token' },
  };
  const listeners = new Map<string, (event: object) => void>();
  const self = {
    location: { href: 'https://family.example/service-worker.js?language=en&user=anna' },
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
    registration: {
      pushManager: {
        getSubscription: async () => null,
        subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => ({
          toJSON: () => ({ endpoint: `subscribed with the ${applicationServerKey}`, keys: {} }),
        }),
      },
    },
  };
  runInNewContext(SOURCE, {
    self,
    URL,
    navigator: { locks: { request: (_: string, work: () => unknown) => work() } },
    fetch: async (path: string, { headers, body = '' }: { headers: { authorization?: string }; body?: string }) => {
      requests.push([path, headers.authorization ?? '', body]);
      return { ok: true, json: async () => responses[path] };
    },
  });
  let renewal: unknown;
  listeners.get('pushsubscriptionchange')?.({ waitUntil: (work: unknown) => (renewal = work) });
  await renewal;
  return requests;
}

const REFRESH = ['/apis/v2/userctx/user/account/token/refresh', '', '{"refreshTokenCookie":true}'];

test('the worker registers a new subscription when the browser has ended the old one', async () => {
  const body = JSON.stringify({ service: 'WEB_PUSH', token: 'subscribed with the key of the service', keys: {} });
  expect(await changeSubscription('anna')).toEqual([
    REFRESH,
    ['/apis/v2/message/subscription/get', 'Bearer access', ''],
    ['/apis/v2/message/push-token/create', 'Bearer access', body],
  ]);
});

test('the worker does not register a subscription for another person who has signed in', async () => {
  expect(await changeSubscription('ben')).toEqual([REFRESH]);
});
