import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startRun, stopRun } from '@family-watch/testing/run';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { Page } from 'playwright-core';
import { signInBrowser, type Person } from '../support/accounts.js';
import { TestBrowser } from '../support/test-browser.js';
import { LANGUAGES } from '../support/texts.js';
import { createExampleFamily } from './example-family.js';
import { pagesOf, SOS_PAGE, type PageToShow } from './pages.js';
import { watchPages } from './watch-pages.js';

const DIRECTORY = resolve(import.meta.dirname, '../../screenshots');
const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = { 390: 844, 1280: 800 } as const;
/** The bar at the bottom of the window would cover the middle of a page that is longer than the window. */
const FOOTER_AT_END = 'body { position: relative } .mantine-AppShell-footer { position: absolute !important }';
const SETTLE_TIMEOUT_MS = 5_000;
/** Whether there is a title, nothing that loads, and no picture without its bytes. */
const IS_COMPLETE = `document.querySelector('h1:not(.start)') !== null && document.querySelector('.mantine-Loader-root') === null
  && [...document.images].every((image) => image.complete)`;

type Language = (typeof LANGUAGES)[number];

/**
 * Takes a picture of each page of the console in each language, colour scheme and width, and checks each with axe.
 * Fails if axe has found a serious or critical problem, or a page has caused an error.
 */
async function main(): Promise<void> {
  const { only, language: chosen } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [''] },
      language: { type: 'string', multiple: true, default: ['en', 'zh-CN', 'ar'] },
    },
  }).values;
  const languages = LANGUAGES.filter((language) => chosen.includes(language));
  if (languages.length !== chosen.length) throw new Error(`--language is one of ${LANGUAGES.join(', ')}`);
  await startRun();
  try {
    const service = await sharedService('standalone');
    const family = await createExampleFamily(service);
    const browser = await TestBrowser.launch();
    try {
      if (only.includes('')) await rm(DIRECTORY, { recursive: true, force: true });
      for (const language of languages) {
        for (const visitor of ['nobody', 'stranger', 'owner'] as const) {
          const pages = pagesOf(family).filter((page) => (page.visitor ?? 'owner') === visitor);
          const person = visitor === 'nobody' ? undefined : family[visitor];
          await showPages(browser, service, { person, language, pages: chosenOf(pages, only) });
        }
        await showPages(browser, service, { language, pages: chosenOf(watchPages(service), only) });
      }
      await family.tom.watch.client.watch.raiseSos({});
      for (const language of languages)
        await showPages(browser, service, { person: family.owner, language, pages: chosenOf([SOS_PAGE], only) });
      report(browser);
    } finally {
      family.connection.stop();
      await browser.close();
    }
  } finally {
    await stopRun();
  }
}

/** Returns the pages whose names contain one of the texts, with the states before and after them on the same page. */
function chosenOf(pages: readonly PageToShow[], only: readonly string[]): PageToShow[] {
  const groups: PageToShow[][] = [];
  for (const page of pages) {
    if (page.path !== undefined) groups.push([]);
    groups.at(-1)?.push(page);
  }
  return groups.filter((group) => group.some(({ name }) => only.some((text) => name.includes(text)))).flat();
}

/** Shows pages one after the other in the browser of a person, or of nobody. */
async function showPages(
  browser: TestBrowser,
  service: SharedService,
  { person, language, pages }: { person?: Person | undefined; language: Language; pages: readonly PageToShow[] },
): Promise<void> {
  if (pages.length === 0) return;
  const context = await browser.newContext({ locale: language, timezoneId: 'Asia/Shanghai' });
  if (person) await signInBrowser(context, service, person);
  const page = await browser.newPage(context);
  for (const { name, path, prepare, finish } of pages) {
    try {
      if (path !== undefined) await page.goto(service.url + path);
      await settle(page);
      await prepare?.(page);
      await photograph(browser, page, language, name);
      await finish?.(page);
    } catch (error) {
      browser.problems.push(`${name} (${language}): ${String(error)}`);
    }
  }
  await context.close();
}

async function photograph(browser: TestBrowser, page: Page, language: Language, name: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of Object.entries(WIDTHS)) {
      await page.setViewportSize({ width: Number(width), height });
      await settle(page);
      const directory = join(DIRECTORY, `${language}-${colorScheme}-${width}`);
      await mkdir(directory, { recursive: true });
      const path = join(directory, `${name}.png`);
      await page.screenshot({ path, fullPage: true, animations: 'disabled', style: FOOTER_AT_END });
      await browser.checkAccessibility(page);
    }
  }
}

/** Waits until the page has loaded what it shows. A page that is still loading after a while is shown as it is. */
async function settle(page: Page): Promise<void> {
  await waitUntil(page.url(), () => page.evaluate<boolean>(IS_COMPLETE), SETTLE_TIMEOUT_MS).catch(() => undefined);
}

function report({ barriers, problems }: TestBrowser): void {
  for (const barrier of new Set(barriers.map((each) => each.join('\n  ')))) process.stdout.write(`${barrier}\n`);
  for (const problem of new Set(problems)) process.stdout.write(`${problem}\n`);
  process.stdout.write(`The pictures are in ${DIRECTORY}: ${barriers.length} barriers, ${problems.length} problems\n`);
  if (barriers.length > 0 || problems.length > 0) process.exitCode = 1;
}

await main();
