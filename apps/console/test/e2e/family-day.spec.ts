import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { sharedService } from '@family-watch/testing/service/shared-services';
import type { SharedService } from '@family-watch/testing/service/shared-services';
import { LIMIT_MS } from '@family-watch/testing/waiting/wait-for';

const CHROMIUM_PATH = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const PHONE_DISPLAY = { width: 390, height: 844 };
/** Scripts of the first page, as sent. A page that loads in two seconds with a slow mobile connection. */
const MAX_SCRIPT_BYTES = 250 * 1024;

const describeWithChromium = CHROMIUM_PATH === undefined ? describe.skip : describe;
if (CHROMIUM_PATH === undefined) process.stdout.write('The console: skipped, no Chromium is installed\n');

/** A parent and a watch in two browsers use the built service only through the pages. The tests follow one another. */
describeWithChromium('the console', () => {
  let service: SharedService;
  let browser: Browser;
  let parentBrowser: BrowserContext;
  let parent: Page;
  let watch: Page;
  /** Errors of the pages and violations of the Content-Security-Policy. */
  const problems: string[] = [];
  /** Serious and critical problems that axe has found, with path, rule and elements. */
  const barriers: string[][] = [];
  const phoneNumber = `1${randomInt(30, 100)}${String(randomInt(10 ** 8)).padStart(8, '0')}`;

  beforeAll(async () => {
    service = await sharedService('standalone');
    browser = await chromium.launch({ executablePath: CHROMIUM_PATH ?? '', args: ['--no-sandbox', '--disable-gpu'] });
    parentBrowser = await openBrowser();
    parent = await openPage(parentBrowser);
    watch = await openPage(await openBrowser());
  });

  afterAll(() => browser?.close());

  async function openBrowser(): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: PHONE_DISPLAY, locale: 'en-GB', reducedMotion: 'reduce' });
    // The tests follow one another, so that one that fails makes others fail.
    context.setDefaultTimeout(LIMIT_MS / 4);
    return context;
  }

  async function openPage(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // The browser also prints requests that the service refuses, such as those after the session has ended.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        problems.push(message.text());
    });
    return page;
  }

  /** Waits until the page shows the element. */
  const shown = (element: Locator): Promise<void> => element.first().waitFor();

  const heading = (page: Page, name: string): Promise<void> => shown(page.getByRole('heading', { level: 1, name }));

  /** Adds what axe finds on the page to `barriers`. */
  async function checkAccessibility(page: Page): Promise<void> {
    // Evaluated by the debugger, which the Content-Security-Policy of the page does not limit.
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<AxeResults>('axe.run()');
    for (const { id, impact, nodes } of violations)
      if (impact === 'serious' || impact === 'critical')
        barriers.push([
          new URL(page.url()).pathname,
          id,
          ...nodes.flatMap(({ html, any }) => [html, ...any.map(({ message }) => message)]),
        ]);
  }

  function latestCode(): string {
    const lines = readFileSync(join(service.dataDir, 'sms-outbox.jsonl'), 'utf8').trimEnd().split('\n');
    const line = lines.findLast((each) => each.includes(phoneNumber)) ?? '{}';
    return (JSON.parse(line) as { code?: string }).code ?? '';
  }

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
    await parent.getByRole('button', { name: 'I am new here' }).click();
    await parent.getByLabel('Phone number').fill(phoneNumber);
    await parent.getByRole('button', { name: 'Send a code' }).click();
    await shown(parent.getByText('A code was sent to your phone.'));
    await parent.getByLabel('SMS code').fill(latestCode());
    await parent.getByLabel(/^Password/).fill('zebra-piano-41-rain');
    await parent.getByLabel(/^Your name/).fill('Anna');
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
    await parent.getByRole('textbox', { name: 'Name', exact: true }).fill('Mia');
    await parent.getByLabel('Watch phone number').fill('13812345678');
    await parent.getByRole('button', { name: 'Add the child' }).click();
    await heading(parent, 'Bind a watch to Mia');
    await checkAccessibility(parent);

    await watch.goto(`${service.url}/watch`);
    const bindCode = await watch.getByTestId('bind-code').innerText();
    const confirmCode = await watch.getByTestId('confirm-code').innerText();
    await checkAccessibility(watch);
    await parent.getByLabel('Bind code').fill(bindCode);
    await parent.getByLabel('Six digits').fill(confirmCode);
    await parent.getByRole('button', { name: 'Bind the watch' }).click();
    await shown(watch.getByText('I am Mia'));
    await heading(parent, 'Mia has a watch');
    await checkAccessibility(parent);
    await parent.getByRole('link', { name: 'To all children' }).click();
    await shown(parent.getByRole('article', { name: 'Mia' }).getByText('Online'));
  });

  test('the parent sees where the watch walks, and its steps', async () => {
    const card = parent.getByRole('article', { name: 'Mia' });
    await watch.getByRole('button', { name: 'Walk' }).click();
    await shown(watch.getByText('Location sent'));
    await shown(card.getByText(/GPS, ±10 m/));
    await shown(card.getByText('100 steps today'));
    await checkAccessibility(parent);
  });

  test('parent and watch chat', async () => {
    await parent.getByRole('link', { name: 'Chat' }).click();
    // The conversation of the family is named "Family: Mia".
    await parent.getByRole('link', { name: /^Mia/ }).click();
    await parent.getByRole('textbox', { name: 'Message' }).fill('How was school?');
    await parent.getByRole('button', { name: 'Send', exact: true }).click();
    await shown(watch.getByRole('log').getByText('How was school?'));
    await watch.getByRole('textbox', { name: 'Message' }).fill('Good!');
    await watch.getByRole('button', { name: 'Send', exact: true }).click();
    await shown(parent.getByRole('region', { name: 'Messages' }).getByText('Good!'));
    await checkAccessibility(parent);
    await checkAccessibility(watch);
  });

  test('a reload keeps the page and the session, in each tab', async () => {
    await parent.reload();
    await shown(parent.getByRole('region', { name: 'Messages' }).getByText('Good!'));
    const otherTab = await openPage(parentBrowser);
    await otherTab.goto(`${service.url}/family`);
    await shown(otherTab.getByText(phoneNumber));
    await checkAccessibility(otherTab);
    await otherTab.close();
    await watch.reload();
    await shown(watch.getByText('I am Mia'));
  });

  test('an SOS of the watch takes over the page of the parent until it is acknowledged', async () => {
    await watch.getByRole('button', { name: 'SOS' }).click();
    await shown(watch.getByText('Help is on the way'));
    await shown(parent.getByRole('alert').getByText('Mia'));
    await checkAccessibility(parent);
    await parent.getByRole('button', { name: 'I take care of it' }).click();
    await parent.getByRole('button', { name: 'I take care of it' }).waitFor({ state: 'detached' });
  });

  test('after the parent has signed out, no tab shows anything of the family', async () => {
    const otherTab = await openPage(parentBrowser);
    await otherTab.goto(`${service.url}/children`);
    await shown(otherTab.getByRole('article', { name: 'Mia' }));
    await parent.goto(`${service.url}/family`);
    await parent.getByRole('button', { name: 'Sign out' }).click();
    for (const page of [parent, otherTab]) await heading(page, 'Family Watch');
    await shown(otherTab.getByText('You have been signed out.'));
    await parent.goto(`${service.url}/children`);
    await heading(parent, 'Family Watch');
    expect(await parentBrowser.cookies(`${service.url}/apis/v2/userctx/user/account/token/refresh`)).toEqual([]);
  });

  test('axe has found no serious or critical problem on any page', () => {
    expect(barriers).toEqual([]);
  });

  test('no page has caused an error or violated the Content-Security-Policy', () => {
    expect(problems).toEqual([]);
  });
});
