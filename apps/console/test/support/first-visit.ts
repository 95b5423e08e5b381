import type { Page } from 'playwright-core';
import { latestCode, PASSWORD, type Service } from './accounts.js';
import { heading, shown } from './test-browser.js';

/** Fills the form of a new account on the sign-in page, with the code from the SMS. */
export async function fillSignUp(page: Page, service: Service, phoneNumber: string): Promise<void> {
  await page.getByRole('button', { name: 'I am new here' }).click();
  await fillNewAccount(page, service, phoneNumber);
}

/** Fills the form of a new account where the page shows it, with the code from the SMS. */
export async function fillNewAccount(page: Page, service: Service, phoneNumber: string): Promise<void> {
  await page.getByLabel('Phone number').fill(phoneNumber);
  await page.getByRole('button', { name: 'Send a code' }).click();
  await shown(page.getByText('A code was sent to your phone.'));
  await page.getByLabel('SMS code').fill(latestCode(service, phoneNumber));
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByLabel(/^Your name/).fill('Anna');
}

/** Adds the first child of a family on the page that follows the sign-up. */
export async function addFirstChild(page: Page, name: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByLabel('Watch phone number').fill('13812345678');
  await page.getByRole('button', { name: 'Add the child' }).click();
  await heading(page, `Bind a watch to ${name}`);
}

/** Binds the watch of a `/watch` page to a child on the page of the parent. */
export async function bindWatch(parent: Page, watch: Page, name: string): Promise<void> {
  await parent.getByLabel('Bind code').fill(await watch.getByTestId('bind-code').innerText());
  await parent.getByLabel('Six digits').fill(await watch.getByTestId('confirm-code').innerText());
  await parent.getByRole('button', { name: 'Bind the watch' }).click();
  await shown(watch.getByText(`I am ${name}`));
  await heading(parent, `${name} has a watch`);
}
