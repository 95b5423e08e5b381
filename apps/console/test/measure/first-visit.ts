import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { SharedService } from '@family-watch/testing/service/shared-services';
import { addChild, bindNewWatch, signInBrowser, signUp, type Person } from '../support/accounts.js';
import { shown, type TestBrowser } from '../support/test-browser.js';
import { ofMedian, type Measurement } from './measurement.js';

export const REPETITIONS = 5;
export const CPU_SLOWDOWN = 4;
/** Slow 4G as Lighthouse defines it. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 768_000 / 8 };
const MAX_REQUESTS = 25;
const KILOBYTE = 1_024;
/** Then, the first page is complete. When it is idle later, it loads the other pages, and the worker stores all files. */
const SETTLED_MS = 100;

/** Creates a family with two children whose locations are known. */
export async function createSmallFamily(service: SharedService): Promise<Person> {
  const parent = await signUp(service, 'Ben');
  for (const [name, latitude] of [
    ['Mia', '31.2304'],
    ['Leo', '31.2344'],
  ] as const) {
    const { client } = await bindNewWatch(service, parent, await addChild(parent, name));
    const point = { latitude, longitude: '121.4737', radius: 20, pointType: 1 as const, positionTime: Date.now() };
    await client.watch.reportLocation({ points: [point] });
  }
  return parent;
}

interface FirstVisit {
  name: string;
  path: string;
  maxKilobytes: number;
  /** When a person can use the page on a slow phone and network. */
  maxUsableMs: number;
  usable: (page: Page) => Promise<void>;
  parent?: Person;
}

/** Measures what a browser without a cache loads, and when the page can be used on slow 4G and a slow processor. */
export async function measureFirstVisits(
  browser: TestBrowser,
  service: SharedService,
  parent: Person,
): Promise<Measurement[]> {
  const signIn: FirstVisit = {
    name: 'sign-in',
    path: '/sign-in',
    maxKilobytes: 300,
    maxUsableMs: 1_800,
    usable: (page) => page.getByLabel('Phone number').fill('1'),
  };
  const children: FirstVisit = {
    name: 'two children with the map',
    path: '/children',
    maxKilobytes: 600,
    maxUsableMs: 2_500,
    usable: (page) => page.getByRole('article').last().click({ trial: true }),
    parent,
  };
  const measurements: Measurement[] = [];
  for (const visit of [signIn, children])
    measurements.push(...(await measureTransfer(browser, service, visit)), await measureTime(browser, service, visit));
  return measurements;
}

async function openContext(
  browser: TestBrowser,
  service: SharedService,
  { parent }: FirstVisit,
): Promise<BrowserContext> {
  const context = await browser.newContext();
  if (parent) await signInBrowser(context, service, parent);
  return context;
}

async function measureTransfer(
  browser: TestBrowser,
  service: SharedService,
  visit: FirstVisit,
): Promise<Measurement[]> {
  const context = await openContext(browser, service, visit);
  const page = await browser.newPage(context);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const sizes = new Map<string, number>();
  session.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => {
    if (url.startsWith('http')) sizes.set(requestId, 0);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (sizes.has(requestId)) sizes.set(requestId, encodedDataLength);
  });
  await page.goto(service.url + visit.path);
  await visit.usable(page);
  if (visit.parent) await shown(page.locator('canvas'));
  await page.waitForTimeout(SETTLED_MS);
  await context.close();
  const kilobytes = [...sizes.values()].reduce((sum, size) => sum + size, 0) / KILOBYTE;
  const what = `first visit: ${visit.name}`;
  return [
    { what, value: kilobytes, budget: visit.maxKilobytes, unit: 'KB' },
    { what, value: sizes.size, budget: MAX_REQUESTS, unit: 'requests' },
  ];
}

/** Lets the processor of a page be as slow as that of a cheap phone. */
export async function slowDown(context: BrowserContext, page: Page): Promise<CDPSession> {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return session;
}

async function measureTime(browser: TestBrowser, service: SharedService, visit: FirstVisit): Promise<Measurement> {
  const times: number[] = [];
  for (let index = 0; index < REPETITIONS; index += 1) {
    const context = await openContext(browser, service, visit);
    const page = await browser.newPage(context);
    const session = await slowDown(context, page);
    await session.send('Network.emulateNetworkConditions', SLOW_4G);
    const start = performance.now();
    await page.goto(service.url + visit.path, { waitUntil: 'commit' });
    await visit.usable(page);
    times.push(performance.now() - start);
    await context.close();
  }
  const what = `usable: ${visit.name}, first visit, slow 4G, processor ${CPU_SLOWDOWN} times slower`;
  return ofMedian(times, { what, budget: visit.maxUsableMs, unit: 'ms' });
}
