import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Session } from '../../../core/session/session-store.js';
import { enablePush, renewPushRegistration } from './push-registration.js';

const KEY = 'BIRpqO2Q5vMDO6bQbGe6vfaaNdG8p6zcivTVzkxAsXwlNHOVXKPjIzFIknp3zJKW1gsUTNvQl1NpG1CGzRzPOkE';
const OLD_KEY = KEY.replace('BIRp', 'BIRq');

/** A browser whose person has enabled notifications. */
class Browser {
  permission = 'granted';
  subscription: { endpoint: string; key: string } | null = null;
  private subscriptions = 0;

  readonly pushManager = {
    getSubscription: async () => this.subscription && this.toPushSubscription(this.subscription),
    subscribe: async ({ applicationServerKey: key }: { applicationServerKey: string }) => {
      if (this.subscription && this.subscription.key !== key) throw new Error('InvalidStateError');
      this.subscription ??= { endpoint: `https://push.example/${(this.subscriptions += 1)}`, key };
      return this.toPushSubscription(this.subscription);
    },
  };

  private toPushSubscription({ endpoint, key }: { endpoint: string; key: string }) {
    return {
      endpoint,
      options: { applicationServerKey: toBytes(key).buffer },
      toJSON: () => ({ endpoint, keys: { p256dh: 'p', auth: 'a' } }),
      unsubscribe: async () => void (this.subscription = null),
    };
  }
}

const toBytes = (base64Url: string) =>
  Uint8Array.from(atob(base64Url.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

const createPushToken = jest.fn(async (_: { token: string }) => ({ tokenId: 'token' }));
const session = {
  userId: 'anna',
  client: { notifications: { createPushToken, getSubscription: async () => ({ webPushKey: KEY }) } },
} as unknown as Session;

const GLOBALS = ['navigator', 'window', 'Notification', 'localStorage'] as const;
const originals = GLOBALS.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
let browser: Browser;

beforeEach(() => {
  browser = new Browser();
  createPushToken.mockClear();
  const stored = new Map([['family-watch.push-user', 'anna']]);
  const registration = { pushManager: browser.pushManager };
  const values = {
    navigator: {
      serviceWorker: {
        getRegistration: async () => registration,
        register: async () => registration,
        ready: Promise.resolve(registration),
      },
    },
    window: { PushManager: {}, Notification: {} },
    Notification: {
      get permission() {
        return browser.permission;
      },
      requestPermission: async () => browser.permission,
    },
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    },
  };
  for (const name of GLOBALS)
    Object.defineProperty(globalThis, name, { value: values[name], configurable: true, writable: true });
});
afterEach(() => {
  for (const [name, descriptor] of originals) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
  }
});

const registeredTokens = () => createPushToken.mock.calls.map(([{ token }]) => token);

describe('renewPushRegistration', () => {
  test('registers the subscription of the browser for the session', async () => {
    browser.subscription = { endpoint: 'https://push.example/own', key: KEY };
    expect(await renewPushRegistration(session)).toEqual({ status: 'on', tokenId: 'token' });
    expect(registeredTokens()).toEqual(['https://push.example/own']);
  });

  test('subscribes again if the browser has ended the subscription', async () => {
    expect(await renewPushRegistration(session)).toMatchObject({ status: 'on' });
    expect(registeredTokens()).toEqual(['https://push.example/1']);
  });

  test('subscribes again if the service has another key', async () => {
    browser.subscription = { endpoint: 'https://push.example/old', key: OLD_KEY };
    expect(await renewPushRegistration(session)).toMatchObject({ status: 'on' });
    expect(registeredTokens()).toEqual(['https://push.example/1']);
    expect(browser.subscription).toEqual({ endpoint: 'https://push.example/1', key: KEY });
  });

  test.each([
    ['another person', 'granted', { ...session, userId: 'ben' }],
    ['a person whose permission was reset', 'default', session],
  ])('does not subscribe %s', async (_, permission, person) => {
    browser.permission = permission;
    expect(await renewPushRegistration(person)).toEqual({ status: 'off' });
    expect([browser.subscription, registeredTokens()]).toEqual([null, []]);
  });
});

test('enablePush replaces a subscription with another key', async () => {
  browser.subscription = { endpoint: 'https://push.example/old', key: OLD_KEY };
  expect(await enablePush(session, KEY, 'en')).toMatchObject({ status: 'on' });
  expect(registeredTokens()).toEqual(['https://push.example/1']);
});
