import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { TestService } from '../support/test-service.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { programPath } from '@family-watch/testing/requirements/requirements';

needs('chromium').describe('the pages of /docs', () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    browser = await chromium.launch({
      executablePath: programPath('chromium'),
      args: ['--no-sandbox', '--disable-gpu'],
    });
  });

  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  test.each([
    ['/docs', 'main h1', 'Guide: the first hour of a phone app and a watch'],
    ['/docs/reference.html', 'text=Search', 'Remote control'],
    ['/docs/messages.html', 'text=Search', 'LocationPointChangeMessage'],
  ])('%s shows its content without scripts or requests of other hosts', async (path, selector, text) => {
    const page = await browser.newPage();
    const foreign: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${service.url}/`) && !request.url().startsWith('data:'))
        foreign.push(request.url());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${service.url}${path}`);
    await page.waitForSelector(selector, { state: 'attached', timeout: 60_000 });
    expect(await page.innerText('body')).toContain(text);
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  test('the search of the REST reference finds an operation', async () => {
    const page = await browser.newPage();
    await page.goto(`${service.url}/docs/reference.html`);
    const text = () => page.innerText('body');
    await page.click('text=Search', { timeout: 60_000 });
    expect(await text()).not.toContain('/alarm-clock/create');
    await page.keyboard.type('alarm clock');
    await waitUntil('the operation among the results', async () => (await text()).includes('/alarm-clock/create'));
    await page.close();
  });
});
