import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { PushNote } from '@family-watch/domain/messages/contracts/push';
import { PushTokenService } from '../../src/contexts/push/push-token.service.js';
import { GatewayWorld } from '../support/gateway-world.js';
import { Household } from '../support/household.js';
import { LocalPushService, PushSubscriber } from '../support/push-service.js';

jest.setTimeout(60_000);

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-component-update', '--disable-sync'],
];

const PAGE = `<!doctype html><title>Family Watch</title><script>
  const ready = navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready);
  const shown = async () => (await (await ready).getNotifications()).map(({ title, data }) => ({ title, data }));
</script>`;

/** What an app's worker does: it makes the text, from a note that has none. */
const WORKER = `
  self.addEventListener('install', () => self.skipWaiting());
  self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener('push', (event) => {
    const note = event.data.json();
    event.waitUntil(self.registration.showNotification('Family Watch: ' + note.category, { data: note }));
  });`;

/**
 * Real: the event, the message centre, the push queue, the encryption by RFC 8291, the sending over HTTP, Chromium, its
 * service worker and its notification. Standing in: Chromium's own push service is Google's and cannot be reached from
 * here, so the endpoint is a push service of this test; it opens what the server sent with the subscription's keys,
 * as the browser would, and hands the very bytes to Chromium by the DevTools protocol.
 */
const suite = EXECUTABLE === undefined ? describe.skip : describe;
if (EXECUTABLE === undefined) process.stdout.write('Web Push in a browser: skipped, no Chromium is installed\n');

suite('Web Push in a browser', () => {
  let world: GatewayWorld;
  let service: LocalPushService;
  let site: Server;
  let folder: string;
  let browser: BrowserContext;
  let page: Page;
  let devtools: CDPSession;
  let registrationId: string | undefined;

  beforeAll(async () => {
    const SECRET_KEY = 'only for tests, only for tests, only';
    world = await GatewayWorld.start({ SECRET_KEY, PUSH_ALLOW_INSECURE_ENDPOINTS: 'yes' });
    service = await LocalPushService.start();
    site = createServer(({ url }, response) => {
      const isWorker = url === '/worker.js';
      response.writeHead(200, { 'content-type': isWorker ? 'text/javascript' : 'text/html' });
      response.end(isWorker ? WORKER : PAGE);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    folder = mkdtempSync(join(tmpdir(), 'fw-chromium-'));
    const options = {
      headless: true,
      args: FLAGS,
      ...(EXECUTABLE === undefined ? {} : { executablePath: EXECUTABLE }),
    };
    browser = await chromium.launchPersistentContext(folder, options);
    await browser.grantPermissions(['notifications'], { origin: originOf(site) });
    page = await browser.newPage();
    devtools = await browser.newCDPSession(page);
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      registrationId = registrations.find(({ isDeleted }) => !isDeleted)?.registrationId;
    });
    await devtools.send('ServiceWorker.enable');
    await page.goto(originOf(site));
    await page.evaluate('ready');
  });

  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => site.close(resolve));
    await service.stop();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('an SOS shows a notification that says what it is about and nothing more', async () => {
    const node = await world.addNode();
    const home = await Household.in(world);
    const subscription = new PushSubscriber(service.origin);
    const request = { service: 'WEB_PUSH', token: subscription.endpoint, keys: subscription.keys } as const;
    await node.app.get(PushTokenService, { strict: false }).create(home.guardian, request);

    const { familyId } = home.family;
    const payload = { familyId, cid: home.cid, did: home.did, sosId: randomUUID(), time: world.clock.now() };
    await world.publish({ name: 'userctx.sos.raised', key: familyId, payload });
    await until('the push', () => service.to(subscription).length > 0);
    const [push] = service.to(subscription);
    if (!push || registrationId === undefined) throw new Error('Nothing came, or nobody to bring it to');

    const data = subscription.open(push);
    await devtools.send('ServiceWorker.deliverPushMessage', {
      origin: originOf(site),
      registrationId,
      data: JSON.stringify(data),
    });
    const note: PushNote = { kind: 'MessageCenterChangeNoticeMessage', category: 'SOS', cid: home.cid };
    await expect(shownOn(page)).resolves.toEqual([{ title: 'Family Watch: SOS', data: note }]);
  });
});

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function shownOn(page: Page): Promise<unknown> {
  const shown = () => page.evaluate<unknown[]>('shown()');
  await until('the notification', async () => (await shown()).length > 0);
  return shown();
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}`);
    await sleep(20);
  }
}
