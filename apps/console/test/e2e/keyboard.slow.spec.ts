import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { enrolNewWatch, PASSWORD, randomPhoneNumber, signUp, type Person, type Watch } from '../support/accounts.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { expectFocus, Keyboard } from '../support/keyboard.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

/** A parent uses the pages with the keyboard only, on a desktop. The tests follow one another. */
needs('chromium').describe('the console with the keyboard', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let page: Page;
  let keyboard: Keyboard;
  let parent: Person;
  let watch: Watch;

  beforeAll(async () => {
    service = await sharedService('standalone');
    parent = await signUp(service, 'Anna');
    watch = await enrolNewWatch(service);
    browser = await TestBrowser.launch();
    page = await browser.newPage(await browser.newContext({ viewport: { width: 1280, height: 800 } }));
    keyboard = new Keyboard(page);
  });

  afterAll(() => browser?.close());

  const field = (name: string) => page.getByRole('textbox', { name });
  const button = (name: string) => page.getByRole('button', { name });

  test('empty fields are explained, and the parent signs in', async () => {
    await page.goto(service.url);
    await keyboard.tabTo(field('Phone number'));
    await keyboard.press('Enter');
    await expectError(field('Phone number'), 'This is missing.');
    await keyboard.type(parent.phoneNumber);
    await keyboard.tabTo(field('Password'));
    await keyboard.type(`${PASSWORD}?`);
    await keyboard.press('Enter');
    await shown(page.getByRole('alert').getByText('Phone number, password or code is wrong.'));
    await expectFocus(field('Password'));
    await keyboard.press('Backspace');
    await keyboard.press('Enter');
    await heading(page, 'Welcome');
  });

  test('the parent adds a child and binds a watch', async () => {
    await keyboard.tabTo(page.getByRole('textbox', { name: 'Name', exact: true }));
    await keyboard.type('Mia');
    await keyboard.tabTo(field('Watch phone number'));
    await keyboard.type('1');
    await keyboard.press('Enter');
    await expectError(field('Watch phone number'), 'This is not right.');
    await keyboard.type('3812345678');
    await keyboard.press('Enter');
    await heading(page, 'Bind a watch to Mia');
    const { bindCode, confirmCode } = await watch.client.watch.createBindCode();
    await keyboard.tabTo(field('Bind code'));
    await keyboard.type(bindCode);
    await keyboard.tabTo(field('Six digits'));
    await keyboard.type(confirmCode === '000000' ? '111111' : '000000');
    await keyboard.press('Enter');
    await expectError(field('Bind code'), 'The code is wrong or has expired. The watch can show a new one.');
    await keyboard.press('Control+A');
    await keyboard.type(confirmCode);
    await keyboard.press('Enter');
    await heading(page, 'Mia has a watch');
    await keyboard.tabTo(page.getByRole('link', { name: 'To all children' }));
    await keyboard.press('Enter');
    await heading(page, 'Children');
  });

  test('the way to the content comes first, then the main menu, and then the page', async () => {
    await page.reload();
    await heading(page, 'Children');
    const names: string[] = [];
    for (let index = 0; index < 8; index += 1) names.push(await keyboard.tab());
    const menu = ['Children', 'Chat', 'Album', 'Activity', 'Family', 'Anna'];
    expect(names).toEqual(['Go to the content', ...menu, 'Add a child']);
  });

  test('the parent sends messages and an emoji', async () => {
    await keyboard.tabTo(page.getByRole('link', { name: 'Chat', exact: true }));
    await keyboard.press('Enter');
    await heading(page, 'Chat');
    await keyboard.tabTo(page.getByRole('link', { name: /^Mia/ }));
    await keyboard.press('Enter');
    await keyboard.tabTo(field('Message'));
    await keyboard.type('Hello');
    await keyboard.press('Enter');
    const messages = page.getByRole('region', { name: 'Messages' });
    await shown(messages.getByText('Hello'));
    await expectFocus(field('Message'));
    await keyboard.tabTo(button('Choose an emoji'), 'Shift+Tab');
    await keyboard.press('Enter');
    await shown(button('👍'));
    await keyboard.press('Escape');
    await button('👍').waitFor({ state: 'detached' });
    await expectFocus(button('Choose an emoji'));
    await keyboard.press('Enter');
    await keyboard.tabTo(button('👍'));
    await keyboard.press('Enter');
    await keyboard.press('Escape');
    await expectFocus(button('Choose an emoji'));
    await keyboard.tabTo(field('Message'));
    await keyboard.press('Enter');
    await shown(messages.getByText('👍'));
  });

  test('a dialog holds the focus, closes with Escape and returns the focus', async () => {
    await parent.client.alarmClocks.create({ did: watch.did, hour: 7, minute: 0 });
    const { cid } = await watch.client.watch.getChild();
    await page.goto(`${service.url}/children/${cid}/settings/alarms`);
    const remove = button('Delete 7:00 AM');
    await keyboard.tabTo(remove);
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete the alarm at 7:00 AM?' });
    await shown(dialog);
    const names = new Set<string>();
    for (let index = 0; index < 6; index += 1) names.add(await keyboard.tab());
    expect([...names].sort()).toEqual(['Cancel', 'Close', 'Delete']);
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(remove);
    await keyboard.press('Enter');
    await keyboard.tabTo(dialog.getByRole('button', { name: 'Delete' }));
    await keyboard.press('Enter');
    await shown(page.getByText('No alarms'));
  });

  test('arrow keys choose a part of the album', async () => {
    await page.goto(`${service.url}/album`);
    await keyboard.tabTo(page.getByRole('radio', { name: 'Pictures' }));
    await keyboard.press('ArrowRight');
    await shown(page.getByText('No albums yet'));
    await expectFocus(page.getByRole('radio', { name: 'Albums' }));
  });

  test('the errors of the sign-up are explained in Chinese, beside their fields', async () => {
    const chinese = await browser.newPage(await browser.newContext({ locale: 'zh-CN' }));
    const input = (name: string) => chinese.getByRole('textbox', { name });
    await chinese.goto(service.url);
    await chinese.getByRole('button', { name: '我是新用户' }).click();
    await input('手机号').fill('1');
    await chinese.getByRole('button', { name: '发送验证码' }).click();
    await expectError(input('手机号'), '内容不正确。');
    await input('手机号').fill(randomPhoneNumber());
    await chinese.getByRole('button', { name: '发送验证码' }).click();
    await input('短信验证码').fill('000000');
    await chinese.getByLabel(/^密码/).fill('short');
    await chinese.getByRole('button', { name: '注册账号' }).click();
    await expectError(chinese.getByLabel(/^密码/), '内容过短。');
    await expectError(input('家人看到的称呼'), '请填写此项。');
    await chinese.getByLabel(/^密码/).fill(PASSWORD);
    await input('家人看到的称呼').fill('安娜');
    await chinese.getByRole('button', { name: '注册账号' }).click();
    await expectError(input('短信验证码'), '验证码错误或已过期。');
  });

  test('no page has caused an error', () => {
    expect(browser.problems).toEqual([]);
  });
});

/** Waits until a field is marked as invalid and described by this text. */
async function expectError(field: Locator, text: string): Promise<void> {
  await waitUntil(
    `the error "${text}"`,
    async () => (await field.getAttribute('aria-invalid')) === 'true' && (await descriptionOf(field)).includes(text),
  );
}

async function descriptionOf(field: Locator): Promise<string> {
  const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ').filter(Boolean);
  const texts = ids.map((id) => field.page().locator(`[id="${id}"]`).innerText());
  return (await Promise.all(texts)).join(' ');
}
