import axe, { type AxeResults } from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from 'playwright-core';
import { LIMIT_MS } from '@family-watch/testing/waiting/wait-for';
import { programPath } from '@family-watch/testing/requirements/requirements';

const PHONE_DISPLAY = { width: 390, height: 844 };

/** A Chromium that collects what is wrong on its pages. */
export class TestBrowser {
  /** Errors of the pages and violations of the Content-Security-Policy. */
  readonly problems: string[] = [];
  /** Serious and critical problems that axe has found, with path, rule and elements. */
  readonly barriers: string[][] = [];

  private constructor(private readonly browser: Browser) {}

  static async launch(): Promise<TestBrowser> {
    const args = [
      ...['--no-sandbox', '--disable-gpu'],
      // Camera and microphone show and play a test pattern.
      ...['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream=device-count=3'],
      // Names of mDNS, which hide local IP addresses, need a network that resolves them.
      '--disable-features=WebRtcHideLocalIpsWithMdns',
    ];
    return new TestBrowser(await chromium.launch({ executablePath: programPath('chromium'), args }));
  }

  /** Opens the browser of one person: a phone in English unless the options say otherwise. */
  async newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: PHONE_DISPLAY,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    });
    // The tests of a suite follow one another, so that one that fails makes others fail.
    context.setDefaultTimeout(LIMIT_MS / 2);
    return context;
  }

  async newPage(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('console', (message) => {
      // The browser also prints requests that the service refuses or that have no connection.
      if (message.type() === 'error' && !/^Failed to load resource|net::ERR_/.test(message.text()))
        this.problems.push(message.text());
    });
    return page;
  }

  /** Adds what axe finds on the page to `barriers`. */
  async checkAccessibility(page: Page): Promise<void> {
    // Evaluated by the debugger, which the Content-Security-Policy of the page does not limit.
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<AxeResults>('axe.run()');
    for (const { id, impact, nodes } of violations)
      if (impact === 'serious' || impact === 'critical')
        this.barriers.push([
          new URL(page.url()).pathname,
          id,
          ...nodes.flatMap(({ html, any }) => [html, ...any.map(({ message }) => message)]),
        ]);
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

/** Waits until the page shows the element. */
export const shown = (element: Locator): Promise<void> => element.first().waitFor();

/** Opens the menu of the person, and chooses an entry. */
export async function chooseInMenu(page: Page, entry: string): Promise<void> {
  await page.getByRole('button', { name: 'Your account and settings' }).click();
  await page.getByRole('menu').getByText(entry, { exact: true }).click();
}

/** Waits until the page shows its title, which is not what `index.html` shows before the scripts have arrived. */
export const heading = (page: Page, name: string): Promise<void> =>
  shown(page.getByRole('heading', { level: 1, name }).and(page.locator(':not(.start)')));
