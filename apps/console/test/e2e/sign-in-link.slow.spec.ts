import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { needs } from '@family-watch/testing/requirements/needs';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { PASSWORD, randomPhoneNumber, signInBrowser, signUp } from '../support/accounts.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

const PROGRAM = join(import.meta.dirname, '../../../standalone/dist/operator.js');

/** A person opens the link that `account create` prints. */
needs('chromium').describe('a sign-in link', () => {
  let service: SharedService;
  let browser: TestBrowser;

  beforeAll(async () => {
    service = await sharedService('standalone');
    browser = await TestBrowser.launch();
  });

  afterAll(() => browser?.close());

  async function createLink(phoneNumber: string, ...options: string[]): Promise<string> {
    const args = ['account', 'create', '--area-code', '+86', '--phone', phoneNumber, ...options];
    const env = { ...PROGRAM_ENVIRONMENT, DATABASE_URL: service.adminUrl, PUBLIC_URL: service.url };
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], { env });
    return /http\S+\/sign-in#token=\S+/.exec(stdout)?.[0] ?? '';
  }

  const useLink = (page: Page) => page.getByRole('button', { name: 'Sign in with this link' }).click();

  test('signs in once, removes the token from the address, and asks for a password that then works', async () => {
    const phoneNumber = randomPhoneNumber();
    const link = await createLink(phoneNumber);
    const page = await browser.newPage(await browser.newContext());
    await page.goto(link);
    await shown(page.getByRole('button', { name: 'Sign in with this link' }));
    await browser.checkAccessibility(page);
    expect(page.url()).toBe(`${service.url}/sign-in/link`);
    await page.reload();
    await useLink(page);
    await heading(page, 'Choose a password');
    await browser.checkAccessibility(page);
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set a password' }).click();
    await heading(page, 'Welcome');

    const other = await browser.newPage(await browser.newContext());
    await other.goto(link);
    await useLink(other);
    await shown(other.getByRole('alert').getByText('This link has been used or has expired.'));
    await other.getByRole('link', { name: 'Sign in without the link' }).click();
    await other.getByLabel('Phone number').fill(phoneNumber);
    await other.getByLabel(/^Password/).fill(PASSWORD);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(other, 'Welcome');
  });

  test('replaces the session of another person only if that is confirmed', async () => {
    const present = await signUp(service, 'Anna');
    const context = await browser.newContext();
    await signInBrowser(context, service, present);
    const page = await browser.newPage(context);
    await page.goto(await createLink(randomPhoneNumber(), '--nickname', 'Ben'));
    await shown(page.getByText('You are signed in already. You will be signed out first.'));
    const cookieOf = async () =>
      (await context.cookies(`${service.url}/apis/v2/userctx/user/account/token/refresh`))[0];
    const before = await cookieOf();
    expect(before?.value).toBeTruthy();
    await useLink(page);
    await heading(page, 'Choose a password');
    expect((await cookieOf())?.value).not.toBe(before?.value);
    await page.getByRole('link', { name: 'Later' }).click();
    await heading(page, 'Welcome');
    await page.goto(`${service.url}/family/account`);
    await shown(page.getByRole('textbox', { name: 'Your name, as your family sees it' }));
    expect(await page.getByRole('textbox', { name: /^Your name/ }).inputValue()).toBe('Ben');
  });

  test('no page has caused an error or has a barrier', () => {
    expect([browser.problems, browser.barriers]).toEqual([[], []]);
  });
});
