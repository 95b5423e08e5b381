import { readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, test } from '@jest/globals';

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

test('the worker lists the pages of the console', () => {
  const segments = JSON.parse(readFileSync(new URL('../../page-paths.json', import.meta.url), 'utf8')) as string[];
  const names = segments.map((path) => path.slice(1)).join('|');
  expect(SOURCE).toContain(`const PAGE = /^\\/(?:(?:${names})(?:\\/|$)|$)/;`);
});

describe('the files of the console', () => {
  const SHELL = '/children';
  /** The caches of the browser, by name, in the order of their creation: the text of each path. */
  let stored: Map<string, Map<string, string>>;
  let network: Map<string, string>;
  let requested: string[];

  beforeEach(() => {
    stored = new Map();
    requested = [];
  });

  const response = (text: string, status = 200) => ({ ok: status < 400, status, text });

  /** Loads the worker of a build, with these files at the service. */
  function load(revision: string, files: readonly string[]) {
    network = new Map([...files, '/console-config.json'].map((path) => [path, `${path} of ${revision}`]));
    network.set(SHELL, `page of ${revision}`);
    const open = (name: string) => {
      const files = stored.get(name) ?? new Map<string, string>();
      stored.set(name, files);
      return {
        match: async (path: string) => (files.has(path) ? response(files.get(path)!) : undefined),
        put: async (path: string, { text }: { text: string }) => void files.set(path, text),
      };
    };
    const listeners = new Map<string, (event: object) => void>();
    const self = {
      __WB_MANIFEST: [
        { url: 'index.html', revision },
        ...files.map((path) => ({ url: path.slice(1), revision: null })),
      ],
      location: { href: 'https://family.example/service-worker.js?language=en', origin: 'https://family.example' },
      addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
      skipWaiting: () => undefined,
      clients: { claim: () => undefined },
    };
    runInNewContext(SOURCE, {
      self,
      URL,
      setTimeout,
      caches: {
        open: async (name: string) => open(name),
        keys: async () => [...stored.keys()],
        delete: async (name: string) => stored.delete(name),
        match: async (path: string) => {
          const files = [...stored.values()].find((each) => each.has(path));
          return files && response(files.get(path)!);
        },
      },
      fetch: async (request: string | { url: string }) => {
        const path = typeof request === 'string' ? request : new URL(request.url).pathname;
        requested.push(path);
        const text = network.get(path);
        if (text === undefined) throw new TypeError('Failed to fetch');
        return text === 'unavailable' ? response(text, 503) : response(text);
      },
    });
    const run = async (type: string) => {
      let work: unknown;
      listeners.get(type)?.({ waitUntil: (promise: unknown) => (work = promise) });
      await work;
    };
    return {
      install: async () => {
        await run('install');
        await run('activate');
      },
      /** Returns the text with which the worker responds; undefined if it leaves the request to the browser. */
      get: async (path: string, mode = 'no-cors', method = 'GET') => {
        let answer: Promise<{ text: string }> | undefined;
        const request = { method, mode, url: `https://family.example${path}` };
        listeners.get('fetch')?.({ request, respondWith: (given: Promise<{ text: string }>) => (answer = given) });
        return (await answer)?.text;
      },
    };
  }

  test('are stored, and open each page without a connection', async () => {
    const worker = load('1', ['/console-assets/a-1.js', '/icon.svg']);
    await worker.install();
    network.clear();
    expect(await worker.get('/chat/some-id', 'navigate')).toBe('page of 1');
    expect(await worker.get('/', 'navigate')).toBe('page of 1');
    expect(await worker.get('/console-assets/a-1.js')).toBe('/console-assets/a-1.js of 1');
    expect(await worker.get('/icon.svg')).toBe('/icon.svg of 1');
    expect(await worker.get('/console-config.json')).toBe('/console-config.json of 1');
  });

  test('come from the service while it is available', async () => {
    const worker = load('1', []);
    await worker.install();
    network.set(SHELL, 'page of 2').set('/console-config.json', 'changed');
    expect(await worker.get(SHELL, 'navigate')).toBe('page of 2');
    expect(await worker.get('/console-config.json')).toBe('changed');
    network.set(SHELL, 'unavailable');
    expect(await worker.get(SHELL, 'navigate')).toBe('page of 1');
  });

  test.each([
    ['/apis/v2/userctx/user/child/list', 'cors', 'GET'],
    ['/app-api/mcdisk/blob/x', 'no-cors', 'GET'],
    ['/share/token', 'navigate', 'GET'],
    ['/docs', 'navigate', 'GET'],
    ['/children', 'navigate', 'POST'],
  ])('are the only requests that the worker responds to: not %s', async (path, mode, method) => {
    const worker = load('1', []);
    await worker.install();
    expect(await worker.get(path, mode, method)).toBeUndefined();
  });

  test('of the build before stay for pages that are open, and unchanged ones are not loaded again', async () => {
    await load('1', ['/console-assets/a-1.js', '/console-assets/same.js']).install();
    requested = [];
    const second = load('2', ['/console-assets/a-2.js', '/console-assets/same.js']);
    await second.install();
    expect(requested).not.toContain('/console-assets/same.js');
    network.clear();
    expect(await second.get('/console-assets/a-1.js')).toBe('/console-assets/a-1.js of 1');
    expect(await second.get('/chat', 'navigate')).toBe('page of 2');
    await load('3', []).install();
    expect([...stored.keys()]).toEqual(['console-files-2', 'console-files-3']);
  });
});

test('the worker shows notifications in each language of the console', async () => {
  const languages = readdirSync(new URL('../../src/core/languages/', import.meta.url));
  const shown = languages.map((file) => notificationIn(file.replace('.json', '')));
  expect(new Set(shown).size).toBe(languages.length);
  expect(notificationIn('xx')).toBe(notificationIn('en'));
});

/** Returns the title and text of a notification about a new chat message. */
function notificationIn(language: string): string {
  const listeners = new Map<string, (event: object) => void>();
  let notification = '';
  const self = {
    location: { href: `https://family.example/service-worker.js?language=${language}` },
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
    registration: { showNotification: (title: string, { body }: { body: string }) => (notification = title + body) },
  };
  runInNewContext(SOURCE, { self, URL });
  listeners.get('push')?.({ data: { json: () => ({ category: 'CHAT' }) }, waitUntil: () => undefined });
  return notification;
}
