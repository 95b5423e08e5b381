import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GatewayClient } from '@family-watch/client';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { needs } from '@family-watch/testing/requirements/needs';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { addChild, bindNewWatch, signInBrowser, signUp, type Person, type Watch } from '../support/accounts.js';
import { conversationWith } from '../support/family.js';
import { landscape } from '../support/pictures.js';
import { expectFocus } from '../support/keyboard.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

/** Longer than a person can take a recall back. */
const UNDO_MS = 6_000;
const LONG_PRESS_MS = 600;
/** So many that the first ones are not loaded with the newest ones. */
const OLD_MESSAGES = 180;

/** A parent chats with a child's watch on a phone and on a laptop. The tests follow one another. */
needs('chromium').describe('the chat', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let context: BrowserContext;
  let page: Page;
  let parent: Person;
  let watch: Watch;
  let conversationId: string;
  let touch: CDPSession;

  beforeAll(async () => {
    service = await sharedService('standalone');
    parent = await signUp(service, 'Anna');
    const cid = await addChild(parent, 'Mia');
    watch = await bindNewWatch(service, parent, cid);
    conversationId = await conversationWith(parent, cid);
    browser = await TestBrowser.launch();
    context = await browser.newContext({ hasTouch: true, isMobile: true });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
    await signInBrowser(context, service, parent);
    page = await browser.newPage(context);
    touch = await context.newCDPSession(page);
    await page.goto(`${service.url}/chat/${conversationId}`);
    await heading(page, 'Mia');
  });

  afterAll(() => browser?.close());

  const field = () => page.getByRole('textbox', { name: 'Message', exact: true });
  const messages = () => page.getByRole('region', { name: 'Messages' });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const menuItem = (name: string) => page.getByRole('menuitem', { name });
  const menuButton = (text: string) => messages().getByRole('button', { name: `Message “${text}”: what to do` });
  const undo = () => button('Undo');
  const stored = async () => (await watch.client.messages.getHistory({ conversationId, limit: 50 })).items;
  const newest = async () => (await stored())[0];
  const storedTexts = async () => (await stored()).map(({ kind, payload }) => payload?.['text'] ?? kind);
  const quote = (text: string) =>
    messages().getByRole('button', { name: new RegExp(`^Go to the message of .*${text}`) });
  const sendFromWatch = (text: string, more: { quoteOf?: string } = {}) =>
    watch.client.messages.send({
      ...{ kind: 'ChatTextMessage', clientMsgId: crypto.randomUUID(), conversationId, text },
      ...more,
    });

  const isOpaque = (text: string) =>
    page.evaluate<boolean>(
      `getComputedStyle(document.querySelector('[aria-label^="Message “${text}”"]')).opacity === '1'`,
    );

  async function send(text: string): Promise<void> {
    await field().fill(text);
    await button('Send').click();
    await waitUntil(`"${text}" to be stored`, async () => (await newest())?.payload?.['text'] === text);
  }

  async function chooseFiles(name: string, ...files: string[]): Promise<void> {
    const choosing = page.waitForEvent('filechooser');
    await button(name).click();
    const buffers = await Promise.all(files.map((_, index) => landscape(index)));
    await (
      await choosing
    ).setFiles(files.map((file, index) => ({ name: file, mimeType: 'image/jpeg', buffer: buffers[index]! })));
  }

  async function pressLong(text: string): Promise<void> {
    const box = await messages().getByText(text, { exact: true }).last().boundingBox();
    if (!box) throw new Error(`No message ${text}`);
    const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }];
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    await new Promise((resolve) => setTimeout(resolve, LONG_PRESS_MS));
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  test('emoji are inserted where the cursor is', async () => {
    await field().fill('Good morning Mia');
    await field().press('Home');
    for (let index = 0; index < 'Good morning'.length; index += 1) await field().press('ArrowRight');
    await button('Choose an emoji').click();
    await button('☀️').click();
    await button('❤️').click();
    expect(await field().inputValue()).toBe('Good morning☀️❤️ Mia');
    await browser.checkAccessibility(page);
    await page.keyboard.press('Escape');
    await button('☀️').waitFor({ state: 'detached' });
    await field().press('End');
    await button('Choose an emoji').click();
    await button('😘').click();
    expect(await stored()).toEqual([]);
    await field().click();
    await button('Send').click();
    await waitUntil('the text', async () => (await storedTexts())[0] === 'Good morning☀️❤️ Mia😘');
  });

  test('several pictures are shown before they are sent with a caption, which follows them', async () => {
    await field().fill('The lake');
    await chooseFiles('Send pictures or videos', 'one.jpg', 'two.jpg', 'three.jpg');
    const dialog = page.getByRole('dialog', { name: 'Send 3 files' });
    await shown(dialog.getByRole('img', { name: 'three.jpg' }));
    await browser.checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Remove two.jpg' }).click();
    const caption = page.getByRole('textbox', { name: 'Caption (optional)' });
    expect(await caption.inputValue()).toBe('The lake');
    await caption.fill('The lake today');
    expect(await storedTexts()).toHaveLength(1);
    await button('Send 2 files').click();
    await waitUntil('pictures and caption', async () => (await stored()).length === 4);
    expect((await storedTexts()).slice(0, 3)).toEqual(['The lake today', 'ChatImageMessage', 'ChatImageMessage']);
    expect(await field().inputValue()).toBe('');
    await messages().getByRole('button', { name: 'Open the picture' }).nth(1).waitFor();
  });

  test('a picture that is not sent leaves the text in the field', async () => {
    await chooseFiles('Send pictures or videos', 'not.jpg');
    await page.getByRole('textbox', { name: 'Caption (optional)' }).fill('Or rather not');
    await button('Cancel').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await field().inputValue()).toBe('Or rather not');
    await field().fill('');
    expect(await stored()).toHaveLength(4);
  });

  test('a phone takes a photo with its camera', async () => {
    const camera = page.locator('input[type=file][capture=environment]');
    expect(await camera.getAttribute('accept')).toBe('image/*');
    await chooseFiles('Take a photo', 'photo.jpg');
    await shown(page.getByRole('img', { name: 'photo.jpg' }));
    await button('Send 1 file').click();
    await waitUntil('the photo', async () => (await stored()).length === 5);
  });

  test('a long press opens the menu of a message, which copies its text', async () => {
    await sendFromWatch('At the lake');
    await shown(messages().getByText('At the lake'));
    await pressLong('At the lake');
    await shown(menuItem('Reply'));
    expect(await menuItem('Recall').count()).toBe(0);
    await browser.checkAccessibility(page);
    await menuItem('Copy').click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('At the lake');
    await menuItem('Copy').waitFor({ state: 'detached' });
  });

  test('a recall can be taken back for five seconds', async () => {
    await send('Oops');
    await messages().getByText('Oops').click({ button: 'right' });
    await menuItem('Recall').click();
    await undo().click();
    await shown(messages().getByText('Oops'));
    await new Promise((resolve) => setTimeout(resolve, UNDO_MS));
    expect((await newest())?.payload).not.toBeNull();
    await menuButton('Oops').focus();
    await page.keyboard.press('Enter');
    await shown(menuItem('Recall'));
    await page.keyboard.press('Escape');
    await menuItem('Recall').waitFor({ state: 'detached' });
    await expectFocus(menuButton('Oops'));
    await page.keyboard.press('Enter');
    await menuItem('Recall').click();
    await shown(messages().getByText('This message is being recalled …'));
    expect((await newest())?.payload).not.toBeNull();
    await browser.checkAccessibility(page);
    await waitUntil('the recall', async () => (await newest())?.payload === null);
    await shown(messages().getByText('Recalled message'));
  });

  test('a reply shows the quoted message, also after a reload, and goes to it', async () => {
    await pressLong('At the lake');
    await menuItem('Reply').click();
    const answered = page.getByRole('group', { name: 'Reply to' });
    await shown(answered.getByText('At the lake'));
    await expectFocus(field());
    await page.keyboard.type('Which one?');
    await page.waitForTimeout(300);
    await page.reload();
    await shown(answered.getByText('At the lake'));
    expect(await field().inputValue()).toBe('Which one?');
    await browser.checkAccessibility(page);
    const { id } = (await stored()).find(({ payload }) => payload?.['text'] === 'At the lake')!;
    await button('Send').click();
    await waitUntil('the answer', async () => (await newest())?.payload?.['quoteOf'] === id);
    await answered.waitFor({ state: 'detached' });
    await shown(quote('At the lake'));
  });

  test('a quote of a recalled message shows that it was recalled', async () => {
    const sent = await sendFromWatch('Secret');
    await sendFromWatch('About that', { quoteOf: sent.id });
    await shown(quote('Secret'));
    await watch.client.messages.recall({ messageId: sent.id });
    await shown(quote('Recalled message'));
    expect(await page.getByText('Secret').count()).toBe(0);
  });

  test('a search finds an old message and shows it in its place', async () => {
    const old = await sendFromWatch('The red umbrella is at school');
    for (let index = 1; index <= OLD_MESSAGES; index += 1) await sendFromWatch(`Filler ${index}`);
    await sendFromWatch('Here it is', { quoteOf: old.id });
    await page.reload();
    await shown(messages().getByText('Here it is'));
    await shown(quote('The red umbrella'));
    await button('Search').click();
    await page.getByRole('searchbox', { name: 'Search' }).fill('UMBRELLA');
    const results = page.getByRole('region', { name: 'Found messages' });
    await shown(results.getByText('1 message'));
    await browser.checkAccessibility(page);
    await results.getByRole('button', { name: /^Mia · .*The red umbrella/ }).click();
    const found = messages().locator('[data-marked]').getByText('The red umbrella is at school');
    await shown(found);
    expect(await messages().getByText('Filler 180').count()).toBe(0);
    await shown(messages().getByText('Filler 1', { exact: true }));
    await button('Newest messages').click();
    await shown(messages().getByText('Here it is'));
    await button('Newest messages').waitFor({ state: 'detached' });
  });

  test('a quote opens a message that was not loaded, and scrolling down comes back to the newest ones', async () => {
    await quote('The red umbrella').click();
    await shown(messages().locator('[data-marked]'));
    const box = await messages().boundingBox();
    await page.mouse.move(box!.x + 100, box!.y + 100);
    await waitUntil('the newest messages', async () => {
      await page.mouse.wheel(0, 1_500);
      return (await messages().getByText('Here it is').count()) > 0;
    });
    await button('Newest messages').waitFor({ state: 'detached' });
    const texts = await messages()
      .getByText(/^Filler \d+$/)
      .allInnerTexts();
    const numbers = texts.map((text) => Number(text.split(' ')[1]));
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect(numbers.at(-1)).toBe(OLD_MESSAGES);
  });

  test('the header says whether the watch is connected, and without a connection when it was last seen', async () => {
    await shown(page.getByText(/^Offline/));
    const gateway = new GatewayClient({ url: service.url, tokens: watch.tokens });
    gateway.start();
    await gateway.whenConnected();
    await shown(page.getByText('Online', { exact: true }));
    await context.setOffline(true);
    await shown(page.getByText(/^Last seen/i));
    expect(await page.getByText('Online', { exact: true }).count()).toBe(0);
    await context.setOffline(false);
    await shown(page.getByText('Online', { exact: true }));
    gateway.stop();
  });

  test('a laptop shows the list beside the conversation', async () => {
    const laptop = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await signInBrowser(laptop, service, parent);
    page = await browser.newPage(laptop);
    await page.goto(`${service.url}/chat`);
    await heading(page, 'Chat');
    await shown(page.getByText('Choose a conversation.'));
    await browser.checkAccessibility(page);
    await page.getByRole('link', { name: /^Mia/ }).click();
    await heading(page, 'Mia');
    await shown(messages().getByText('Here it is'));
    await shown(page.getByRole('link', { name: /^Family: / }));
    expect(await page.getByRole('link', { name: 'All conversations' }).count()).toBe(0);
    await messages().getByText('Here it is').hover();
    await waitUntil('the button of the menu', () => isOpaque('Here it is'));
    await browser.checkAccessibility(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await shown(page.getByRole('link', { name: 'All conversations' }));
    await page.getByRole('link', { name: /^Family: / }).waitFor({ state: 'detached' });
  });

  test('axe has found no serious or critical problem, and no page has caused an error', () => {
    expect(browser.barriers).toEqual([]);
    expect(browser.problems).toEqual([]);
  });
});
