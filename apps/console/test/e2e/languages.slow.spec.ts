import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { needs } from '@family-watch/testing/requirements/needs';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { addChild, signInBrowser, signUp, type Person } from '../support/accounts.js';
import { expectFocus, Keyboard } from '../support/keyboard.js';
import { chooseInMenu, heading, shown, TestBrowser } from '../support/test-browser.js';

/** A parent reads the pages in the language of the browser, and chooses another one. The tests follow one another. */
needs('chromium').describe('the languages and titles of the console', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let context: BrowserContext;
  let parent: Person;
  let page: Page;

  beforeAll(async () => {
    service = await sharedService('standalone');
    parent = await signUp(service, 'Anna');
    await addChild(parent, 'Mia');
    browser = await TestBrowser.launch();
    context = await browser.newContext({ locale: 'de-AT' });
    page = await browser.newPage(context);
  });

  afterAll(() => browser?.close());

  const documentElement = () =>
    page.evaluate<string[]>('[document.documentElement.lang, document.documentElement.dir]');
  const waitForTitle = (pattern: RegExp) => waitFor(async () => expect(await page.title()).toMatch(pattern));

  test('a browser in the German of Austria gets German, and only its texts', async () => {
    const files: string[] = [];
    page.on('request', (request) => files.push(new URL(request.url()).pathname));
    await page.goto(`${service.url}/sign-in`);
    await shown(page.getByRole('button', { name: 'Anmelden' }));
    expect(await documentElement()).toEqual(['de', 'ltr']);
    expect(files.filter((file) => /\/(?:de|es|ar|zh-CN)-/.test(file))).toHaveLength(1);
    await browser.checkAccessibility(page);
  });

  test('the heading of a page is the title of the tab, and has the focus after a navigation', async () => {
    await signInBrowser(context, service, parent);
    await page.goto(`${service.url}/children`);
    await shown(page.getByRole('heading', { level: 1, name: 'Kinder' }));
    await waitForTitle(/Kinder · Family Watch$/);
    await page.getByRole('link', { name: 'Familie', exact: true }).click();
    await heading(page, 'Familie');
    await waitForTitle(/Familie · Family Watch$/);
    await expectFocus(page.getByRole('heading', { level: 1 }));
  });

  test('the title counts the unread messages', async () => {
    const { unread } = await parent.client.messageCenter.list({ limit: 1 });
    await parent.client.locations.createShare({ cid: (await parent.client.children.list()).childList[0]?.cid ?? '' });
    await waitForTitle(new RegExp(`^\\(${unread + 1}\\) Familie · Family Watch$`));
  });

  test('the first control leads to the content', async () => {
    await page.reload();
    await heading(page, 'Familie');
    const keyboard = new Keyboard(page);
    expect(await keyboard.tab()).toBe('Zum Inhalt');
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('heading', { level: 1 }));
  });

  test('Arabic is written from right to left, also after a reload', async () => {
    await page.getByRole('button', { name: 'Ihr Konto und Einstellungen' }).click();
    await page.getByRole('menuitemradio', { name: 'العربية' }).click();
    await heading(page, 'العائلة');
    expect(await documentElement()).toEqual(['ar', 'rtl']);
    await page.goto(`${service.url}/children`);
    await heading(page, 'الأطفال');
    expect(await documentElement()).toEqual(['ar', 'rtl']);
    const [first, last] = await Promise.all(
      ['/children', '/family'].map((path) => page.locator(`nav a[href="${path}"]`).boundingBox()),
    );
    expect(first?.x).toBeGreaterThan(last?.x ?? Number.NaN);
    await browser.checkAccessibility(page);
  });

  test('a person who returns to English gets it at once', async () => {
    await page.getByRole('button', { name: 'حسابك والإعدادات' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await heading(page, 'Children');
    expect(await documentElement()).toEqual(['en', 'ltr']);
    await browser.checkAccessibility(page);
    await chooseInMenu(page, 'Privacy and your data');
    await heading(page, 'Privacy and your data');
  });

  test('no page has caused an error, and axe has found nothing', () => {
    expect(browser.problems).toEqual([]);
    expect(browser.barriers).toEqual([]);
  });
});
