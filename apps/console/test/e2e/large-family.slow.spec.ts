import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { signInBrowser } from '../support/accounts.js';
import { needs } from '@family-watch/testing/requirements/needs';
import {
  CHILDREN,
  countElements,
  createLargeFamily,
  MESSAGES,
  PICTURES,
  type LargeFamily,
} from '../support/large-family.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

/** Elements of a page with a long list, of which it contains only the visible part. */
const MAX_ELEMENTS = 1_500;
/** Requests to the service with which a page must be complete, without scripts and pictures. */
const MAX_REQUESTS = 25;
/** Requests that a page may repeat because the family changes while the page is loading. */
const MAX_REPEATED_REQUESTS = 10;
const WHEEL_PIXELS = 2_000;

/**
 * A family with as many children, messages and pictures as a page must bear. The suite counts elements and requests,
 * which do not depend on the machine; `npm run bench -- measure-console` measures the times.
 */
needs('chromium').describe('the console of a large family', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let page: Page;
  let family: LargeFamily;
  let requests: Request[] = [];

  beforeAll(async () => {
    service = await sharedService('standalone');
    family = await createLargeFamily(service);
    browser = await TestBrowser.launch();
    const context = await browser.newContext();
    await signInBrowser(context, service, family.parent);
    page = await browser.newPage(context);
    page.on('request', (request) => requests.push(request));
  });

  afterAll(() => browser?.close());

  async function open(path: string): Promise<void> {
    requests = [];
    await page.goto(service.url + path);
  }

  const fetched = () => requests.filter((request) => request.resourceType() === 'fetch');

  const hasEnded = (request: Request) => request.timing().responseEnd >= 0 || request.failure() !== null;

  /** Turns the mouse wheel until the condition is true, and returns the highest number of elements on the way. */
  async function scrollUntil(condition: () => boolean | Promise<boolean>, pixels: number): Promise<number> {
    let most = 0;
    await page.mouse.move(200, 400);
    await waitUntil('the end of scrolling', async () => {
      await page.mouse.wheel(0, pixels);
      most = Math.max(most, await countElements(page));
      return condition();
    });
    return most;
  }

  test('the first page shows all children on the map and in the list with few requests', async () => {
    await open('/children');
    await shown(page.getByRole('article', { name: `Child ${CHILDREN}`, exact: true }));
    expect(await page.getByRole('article').count()).toBe(CHILDREN);
    const markers = page.getByRole('group', { name: /^Child / });
    await waitUntil('the markers', async () => (await markers.count()) === CHILDREN);
    const distinct = new Set(fetched().map((request) => `${request.url()} ${request.postData() ?? ''}`));
    expect(distinct.size).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(fetched().length - distinct.size).toBeLessThanOrEqual(MAX_REPEATED_REQUESTS);
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
    await browser.checkAccessibility(page);
  });

  test(`a chat of ${MESSAGES} messages loads its pages while the parent scrolls`, async () => {
    await open(`/chat/${family.conversationId}`);
    await shown(page.getByText(`Message ${MESSAGES}`));
    const pages = () => fetched().filter((request) => request.url().includes('message/history/get')).length;
    expect(pages()).toBeLessThanOrEqual(2);
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
    expect(await scrollUntil(() => pages() > 10, -WHEEL_PIXELS)).toBeLessThan(MAX_ELEMENTS);
    const messages = page.getByRole('region', { name: 'Messages' });
    expect(await messages.getByText(`Message ${MESSAGES}`).count()).toBe(0);
    // The message at the bottom appears again without a request.
    await waitUntil('the pages of older messages', () => fetched().every(hasEnded));
    const loaded = pages();
    await scrollUntil(async () => (await messages.getByText(`Message ${MESSAGES}`).count()) > 0, 20 * WHEEL_PIXELS);
    // Older messages may still be requested until the direction changes.
    expect(pages() - loaded).toBeLessThan(5);
  });

  test(`an album of ${PICTURES} pictures contains only the visible ones`, async () => {
    await open('/album');
    await heading(page, 'Album');
    await shown(page.getByRole('button', { name: 'Picture lake.png' }));
    const pages = () => fetched().filter((request) => request.url().includes('queryContentList')).length;
    expect(pages()).toBe(1);
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
    expect(await scrollUntil(() => pages() > 5, WHEEL_PIXELS)).toBeLessThan(MAX_ELEMENTS);
    const thumbnails = requests.filter((request) => request.resourceType() === 'image');
    expect(thumbnails.length).toBeGreaterThan(0);
    expect(new Set(thumbnails.map((request) => request.url())).size).toBe(thumbnails.length);
    await browser.checkAccessibility(page);
  });

  test('axe has found no serious or critical problem, and no page has caused an error', () => {
    expect(browser.barriers).toEqual([]);
    expect(browser.problems).toEqual([]);
  });
});
