import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { needs } from '@family-watch/testing/requirements/needs';
import { StandaloneService } from '@family-watch/testing/service/standalone-service';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { addChild, bindNewWatch, signInBrowser, signUp, type Person, type Watch } from '../support/accounts.js';
import { demoMap } from '../support/demo-map.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

const PUBLIC_ORIGIN = 'https://tiles.openfreemap.org';
const EMPTY_STYLE = { version: 8, sources: {}, layers: [] };
/** In the quarter of the demo. */
const SCHOOL = { latitude: '30.2811', longitude: '120.1368' };

/** The maps of a parent, and what the browser requests for them. The tests follow one another. */
needs('chromium').describe('the maps of the console', () => {
  let database: TestDatabase;
  let service: StandaloneService;
  let browser: TestBrowser;
  let context: BrowserContext;
  let page: Page;
  let parent: Person;
  let watch: Watch;
  let cid: string;
  const requests: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await StandaloneService.start(database);
    parent = await signUp(service, 'Anna');
    cid = await addChild(parent, 'Mia');
    watch = await bindNewWatch(service, parent, cid);
    await watch.client.watch.reportLocation({
      points: [{ ...SCHOOL, positionTime: Date.now(), radius: 10, pointType: 1 }],
    });
    browser = await TestBrowser.launch();
    context = await browser.newContext();
    await context.route(`${PUBLIC_ORIGIN}/**`, (route) => route.fulfill({ json: EMPTY_STYLE }));
    await signInBrowser(context, service, parent);
    page = await browser.newPage(context);
    page.on('request', (request) => requests.push(request.url()));
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await database?.drop();
  });

  const map = () => page.getByRole('region', { name: 'Map of the children' });
  const question = () => page.getByText(/^Show streets from OpenFreeMap\?/);
  const publicTiles = () => page.getByRole('button', { name: 'Streets from OpenFreeMap' });
  const requested = (part: string) => requests.filter((url) => url.includes(part));

  /** Returns the number of colours of the map that are more than noise. */
  async function coloursOfMap(): Promise<number> {
    const { data } = await sharp(await map().screenshot())
      .raw()
      .toBuffer({ resolveWithObject: true });
    const counts = new Map<number, number>();
    for (let index = 0; index + 2 < data.length; index += 3) {
      const colour = data.readUIntBE(index, 3);
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    return [...counts.values()].filter((count) => count > 100).length;
  }

  test('without settings, the page asks once whether it may request streets from elsewhere', async () => {
    await page.goto(`${service.url}/children`);
    await shown(map());
    await shown(question());
    await browser.checkAccessibility(page);
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await question().waitFor({ state: 'detached' });
    await page.reload();
    await shown(publicTiles());
    expect([await question().count(), await publicTiles().getAttribute('aria-pressed')]).toEqual([0, 'false']);
    expect(requested(PUBLIC_ORIGIN)).toEqual([]);
  });

  test('after a Yes, the page requests the streets, also after a reload, until they are switched off', async () => {
    await publicTiles().click();
    await waitUntil('the request of the style', () => requested(`${PUBLIC_ORIGIN}/styles/`).length > 0);
    requests.length = 0;
    await page.reload();
    await waitUntil('the request after the reload', () => requested(`${PUBLIC_ORIGIN}/styles/`).length > 0);
    await publicTiles().click();
    requests.length = 0;
    await page.reload();
    await shown(publicTiles());
    await shown(map());
    expect(requested(PUBLIC_ORIGIN)).toEqual([]);
  });

  test('a file of the operator shows its streets, and nothing is requested from elsewhere', async () => {
    const before = await coloursOfMap();
    writeFileSync(join(service.dataDir, 'map.pmtiles'), await demoMap());
    requests.length = 0;
    await page.reload();
    await shown(map());
    await waitUntil('the streets', async () => (await coloursOfMap()) > before + 3);
    expect(requested('/map.pmtiles').length).toBeGreaterThan(1);
    expect(requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('blob:'))).toEqual([]);
    expect([await question().count(), await publicTiles().count()]).toEqual([0, 0]);
  });

  test('the place of the child is said in words, and named on the map', async () => {
    const circle = { ...SCHOOL, radius: 150 };
    await parent.client.fences.create({ cid, name: 'School', circle });
    await watch.client.watch.reportLocation({
      points: [{ ...SCHOOL, positionTime: Date.now(), radius: 10, pointType: 1 }],
    });
    await page.reload();
    const card = page.getByRole('article', { name: 'Mia' });
    await shown(card.getByText(/^At School/));
    await watch.client.watch.reportLocation({
      points: [{ latitude: '30.2851', longitude: '120.1368', positionTime: Date.now(), radius: 10, pointType: 1 }],
    });
    await shown(card.getByText('440 m north of School'));
  });

  test('the wheel scrolls the page and not the map, which has a full screen', async () => {
    // So low that the page has to scroll.
    await page.setViewportSize({ width: 390, height: 500 });
    await map().hover({ position: { x: 40, y: 90 } });
    await page.mouse.wheel(0, 300);
    await waitUntil('the page to scroll', () => page.evaluate<boolean>('window.scrollY > 0'));
    await page.getByRole('button', { name: 'Full screen' }).click();
    await waitUntil('the full screen', async () => (await map().boundingBox())?.height === 500);
    await browser.checkAccessibility(page);
    await page.keyboard.press('Escape');
    await waitUntil('the end of the full screen', async () => ((await map().boundingBox())?.height ?? 500) < 500);
    await heading(page, 'Children');
  });

  test('no page has caused an error or has a barrier', () => {
    expect([browser.problems, browser.barriers]).toEqual([[], []]);
  });
});
