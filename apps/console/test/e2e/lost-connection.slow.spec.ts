import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { TcpProxy } from '@family-watch/testing/network/tcp-proxy';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { addChild, bindNewWatch, signInBrowser, signUp, type Person, type Watch } from '../support/accounts.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { conversationWith } from '../support/family.js';
import { noisyPicture } from '../support/pictures.js';
import { chooseInMenu, heading, shown, TestBrowser } from '../support/test-browser.js';

const UPLOAD_BYTES_PER_SECOND = 100_000;
/** The first text before the page was connected. */
const NOT_CONNECTED = /^Not connected\. (What you see may be out of date\.|Last known state: (now|\d+ minutes? ago))$/;
const NOTHING_IS_LOST = 'No connection to the service. Nothing that you entered is lost.';

/** A parent loses the connection while the page sends and while a form is half filled. The tests follow one another. */
needs('chromium').describe('the console without a connection', () => {
  let service: SharedService;
  /** The connection of the parent's browser; the emulation of Chromium does not interrupt requests that have begun. */
  let proxy: TcpProxy;
  /** The service as the parent's browser reaches it. */
  let url: string;
  let browser: TestBrowser;
  let context: BrowserContext;
  let page: Page;
  let parent: Person;
  let watch: Watch;
  let cid: string;
  let conversationId: string;

  beforeAll(async () => {
    service = await sharedService('standalone');
    parent = await signUp(service, 'Anna');
    cid = await addChild(parent, 'Mia');
    watch = await bindNewWatch(service, parent, cid);
    conversationId = await conversationWith(parent, cid);
    const { hostname: host, port } = new URL(service.url);
    proxy = await TcpProxy.start({ host, port: Number(port) });
    url = `http://127.0.0.1:${proxy.port}`;
    browser = await TestBrowser.launch();
    // The worker would have stored all pages (offline.slow.spec.ts), as it has not at a first visit.
    context = await browser.newContext({ serviceWorkers: 'block' });
    await signInBrowser(context, { ...service, url }, parent);
    page = await browser.newPage(context);
  });

  afterAll(async () => {
    await browser?.close();
    await proxy?.close();
  });

  const messageField = () => page.getByRole('textbox', { name: 'Message' });
  const messages = () => page.getByRole('region', { name: 'Messages' });
  const chatOfWatch = async () => (await watch.client.messages.getHistory({ conversationId })).items;
  /** A message shows one of these texts until the service has confirmed it. */
  const allConfirmed = () =>
    messages()
      .getByText(/^(Waiting for the connection|Sending …)$/)
      .first()
      .waitFor({ state: 'detached' });
  const sendFromWatch = (text: string) =>
    watch.client.messages.send({ kind: 'ChatTextMessage', clientMsgId: crypto.randomUUID(), conversationId, text });

  async function loseConnection(): Promise<void> {
    proxy.block();
    await context.setOffline(true);
    await shown(page.getByRole('status').getByText(NOT_CONNECTED));
  }

  async function restoreConnection(): Promise<void> {
    proxy.unblock();
    await context.setOffline(false);
    await page.getByText(NOT_CONNECTED).waitFor({ state: 'detached' });
  }

  /** Lets the service execute the next request to this operation, but not the response arrive. */
  async function loseNextResponse(operation: string): Promise<void> {
    await page.route(
      `**/${operation}`,
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
  }

  test('a message that was being written is sent once, and missed messages appear', async () => {
    // The earlier messages have not arrived when the connection is lost.
    const history = '**/message/history/get*';
    await page.route(history, (route) => route.abort());
    await page.goto(`${url}/chat/${conversationId}`);
    await messageField().fill('Where are you?');
    await loseConnection();
    await sendFromWatch('At the lake');
    expect(await messageField().inputValue()).toBe('Where are you?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await shown(messages().getByText('Waiting for the connection'));
    await page.unroute(history);
    await restoreConnection();
    await shown(messages().getByText('At the lake'));
    await allConfirmed();
    const texts = (await chatOfWatch()).map(({ payload }) => payload?.['text']);
    expect(texts).toEqual(['Where are you?', 'At the lake']);
  });

  test('a message whose confirmation was lost is stored once', async () => {
    await loseNextResponse('message/send');
    await messageField().fill('Stay there');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await shown(messages().getByText('Waiting for the connection'));
    await allConfirmed();
    await shown(messages().getByText('Stay there'));
    const texts = (await chatOfWatch()).map(({ payload }) => payload?.['text']);
    expect(texts).toEqual(['Stay there', 'Where are you?', 'At the lake']);
  });

  test('a picture of a chat is uploaded and sent when the connection is back', async () => {
    await loseConnection();
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Send pictures or videos' }).click();
    await (await choosing).setFiles({ name: 'lake.png', mimeType: 'image/png', buffer: await noisyPicture(64, 48) });
    await page.getByRole('button', { name: 'Send 1 file' }).click();
    await shown(messages().getByText(`Not sent: ${NOTHING_IS_LOST}`));
    await restoreConnection();
    await shown(messages().getByRole('button', { name: 'Open the picture' }));
    expect((await chatOfWatch()).filter(({ kind }) => kind === 'ChatImageMessage')).toHaveLength(1);
  });

  test('an upload to the album continues where it was interrupted', async () => {
    await page.goto(`${url}/album`);
    await heading(page, 'Album');
    const network = await context.newCDPSession(page);
    const noLimits = { offline: false, latency: 0, downloadThroughput: -1 };
    await network.send('Network.emulateNetworkConditions', {
      ...noLimits,
      uploadThroughput: UPLOAD_BYTES_PER_SECOND,
    });
    const offsets: number[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
    });
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload' }).click();
    const buffer = await noisyPicture(800, 600);
    await (await choosing).setFiles({ name: 'walk.png', mimeType: 'image/png', buffer });
    const progress = page.getByRole('progressbar', { name: 'walk.png' });
    await waitUntil(
      'the beginning of the upload',
      async () => Number(await progress.getAttribute('aria-valuenow')) > 20,
    );
    await loseConnection();
    await shown(page.getByText('0 of 1 uploaded'));
    await shown(page.getByText('Waiting for the network'));
    await network.detach();
    await restoreConnection();
    await shown(page.getByText('1 of 1 uploaded'));
    await shown(page.getByRole('button', { name: 'Picture walk.png' }));
    expect(offsets[0]).toBe(0);
    expect(offsets.at(-1)).toBeGreaterThan(0);
    const [family] = (await parent.client.families.list()).items;
    const cloudID = family?.familyId ?? '';
    const { cloudContentList } = await parent.client.familyCloud.queryContentList({ cloudID });
    expect(cloudContentList.filter(({ contentName }) => contentName === 'walk.png')).toHaveLength(1);
  });

  test('a half-filled form of the settings keeps what was typed, and saves once', async () => {
    await page.goto(`${url}/children/${cid}/settings/alarms`);
    await page.getByRole('button', { name: 'Add an alarm' }).click();
    await page.getByLabel('Label').fill('Violin');
    await loseConnection();
    await page.getByLabel(/^Time/).fill('15:30');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page.getByText(NOTHING_IS_LOST));
    await restoreConnection();
    expect(await page.getByLabel('Label').inputValue()).toBe('Violin');
    expect(await page.getByLabel(/^Time/).inputValue()).toBe('15:30');
    await loseNextResponse('alarm-clock/create');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page.getByText(NOTHING_IS_LOST));
    await page.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'Alarms');
    await shown(page.getByText('Every day · Violin'));
    const { items } = await parent.client.alarmClocks.list({ did: watch.did });
    expect(items).toMatchObject([{ hour: 15, minute: 30, label: 'Violin' }]);
  });

  test('a half-filled form of a place keeps what was typed, and saves once', async () => {
    await page.goto(`${url}/children/${cid}/fences/add`);
    await shown(page.getByRole('region', { name: 'Map of the places' }));
    // Without its worker, the map would report an error.
    const worker = await waitUntilFound('the worker of the map', () => page.workers()[0]);
    await worker.evaluate(() => undefined);
    await page.getByLabel('Name').fill('School');
    await page.getByLabel('Latitude').fill('31.2304');
    await loseConnection();
    await page.getByLabel('Longitude').fill('121.4737');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page.getByText(NOTHING_IS_LOST));
    await restoreConnection();
    expect(await page.getByLabel('Name').inputValue()).toBe('School');
    expect(await page.getByLabel('Latitude').inputValue()).toBe('31.2304');
    expect(await page.getByLabel('Longitude').inputValue()).toBe('121.4737');
    await loseNextResponse('fence/create');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page.getByText(NOTHING_IS_LOST));
    await page.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'Places of Mia');
    await shown(page.getByText('School'));
    expect((await parent.client.fences.list({ cid })).items).toMatchObject([{ name: 'School' }]);
  });

  test('a message that is sent without a connection is not lost when another page is opened', async () => {
    await page.goto(`${url}/chat/${conversationId}`);
    await shown(messages().getByText('Stay there'));
    await loseConnection();
    await messageField().fill('On my way');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await shown(messages().getByText('Waiting for the connection'));
    await page.getByRole('link', { name: 'Family' }).click();
    await heading(page, 'Family');
    await restoreConnection();
    await waitUntil('the message of before', async () => {
      const [newest] = await chatOfWatch();
      return newest?.payload?.['text'] === 'On my way';
    });
  });

  test('a page that is opened without a connection says so, and appears when the connection is back', async () => {
    // The connection is lost while the code of all pages but the first is on its way.
    const code = '**/console-assets/pages-*.js';
    const lost = Promise.withResolvers<void>();
    await page.route(code, async (route) => {
      await lost.promise;
      await route.abort('internetdisconnected');
    });
    await page.goto(`${url}/children`);
    await shown(page.getByRole('article', { name: 'Mia' }));
    await loseConnection();
    await chooseInMenu(page, 'Profile and devices');
    lost.resolve();
    await heading(page, 'This page is not here yet');
    expect(new URL(page.url()).pathname).toBe('/family/account');
    await page.getByRole('heading', { level: 1, name: 'Children', exact: true }).waitFor({ state: 'detached' });
    const repeated = page.waitForEvent('requestfailed', (request) => /\/pages-[^/]+\.js$/.test(request.url()));
    await page.getByRole('button', { name: 'Try again' }).click();
    await repeated;
    await heading(page, 'This page is not here yet');
    await page.unroute(code);
    await restoreConnection();
    await heading(page, 'Profile and devices');
  });

  test('no page has caused an error', () => {
    expect(browser.problems).toEqual([]);
  });
});
