import { availableParallelism, loadavg } from 'node:os';
import { startRun, stopRun } from '@family-watch/testing/run';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import type { Page } from 'playwright-core';
import { signInBrowser } from '../support/accounts.js';
import {
  CHILDREN,
  countElements,
  createLargeFamily,
  MESSAGES,
  PICTURES,
  type LargeFamily,
} from '../support/large-family.js';
import { shown, TestBrowser } from '../support/test-browser.js';
import { CPU_SLOWDOWN, createSmallFamily, measureFirstVisits, REPETITIONS, slowDown } from './first-visit.js';
import { measureWithLighthouse } from './lighthouse.js';
import { isMissed, ofMedian, percentile, type Measurement } from './measurement.js';

const MAX_USABLE_MS = 2_000;
const MAX_BLOCKED_MS_PER_SECOND = 50;
const MAX_FRAME_MS = 50;
const SCROLL_SECONDS = 5;
/** About the speed of a finger that scrolls fast: three windows of a phone per second. */
const WHEEL_PIXELS = 120;
const WHEEL_INTERVAL_MS = 50;

/**
 * Measures the built console in Chromium: how soon a page is usable on a slow processor, and how long the page does not
 * react while a person scrolls in the data of a large family. `--lighthouse` adds the scores of Lighthouse, which npm
 * downloads. Fails if a measurement misses its budget.
 */
async function main(): Promise<void> {
  await startRun();
  try {
    const service = await sharedService('standalone');
    const family = await createLargeFamily(service);
    const browser = await TestBrowser.launch();
    try {
      const parent = await createSmallFamily(service);
      const measurements = [
        ...(process.argv.includes('--lighthouse') ? await measureWithLighthouse(service, parent) : []),
        ...(await measureFirstVisits(browser, service, parent)),
        await measureSignIn(browser, service),
        await measureChildren(browser, service, family),
        ...(await measureScrolling(browser, service, family)),
      ];
      report(measurements);
      if (measurements.some(isMissed)) process.exitCode = 1;
    } finally {
      await browser.close();
    }
  } finally {
    await stopRun();
  }
}

/** From the navigation without a cache until the sign-in accepts input. */
async function measureSignIn(browser: TestBrowser, { url }: SharedService): Promise<Measurement> {
  const times: number[] = [];
  for (let index = 0; index < REPETITIONS; index += 1) {
    const context = await browser.newContext();
    const page = await browser.newPage(context);
    await slowDown(context, page);
    const start = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByLabel('Phone number').fill('1');
    times.push(performance.now() - start);
    await context.close();
  }
  return usable('sign-in, first visit', times);
}

/** From the reload until the first page shows the children. */
async function measureChildren(
  browser: TestBrowser,
  service: SharedService,
  family: LargeFamily,
): Promise<Measurement> {
  const context = await browser.newContext();
  await signInBrowser(context, service, family.parent);
  const page = await browser.newPage(context);
  await page.goto(`${service.url}/children`);
  await shown(page.getByRole('article'));
  await slowDown(context, page);
  const times: number[] = [];
  for (let index = 0; index < REPETITIONS; index += 1) {
    const start = performance.now();
    await page.reload({ waitUntil: 'commit' });
    await page.getByRole('article').last().click({ trial: true });
    times.push(performance.now() - start);
  }
  await context.close();
  return usable(`${CHILDREN} children, reload`, times);
}

function usable(page: string, times: readonly number[]): Measurement {
  const what = `usable: ${page}, processor ${CPU_SLOWDOWN} times slower`;
  return ofMedian(times, { what, budget: MAX_USABLE_MS, unit: 'ms' });
}

async function measureScrolling(
  browser: TestBrowser,
  service: SharedService,
  { parent, conversationId }: LargeFamily,
): Promise<Measurement[]> {
  const context = await browser.newContext();
  await signInBrowser(context, service, parent);
  const page = await browser.newPage(context);
  await page.addInitScript(`
    window.blocked = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.blocked += duration - 50;
    }).observe({ type: 'longtask' });
    window.frames = [];
    let last = performance.now();
    const onFrame = (time) => {
      window.frames.push(time - last);
      last = time;
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
  `);
  const open = async (path: string, text: string) => {
    await page.goto(service.url + path, { waitUntil: 'networkidle' });
    await shown(page.getByText(text).or(page.getByRole('button', { name: text })));
  };
  await open('/children', `Child ${CHILDREN}`);
  const children = await scroll(page, `${CHILDREN} children`, WHEEL_PIXELS);
  await open(`/chat/${conversationId}`, `Message ${MESSAGES}`);
  const chat = await scroll(page, `chat of ${MESSAGES} messages`, -WHEEL_PIXELS);
  await open('/album', 'Picture lake.png');
  const album = await scroll(page, `album of ${PICTURES} pictures`, WHEEL_PIXELS);
  await context.close();
  return [...children, ...chat, ...album];
}

/** Turns the mouse wheel for some seconds. */
async function scroll(page: Page, what: string, pixels: number): Promise<Measurement[]> {
  await page.mouse.move(200, 600);
  await page.evaluate('window.blocked = 0; window.frames = []; undefined');
  const start = performance.now();
  const end = start + SCROLL_SECONDS * 1_000;
  let turns = 0;
  while (performance.now() < end) {
    await page.mouse.wheel(0, pixels);
    turns += 1;
    const next = start + turns * WHEEL_INTERVAL_MS;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  const seconds = (performance.now() - start) / 1_000;
  const blocked = await page.evaluate<number>('window.blocked');
  const frames = await page.evaluate<number[]>('window.frames');
  const details = `${Math.abs(turns * pixels)} pixels, ${await countElements(page)} elements at the end`;
  return [
    {
      what: `blocked while scrolling: ${what}`,
      value: blocked / seconds,
      budget: MAX_BLOCKED_MS_PER_SECOND,
      unit: 'ms/s',
      details,
    },
    {
      what: `95 of 100 frames while scrolling: ${what}`,
      value: percentile(frames, 0.95),
      budget: MAX_FRAME_MS,
      unit: 'ms',
      details: `${frames.length} frames`,
    },
  ];
}

function report(measurements: readonly Measurement[]): void {
  const rows = measurements.map((measurement) => {
    const { what, value, budget, unit, details = '' } = measurement;
    const verdict = isMissed(measurement) ? 'MISSED' : 'ok';
    return [verdict, `${value.toFixed(0)} ${unit}`, `of ${budget} ${unit}`, what, details].join('\t');
  });
  process.stdout.write(`${rows.join('\n')}\n`);
  const [load = 0] = loadavg();
  if (load > availableParallelism())
    process.stdout.write(`The load average is ${load.toFixed(1)}: other programs falsify the times.\n`);
}

await main();
