import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { TcpProxy } from '@family-watch/testing/network/tcp-proxy';
import { needs } from '@family-watch/testing/requirements/needs';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { addChild, bindNewWatch, signInBrowser, signUp, type Person, type Watch } from '../support/accounts.js';
import { conversationWith } from '../support/family.js';
import { noisyPicture } from '../support/pictures.js';
import { chooseInMenu, heading, shown, TestBrowser } from '../support/test-browser.js';

/** The five main pages, and what each of them shows of the family. */
const MAIN_PAGES = [
  ['Children', '/children', 'Mia'],
  ['Chat', '/chat', 'Good morning'],
  ['Album', '/album', 'lake.png'],
  ['Activity', '/messages', 'Mia has raised an SOS.'],
  ['Family', '/family', 'Your families'],
] as const;

/** A parent closes and opens the console without a connection. The tests follow one another. */
needs('chromium').describe('the console that is opened without a connection', () => {
  let service: SharedService;
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
    context = await browser.newContext();
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
  const tab = (name: string) => page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name });
  const notConnected = () => page.getByRole('status').getByText(/^Not connected\./);
  const sendFromWatch = (text: string) =>
    watch.client.messages.send({ kind: 'ChatTextMessage', clientMsgId: crypto.randomUUID(), conversationId, text });

  async function loseConnection(): Promise<void> {
    await notConnected().waitFor({ state: 'detached' });
    proxy.block();
    await context.setOffline(true);
    await shown(notConnected());
  }

  async function restoreConnection(): Promise<void> {
    proxy.unblock();
    await context.setOffline(false);
    await notConnected().waitFor({ state: 'detached' });
  }

  async function openAgain(path: string): Promise<void> {
    await page.close();
    page = await browser.newPage(context);
    await page.goto(url + path);
  }

  async function chooseFile(button: string, name: string, buffer: Buffer): Promise<void> {
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: button }).click();
    await (await choosing).setFiles({ name, mimeType: 'image/png', buffer });
  }

  async function send(text: string): Promise<void> {
    await messageField().fill(text);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await shown(messages().getByText(text));
  }

  const waitForWorker = () => page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  /** Returns what the browser keeps for persons: the keys without the ids. */
  const keptKinds = async (): Promise<string[]> => {
    const keys = await page.evaluate<string[][]>(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('family-watch-person');
      opening.onerror = reject;
      opening.onsuccess = () => {
        const reading = opening.result.transaction('values').objectStore('values').getAllKeys();
        reading.onsuccess = () => resolve(reading.result);
      };
    })`);
    return keys.map(([, kind = '']) => kind);
  };

  test('messages, a picture and a draft that were written before it was closed are sent and shown when it is back', async () => {
    await page.goto(`${url}/chat/${conversationId}`);
    await send('Good morning');
    await waitUntil('the first message', async () => (await chatOfWatch()).length === 1);
    await waitForWorker();
    await loseConnection();
    await send('Did you');
    await send('sleep well?');
    await chooseFile('Send pictures or videos', 'lake.png', await noisyPicture(64, 48));
    await page.getByRole('button', { name: 'Send 1 file' }).click();
    await shown(messages().getByText(/^Not sent: /));
    await messageField().fill('I will be');
    await waitUntil('the stored text', async () => (await keptKinds()).includes('text'));
    // With its state, also without a connection.
    await openAgain(`/chat/${conversationId}`);
    await shown(messages().getByText('sleep well?'));
    expect(await messageField().inputValue()).toBe('I will be');
    await page.close();
    proxy.unblock();
    await context.setOffline(false);
    page = await browser.newPage(context);
    // On whatever page the person is.
    await page.goto(`${url}/family`);
    await waitUntil('the messages of the closed page', async () => (await chatOfWatch()).length === 4);
    const texts = (await chatOfWatch()).map(({ kind, payload }) => payload?.['text'] ?? kind);
    expect(texts.filter((text) => text !== 'ChatImageMessage')).toEqual(['sleep well?', 'Did you', 'Good morning']);
    expect(texts).toContain('ChatImageMessage');
    await page.goto(`${url}/chat/${conversationId}`);
    await shown(messages().getByText('sleep well?'));
    expect(await messageField().inputValue()).toBe('I will be');
    await send('I will be there at four');
    await waitUntil('the fifth message', async () => (await chatOfWatch()).length === 5);
    await page.reload();
    await shown(messages().getByText('I will be there at four'));
    expect(await messageField().inputValue()).toBe('');
  });

  test('two tabs send what a third one has written once', async () => {
    await loseConnection();
    await send('Only once');
    await chooseFile('Send pictures or videos', 'once.png', await noisyPicture(64, 48));
    await page.getByRole('button', { name: 'Send 1 file' }).click();
    await shown(messages().getByText(/^Not sent: /));
    const before = (await chatOfWatch()).length;
    await page.close();
    proxy.unblock();
    await context.setOffline(false);
    const tabs = [await browser.newPage(context), await browser.newPage(context)];
    await Promise.all(tabs.map((tab) => tab.goto(`${url}/chat/${conversationId}`)));
    await waitUntil('both messages', async () => (await chatOfWatch()).length === before + 2);
    const [family] = (await parent.client.families.list()).items;
    const { cloudContentList } = await parent.client.familyCloud.queryContentList({ cloudID: family?.familyId ?? '' });
    expect(cloudContentList.filter(({ contentName }) => contentName === 'once.png')).toHaveLength(1);
    expect(await chatOfWatch()).toHaveLength(before + 2);
    await tabs[1]!.close();
    page = tabs[0]!;
  });

  test('an upload to the album continues after it was closed', async () => {
    await page.goto(`${url}/album`);
    await heading(page, 'Album');
    await shown(page.getByRole('button', { name: 'Upload' }));
    await loseConnection();
    await chooseFile('Upload', 'walk.png', await noisyPicture(80, 60));
    await shown(page.getByText('0 of 1 uploaded'));
    await waitUntil('the stored file', async () => (await keptKinds()).includes('upload'));
    await openAgain('/album');
    await shown(page.getByText('0 of 1 uploaded'));
    await restoreConnection();
    await shown(page.getByText('1 of 1 uploaded'));
    await shown(page.getByRole('button', { name: 'Picture walk.png' }));
  });

  test('an acknowledgement of an SOS is kept and repeated until the service has it', async () => {
    await page.goto(`${url}/children`);
    await shown(page.getByRole('article', { name: 'Mia' }));
    await watch.client.watch.raiseSos({});
    const acknowledge = () => page.getByRole('button', { name: 'I take care of it' });
    await shown(acknowledge());
    proxy.block();
    await context.setOffline(true);
    await shown(page.getByText('Not connected. This may be out of date.'));
    await acknowledge().click();
    const explanation = 'The family does not know yet that you take care of it';
    await shown(page.getByRole('alert').getByText(explanation));
    await openAgain('/children');
    await shown(page.getByRole('alert').getByText(explanation));
    const stateOfSos = async () => (await parent.client.sos.list({ cid, limit: 1 })).items[0]?.state;
    expect(await stateOfSos()).not.toBe('ACKNOWLEDGED');
    proxy.unblock();
    await context.setOffline(false);
    await waitUntil('the acknowledgement', async () => (await stateOfSos()) === 'ACKNOWLEDGED');
    await acknowledge().waitFor({ state: 'detached' });
    expect(await keptKinds()).not.toContain('sos-acknowledgement');
  });

  test('the five main pages show the last known data and its age', async () => {
    await sendFromWatch('Good morning');
    await page.goto(url);
    const shows = (content: string) =>
      shown(
        page
          .getByRole('main')
          .getByText(content)
          .or(page.getByRole('button', { name: content })),
      );
    for (const [name, , content] of MAIN_PAGES) {
      await tab(name).click();
      await shows(content);
    }
    await loseConnection();
    await openAgain('/');
    await shown(page.getByText(/^Not connected\. Last known state: (now|\d+ minutes? ago)/));
    for (const [name, path, content] of MAIN_PAGES) {
      await tab(name).click();
      await heading(page, name);
      await shows(content);
      expect(new URL(page.url()).pathname).toBe(path);
    }
    await restoreConnection();
    await tab('Chat').click();
    await sendFromWatch('Live again');
    await shown(page.getByText('Live again'));
  });

  test('a network that loses everything delays the last known data by seconds only', async () => {
    proxy.freeze();
    await openAgain('/children');
    await shown(page.getByText(/^Not connected\. Last known state: /));
    await shown(page.getByRole('article', { name: 'Mia' }));
    proxy.unfreeze();
    await notConnected().waitFor({ state: 'detached' });
  });

  test('the browser stores the files of the console, and nothing of the service', async () => {
    const stored = await page.evaluate<string[]>(`(async () => {
      const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
      const requests = await Promise.all(caches_.map((cache) => cache.keys()));
      return requests.flat().map(({ url }) => new URL(url).pathname);
    })()`);
    expect(stored).toContain('/children');
    const files = /^\/(console-assets\/[\w.-]+|children|console-config\.json|[\w-]+\.(png|svg|webmanifest))$/;
    expect(stored.filter((path) => !files.test(path))).toEqual([]);
  });

  test('a half-filled form warns before it is left', async () => {
    await page.goto(`${url}/children/${cid}/settings/alarms`);
    await page.getByRole('button', { name: 'Add an alarm' }).click();
    await page.getByLabel('Label').fill('Violin');
    await tab('Chat').click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Stay on this page' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Label').inputValue()).toBe('Violin');
    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    expect(await page.getByLabel('Label').inputValue()).toBe('Violin');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page.getByText('Every day · Violin'));
    await tab('Chat').click();
    await heading(page, 'Chat');
    await page.goto(`${url}/family/account`);
    await page.getByLabel(/^Your name/).fill('Anne');
    await tab('Album').click();
    await dialog.getByRole('button', { name: 'Leave without saving' }).click();
    await heading(page, 'Album');
    expect((await parent.client.accounts.getProfile()).nickname).toBe('Anna');
  });

  test('after a sign-out, the browser keeps nothing, and without a connection it shows nothing', async () => {
    await page.goto(`${url}/chat/${conversationId}`);
    await messageField().fill('A secret');
    await tab('Family').click();
    await waitUntil('the stored text', async () => (await keptKinds()).includes('text'));
    await chooseInMenu(page, 'Sign out');
    await heading(page, 'Family Watch');
    await waitUntil('the deletion', async () => (await keptKinds()).length === 0);
    proxy.block();
    await context.setOffline(true);
    await openAgain('/children');
    await heading(page, 'Family Watch');
  });

  test('no page has caused an error', () => {
    expect(browser.problems).toEqual([]);
  });
});
