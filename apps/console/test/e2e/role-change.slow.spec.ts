import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { needs } from '@family-watch/testing/requirements/needs';
import { addChild, bindNewWatch, signInBrowser, signUp, type Person } from '../support/accounts.js';
import { addMember, conversationWith, familyOf } from '../support/family.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

const NO_SHARES = 'Nobody outside of the family sees the location.';

/** The owner changes the role of a member whose pages are open. The tests follow one another. */
needs('chromium').describe('the console of a member whose role changes', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let owner: Person;
  let member: Person;
  let page: Page;
  let otherPage: Page;
  let cid: string;

  beforeAll(async () => {
    service = await sharedService('standalone');
    owner = await signUp(service, 'Anna');
    member = await signUp(service, 'Ben');
    cid = await addChild(owner, 'Mia');
    const { client } = await bindNewWatch(service, owner, cid);
    const positionTime = Date.now() - 60_000;
    const point = { latitude: '30.6604', longitude: '104.0637', radius: 20, pointType: 1 as const, positionTime };
    await client.watch.reportLocation({ points: [point] });
    await addMember(owner, member, 2);
    await conversationWith(member, cid);
    browser = await TestBrowser.launch();
    const context = await browser.newContext();
    await signInBrowser(context, service, member);
    [page, otherPage] = [await browser.newPage(context), await browser.newPage(context)];
    await page.goto(`${service.url}/children/${cid}`);
    await otherPage.goto(`${service.url}/children/${cid}/shares`);
  });

  afterAll(() => browser?.close());

  const changeRole = async (role: 2 | 3 | 4, permissions: ('LOCATION' | 'CHAT' | 'CALL')[]) => {
    const familyId = await familyOf(owner);
    await owner.client.families.updateMember({ familyId, userId: member.userId, role, permissions });
  };
  const button = (name: string) => page.getByRole('button', { name });
  const vanish = (text: string) => page.getByText(text).first().waitFor({ state: 'detached' });

  test('a guardian sees the location, and what a guardian can do', async () => {
    await shown(page.getByText('30.6604, 104.0637'));
    await shown(button('Locate now'));
    await shown(page.getByRole('link', { name: 'Share the location' }));
    await heading(otherPage, 'Share the location of Mia');
    await shown(otherPage.getByText(NO_SHARES));
  });

  test('a guardian who becomes a caregiver without location loses location and buttons without a reload', async () => {
    await changeRole(3, ['CHAT', 'CALL']);
    await vanish('30.6604, 104.0637');
    for (const name of ['Locate now', 'Share the location', 'Track', 'Places']) await vanish(name);
    await heading(page, 'Mia');
    await otherPage.getByText(NO_SHARES).waitFor({ state: 'detached' });
    expect(await otherPage.getByRole('button', { name: 'Create a link' }).count()).toBe(0);
  });

  test('a caregiver who gets the permission sees the location again', async () => {
    await changeRole(3, ['LOCATION', 'CHAT', 'CALL']);
    await shown(page.getByText('30.6604, 104.0637'));
    await shown(page.getByRole('link', { name: 'Track' }));
    expect(await button('Locate now').count()).toBe(0);
  });

  test('a contact loses the page of the child, and sees the child with chat and call only', async () => {
    await changeRole(4, ['CHAT', 'CALL']);
    await vanish('30.6604, 104.0637');
    await page.getByRole('link', { name: 'Children' }).first().click();
    await heading(page, 'Children');
    const card = page.getByRole('article', { name: 'Mia' });
    await shown(card.getByRole('button', { name: 'Video call with Mia' }));
    await shown(page.getByText('You are a contact of the family.'));
    expect(await page.getByText('Add your child').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Add a child' }).count()).toBe(0);
    expect(await card.getByRole('link').allInnerTexts()).toEqual(['Chat']);
    await browser.checkAccessibility(page);
    await card.getByRole('link', { name: 'Chat' }).click();
    await heading(page, 'Mia');
    await shown(page.getByRole('textbox', { name: 'Message' }));
  });

  test('a message says that the access was changed, and opens the family', async () => {
    await page.getByRole('link', { name: 'Activity' }).click();
    const text = 'has changed your role or what you may do in the family.';
    await page
      .getByRole('link', { name: new RegExp(text) })
      .first()
      .click();
    await page.waitForURL(`**/family/${await familyOf(owner)}`);
  });

  test('a person who is removed sees nothing of the child', async () => {
    await page.getByRole('link', { name: 'Children' }).first().click();
    await shown(page.getByRole('article', { name: 'Mia' }));
    await owner.client.families.removeMember({ familyId: await familyOf(owner), userId: member.userId });
    await heading(page, 'Welcome');
  });

  test('no page has caused an error or has a serious barrier', () => {
    expect(browser.problems).toEqual([]);
    expect(browser.barriers).toEqual([]);
  });
});
