import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { needs } from '@family-watch/testing/requirements/needs';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { addChild, randomPhoneNumber, signInBrowser, signUp, type Person } from '../support/accounts.js';
import { familyOf } from '../support/family.js';
import { fillNewAccount } from '../support/first-visit.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

/** An owner invites a person who has no account yet. The tests follow one another. */
needs('chromium').describe('invitations', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let owner: Person;
  let ownersPage: Page;
  let guestsPage: Page;
  let link: string;

  beforeAll(async () => {
    service = await sharedService('standalone');
    owner = await signUp(service, 'Anna');
    await addChild(owner, 'Mia');
    browser = await TestBrowser.launch();
    const context = await browser.newContext();
    await signInBrowser(context, service, owner);
    ownersPage = await browser.newPage(context);
    guestsPage = await browser.newPage(await browser.newContext());
  });

  afterAll(() => browser?.close());

  test('the owner chooses the role, which is not preset', async () => {
    await ownersPage.goto(`${service.url}/family/${await familyOf(owner)}`);
    await ownersPage.getByRole('button', { name: 'Invite' }).click();
    const dialog = ownersPage.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create the invitation' }).click();
    await shown(dialog.getByText('Choose the role of this person.'));
    expect((await owner.client.families.listInvitations({ familyId: await familyOf(owner) })).items).toEqual([]);
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await ownersPage.getByRole('option', { name: 'Caregiver' }).click();
    await dialog.getByLabel('What the children call this person').fill('Grandma');
    await browser.checkAccessibility(ownersPage);
    await dialog.getByRole('button', { name: 'Create the invitation' }).click();
    link = await dialog.getByText(/\/family\/join\?code=/).innerText();
  });

  test('the link leads a new person through the sign-up, and says who invites to which family and as what', async () => {
    await guestsPage.goto(link);
    await shown(guestsPage.getByText('You have been invited to a family.'));
    await browser.checkAccessibility(guestsPage);
    await fillNewAccount(guestsPage, service, randomPhoneNumber());
    await guestsPage.getByRole('button', { name: 'Create an account' }).click();
    await shown(guestsPage.getByText(/Anna invites you to the family “.+”\./));
    await shown(guestsPage.getByText(/Caregiver/));
    await shown(guestsPage.getByText('The children will call you Grandma.'));
    await browser.checkAccessibility(guestsPage);
  });

  test('the person joins, and sees the children', async () => {
    await guestsPage.getByRole('button', { name: 'Join', exact: true }).click();
    await guestsPage.waitForURL(`**/family/${await familyOf(owner)}`);
    await guestsPage.getByRole('link', { name: 'Children' }).click();
    await shown(guestsPage.getByRole('article', { name: 'Mia' }));
  });

  test('the link is valid once', async () => {
    await ownersPage.goto(link);
    await heading(ownersPage, 'Join a family');
    await shown(ownersPage.getByText('This invitation is wrong or has expired.'));
  });

  test('no page has caused an error, and axe has found nothing', () => {
    expect(browser.problems).toEqual([]);
    expect(browser.barriers).toEqual([]);
  });
});
