import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { needs } from '@family-watch/testing/requirements/needs';
import { addChild, bindNewWatch, signInBrowser, signUp, type Person } from '../support/accounts.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

/** What people reach by a link: a page that does not exist, a location in a map service, a shared location. */
needs('chromium').describe('links of the console', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let parent: Person;
  let page: Page;
  let cid: string;

  beforeAll(async () => {
    service = await sharedService('standalone');
    parent = await signUp(service, 'Anna');
    cid = await addChild(parent, 'Mia');
    const { client } = await bindNewWatch(service, parent, cid);
    const positionTime = Date.now() - 120_000;
    const point = { latitude: '31.2304', longitude: '121.4737', radius: 40, pointType: 1 as const, positionTime };
    await client.watch.reportLocation({ points: [point] });
    browser = await TestBrowser.launch();
    const context = await browser.newContext();
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
    await signInBrowser(context, service, parent);
    page = await browser.newPage(context);
  });

  afterAll(() => browser?.close());

  test('a page that does not exist is one of the console, which leads back, and has the status 404', async () => {
    const response = await page.goto(`${service.url}/nope`);
    expect(response?.status()).toBe(404);
    await heading(page, 'There is no such page');
    await browser.checkAccessibility(page);
    await page.getByRole('link', { name: 'To the children' }).click();
    await heading(page, 'Children');
    const error = await fetch(`${service.url}/nope`);
    expect([error.status, await error.json()]).toEqual([404, expect.objectContaining({ reason: 'ROUTE_NOT_FOUND' })]);
  });

  test('a location opens in the map that the person chooses, and its coordinates can be copied', async () => {
    await page.goto(`${service.url}/children/${cid}`);
    await page.getByRole('button', { name: 'Open in a map' }).click();
    const items = page.getByRole('menuitem');
    await shown(items);
    const links = await Promise.all((await items.all()).map((item) => item.getAttribute('href')));
    expect(links.map((link) => link && new URL(link).host)).toEqual([
      'maps.apple.com',
      'www.google.com',
      'uri.amap.com',
      'www.openstreetmap.org',
      null,
    ]);
    await browser.checkAccessibility(page);
    await page.getByRole('menuitem', { name: 'Copy the coordinates' }).click();
    await shown(page.getByRole('menuitem', { name: 'Copied' }));
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('31.2304, 121.4737');
    expect(await page.locator('a[href^="geo:"]').count()).toBe(0);
  });

  test('a shared location is drawn, with local times, battery and who shares, without scripts of the page', async () => {
    const { url } = await parent.client.locations.createShare({ cid, title: 'On the way' });
    const visitor = await browser.newPage(await browser.newContext({ javaScriptEnabled: false }));
    const requests: string[] = [];
    visitor.on('request', (request) => requests.push(request.url()));
    await visitor.goto(`${service.url}${new URL(url).pathname}`);
    await heading(visitor, 'On the way');
    const drawing = visitor.getByRole('img', { name: /within 40 m/ });
    const { width = 0, height = 0 } = (await drawing.boundingBox()) ?? {};
    expect([width > 250, height > 180]).toEqual([true, true]);
    await shown(visitor.getByText(/^\d+ minutes ago, at \d{4}-\d\d-\d\d \d\d:\d\d \w+/));
    await shown(visitor.getByText('Anna', { exact: true }));
    for (const name of ['Apple Maps', 'Google Maps', 'Amap', 'OpenStreetMap'])
      expect(await visitor.getByRole('link', { name }).getAttribute('href')).toMatch(/^https:/);
    expect(requests).toHaveLength(1);
    expect(await visitor.locator('script').count()).toBe(0);
  });

  test('no page has caused an error or has a serious barrier', () => {
    expect(browser.problems).toEqual([]);
    expect(browser.barriers).toEqual([]);
  });
});
