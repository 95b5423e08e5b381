import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { randomPhoneNumber } from '../support/accounts.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { CallVideo } from '../support/call-media.js';
import { addFirstChild, bindWatch, fillSignUp } from '../support/first-visit.js';
import { chooseInMenu, heading, shown, TestBrowser } from '../support/test-browser.js';

/** Scripts of the first page, as sent. A page that loads in two seconds with a slow mobile connection. */
const MAX_SCRIPT_BYTES = 250 * 1024;

/** A parent and a watch in two browsers use the built service only through the pages. The tests follow one another. */
needs('chromium').describe('the console', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let parentBrowser: BrowserContext;
  let parent: Page;
  let watch: Page;
  const phoneNumber = randomPhoneNumber();
  const checkAccessibility = (page: Page) => browser.checkAccessibility(page);

  beforeAll(async () => {
    service = await sharedService('standalone');
    browser = await TestBrowser.launch();
    parentBrowser = await browser.newContext();
    parent = await browser.newPage(parentBrowser);
    watch = await browser.newPage(await browser.newContext());
  });

  afterAll(() => browser?.close());

  test('the first page shows the sign-in, and its scripts are small', async () => {
    const sizes: Promise<number>[] = [];
    parent.on('requestfinished', (request) => {
      if (request.resourceType() === 'script')
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await parent.goto(service.url, { waitUntil: 'networkidle' });
    await heading(parent, 'Family Watch');
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    parent.removeAllListeners('requestfinished');
    expect(sizes.length).toBeGreaterThan(1);
    expect(total).toBeGreaterThan(50 * 1024);
    expect(total).toBeLessThan(MAX_SCRIPT_BYTES);
    await checkAccessibility(parent);
  });

  test('a parent signs up with the code from the SMS', async () => {
    await fillSignUp(parent, service, phoneNumber);
    await checkAccessibility(parent);
    await parent.getByRole('button', { name: 'Create an account' }).click();
    await heading(parent, 'Welcome');
    await checkAccessibility(parent);
  });

  test('no script can read what would give access after the page is closed', async () => {
    const [cookie] = await parentBrowser.cookies(`${service.url}/apis/v2/userctx/user/account/token/refresh`);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    const readable = await parent.evaluate<string>('document.cookie + JSON.stringify(localStorage)');
    expect(readable).not.toContain(cookie?.value);
    expect(await parent.evaluate('document.cookie')).toBe('');
  });

  test('the parent adds a child and binds the watch of the other browser', async () => {
    await addFirstChild(parent, 'Mia');
    await checkAccessibility(parent);

    await watch.goto(`${service.url}/watch`);
    await shown(watch.getByTestId('bind-code'));
    const firstCode = await watch.getByTestId('bind-code').innerText();
    await watch.getByRole('button', { name: 'New code' }).click();
    await watch.getByText(firstCode).waitFor({ state: 'detached' });
    await checkAccessibility(watch);
    await bindWatch(parent, watch, 'Mia');
    await checkAccessibility(parent);
    await parent.getByRole('link', { name: 'To all children' }).click();
    await shown(parent.getByRole('article', { name: 'Mia' }).getByText('Online'));
  });

  test('the parent sees where the watch walks, and its steps', async () => {
    const card = parent.getByRole('article', { name: 'Mia' });
    await watch.getByRole('button', { name: 'Walk' }).click();
    await shown(watch.getByText('Location sent'));
    await watch.getByRole('button', { name: 'Stop walking' }).click();
    await shown(card.getByText(/GPS, ±10 m/));
    const steps =
      /\d+ steps/.exec(
        await watch
          .getByRole('status')
          .getByText(/ steps/)
          .innerText(),
      )?.[0] ?? 'no steps';
    await shown(card.getByText(`${steps} today`));
    await checkAccessibility(parent);
  });

  test('parent and watch chat', async () => {
    await parent.getByRole('link', { name: 'Chat', exact: true }).click();
    await heading(parent, 'Chat');
    // The conversation of the family is named "Family: Mia".
    await parent.getByRole('link', { name: /^Mia/ }).click();
    await parent.getByRole('textbox', { name: 'Message' }).fill('How was school?');
    await parent.getByRole('button', { name: 'Send', exact: true }).click();
    await shown(watch.getByRole('log').getByText('How was school?'));
    await shown(watch.getByRole('log').getByText(/^Anna · \d+:\d\d/));
    await watch.getByRole('textbox', { name: 'Message' }).fill('Good!');
    await watch.getByRole('button', { name: 'Send', exact: true }).click();
    await shown(parent.getByRole('region', { name: 'Messages' }).getByText('Good!'));
    await checkAccessibility(parent);
    await checkAccessibility(watch);
  });

  test('a reload keeps the page and the session, in each tab', async () => {
    await parent.reload();
    await shown(parent.getByRole('region', { name: 'Messages' }).getByText('Good!'));
    const otherTab = await browser.newPage(parentBrowser);
    await otherTab.goto(`${service.url}/family`);
    await otherTab.getByRole('button', { name: 'Your account and settings' }).click();
    await shown(otherTab.getByText(phoneNumber));
    await checkAccessibility(otherTab);
    await otherTab.close();
    await watch.reload();
    await shown(watch.getByText('I am Mia'));
  });

  test('parent and watch see and hear each other in a video call, and the log lists it', async () => {
    await parent.getByRole('button', { name: 'Video call with Mia' }).click();
    await watch.getByRole('button', { name: 'Accept' }).click();
    await shown(watch.getByLabel('Video of Anna'));
    const child = new CallVideo(parent, 'Video of Mia');
    const caller = new CallVideo(watch, 'Video of Anna');
    for (const video of [child, caller]) {
      await video.expectPictures();
      await video.expectSound();
    }
    await checkAccessibility(parent);
    await checkAccessibility(watch);
    await shown(parent.getByRole('timer', { name: 'Duration of the call' }).getByText(/^\d+:\d\d$/));
    // Chromium's second camera measures depth, which WebRTC does not transport.
    for (let camera = 2; camera <= 3; camera += 1)
      await parent.getByRole('button', { name: 'Switch the camera' }).click();
    await caller.expectPictures();
    await parent.getByRole('button', { name: 'Mute the microphone' }).click();
    await caller.expectSilence();
    await child.expectSound();
    await parent.getByRole('button', { name: 'Turn the microphone on' }).click();
    await caller.expectSound();
    await parent.getByRole('button', { name: 'Hang up' }).click();
    await shown(watch.getByText('The call has ended.'));
    await parent.getByRole('link', { name: 'All conversations' }).click();
    await parent.getByRole('link', { name: 'Calls' }).click();
    await shown(parent.getByText(/^Outgoing · \d+:\d\d/));
    await checkAccessibility(parent);
  });

  test('the watch calls the parent, who answers, and who misses the next call', async () => {
    // The end of the call before closes by itself.
    await watch.getByText('The call has ended.').waitFor({ state: 'detached' });
    await watch.getByRole('button', { name: 'Call Anna' }).click();
    await shown(parent.getByRole('alert').getByText('Mia is calling'));
    await checkAccessibility(parent);
    await parent.getByRole('button', { name: 'Accept' }).click();
    await shown(parent.getByLabel('Video of Mia'));
    await new CallVideo(parent, 'Video of Mia').expectPictures();
    await new CallVideo(watch, 'Video of Anna').expectPictures();
    await watch.getByRole('button', { name: 'Hang up' }).click();
    await shown(parent.getByText('The call has ended.'));
    await parent.getByRole('button', { name: 'Close' }).click();

    await watch.getByRole('button', { name: 'Call Anna' }).click();
    await shown(parent.getByRole('alert').getByText('Mia is calling'));
    await watch.getByRole('button', { name: 'Hang up' }).click();
    await shown(parent.getByText('The call was cancelled.'));
    await parent.getByRole('button', { name: 'Close' }).click();
    await parent.getByRole('link', { name: 'Back' }).click();
    await parent.getByRole('link', { name: 'Calls' }).click();
    await shown(parent.getByText(/^Incoming · \d+:\d\d/));
    await shown(parent.getByText(/^Incoming · Missed/));
  });

  test('an SOS of the watch takes over the page of the parent until it is acknowledged', async () => {
    await watch.getByRole('button', { name: 'SOS' }).click();
    await shown(watch.getByText('Help is on the way'));
    await shown(parent.getByRole('alert').getByText('Mia'));
    await checkAccessibility(parent);
    await parent.getByRole('button', { name: 'I take care of it' }).click();
    await parent.getByRole('button', { name: 'I take care of it' }).waitFor({ state: 'detached' });
    await shown(watch.getByText('Help is on the way'));
    await parent.getByRole('button', { name: 'Mia is safe' }).click();
    await parent.getByRole('button', { name: 'Yes, end the SOS' }).click();
    await watch.getByText('Help is on the way').waitFor({ state: 'detached' });
  });

  test('after the parent has signed out, no tab shows anything of the family', async () => {
    const otherTab = await browser.newPage(parentBrowser);
    await otherTab.goto(`${service.url}/children`);
    await shown(otherTab.getByRole('article', { name: 'Mia' }));
    await parent.goto(`${service.url}/family`);
    await chooseInMenu(parent, 'Sign out');
    for (const page of [parent, otherTab]) await heading(page, 'Family Watch');
    await shown(otherTab.getByText('You have been signed out.'));
    await parent.goto(`${service.url}/children`);
    await heading(parent, 'Family Watch');
    expect(await parentBrowser.cookies(`${service.url}/apis/v2/userctx/user/account/token/refresh`)).toEqual([]);
  });

  test('axe has found no serious or critical problem on any page', () => {
    expect(browser.barriers).toEqual([]);
  });

  test('no page has caused an error or violated the Content-Security-Policy', () => {
    expect(browser.problems).toEqual([]);
  });
});
