import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import type { PushContent, WebPushKeys } from '@family-watch/domain/messages/contracts/subscription';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { PushTokenService } from '../../src/notifications/push/push-token.service.js';
import { PushProviderRegistryService } from '../../src/notifications/push/providers/push-provider-registry.service.js';
import { LocalGcm } from '../support/local-gcm.js';
import { LocalPushService, PUSH_SETTINGS } from '../support/local-push-service.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { programPath } from '@family-watch/testing/requirements/requirements';
import { createFamily } from '../support/clients.js';
import { environment, serviceOf, startGateway } from '../support/suite-gateway.js';

const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
];

const PAGE_HTML = `<!doctype html><title>Family Watch</title><script>
  const ready = navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready);
  let subscription;
  const subscribe = async (applicationServerKey) => {
    const { pushManager } = await ready;
    subscription = (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })).toJSON();
  };
  let isShown = false;
  navigator.serviceWorker.addEventListener('message', () => { isShown = true; }, { once: true });
  const shown = async () => (await (await ready).getNotifications()).map(({ title, data }) => ({ title, data }));
</script>`;

/** Service worker as in an app: composes the text of the notification, because the push message contains none. */
const WORKER_SCRIPT = `
  self.addEventListener('install', () => self.skipWaiting());
  self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener('push', (event) => {
    event.waitUntil(show(event.data.json()));
  });
  async function show(content) {
    // The tag, because the push service repeats a message that was lost with its connection.
    await self.registration.showNotification('Family Watch: ' + content.category, { data: content, tag: 'SOS' });
    for (const page of await self.clients.matchAll()) page.postMessage('shown');
  }`;

/**
 * Tests Web Push from the event to the notification of a real Chromium. Only Google's push service, which the test
 * cannot reach, is replaced. The endpoint points to a local push service, and `LocalGcm` delivers the received messages
 * unchanged to Chromium by Chromium's own protocol.
 */
needs('chromium').describe('Web Push in a browser', () => {
  startGateway(PUSH_SETTINGS, 1);
  let pushService: LocalPushService;
  let gcm: LocalGcm;
  let site: Server;
  let profileDirectory: string;
  let browser: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    [pushService, gcm, site] = await Promise.all([LocalPushService.start(), LocalGcm.start(), serveSite()]);
    profileDirectory = mkdtempSync(join(tmpdir(), 'fw-chromium-'));
    browser = await chromium.launchPersistentContext(profileDirectory, {
      headless: true,
      args: [...CHROMIUM_FLAGS, ...gcm.flags],
      // The ignored default argument would disable Chromium's push service.
      ignoreDefaultArgs: ['--disable-background-networking'],
      executablePath: programPath('chromium'),
    });
    await browser.grantPermissions(['notifications'], { origin: originOf(site) });
    page = await browser.newPage();
    await page.goto(originOf(site));
  });

  afterAll(async () => {
    await browser.close();
    await Promise.all([new Promise((resolve) => site.close(resolve)), pushService.stop(), gcm.stop()]);
    rmSync(profileDirectory, { recursive: true, force: true });
  });

  async function subscribe(key: string | null): Promise<{ endpoint: string; keys: WebPushKeys }> {
    await page.evaluate(`void subscribe('${key}')`);
    return waitUntilFound('the subscription', () => page.evaluate('subscription'));
  }

  test('a browser shows an SOS notification with its category and no further content', async () => {
    const fixture = await createFamily();
    const key = serviceOf(PushProviderRegistryService).webPushKey;
    const { endpoint, keys } = await subscribe(key);
    const { pathname } = new URL(endpoint);
    const token = pushService.origin + pathname;
    const tokens = serviceOf(PushTokenService);
    await tokens.create(fixture.guardian, { service: 'WEB_PUSH', token, keys });

    await fixture.publish('userctx.sos.raised', { sosId: randomUUID(), time: environment.clock.now() });
    await waitUntil('the push', () => pushService.receivedPushes.length > 0);
    const [push] = pushService.receivedPushes;
    expect(push?.path).toBe(pathname);
    await gcm.deliver(push?.body ?? Buffer.alloc(0));
    // The worker's message comes first, because an earlier query of the notifications makes Chromium drop them.
    await waitUntil('the notification', () => page.evaluate<boolean>('isShown'));

    const content: PushContent = { kind: 'MessageCenterChangeNoticeMessage', category: 'SOS', cid: fixture.cid };
    expect(await page.evaluate('shown()')).toEqual([{ title: 'Family Watch: SOS', data: content }]);
  });
});

async function serveSite(): Promise<Server> {
  const site = createServer(({ url }, response) => {
    const isWorker = url === '/worker.js';
    response.writeHead(200, { 'content-type': isWorker ? 'text/javascript' : 'text/html' });
    response.end(isWorker ? WORKER_SCRIPT : PAGE_HTML);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return site;
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
