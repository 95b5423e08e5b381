import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { needs } from '@family-watch/testing/requirements/needs';
import { addChild, bindNewWatch, signInBrowser, signUp, type Person, type Watch } from '../support/accounts.js';
import { familyOf } from '../support/family.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

/** Longer than a person can take a deletion back. */
const UNDO_MS = 6_000;

/** A parent reads the messages about two children. The tests follow one another. */
needs('chromium').describe('the message centre', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let context: BrowserContext;
  let parent: Person;
  let page: Page;
  let mia: string;
  let miasWatch: Watch;
  let familyId: string;

  beforeAll(async () => {
    service = await sharedService('standalone');
    parent = await signUp(service, 'Anna');
    mia = await addChild(parent, 'Mia');
    miasWatch = await bindNewWatch(service, parent, mia);
    await bindNewWatch(service, parent, await addChild(parent, 'Tom'));
    familyId = await familyOf(parent);
    await parent.client.locations.createShare({ cid: mia });
    await applyToJoin('Lin');
    await requestFriendship('Emma');
    browser = await TestBrowser.launch();
    context = await browser.newContext();
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
    await signInBrowser(context, service, parent);
    page = await browser.newPage(context);
    await waitUntil('the messages', async () => (await listed()).length >= 6);
    await openMessages();
  });

  afterAll(() => browser?.close());

  async function applyToJoin(name: string): Promise<void> {
    const person = await signUp(service, name);
    const { code } = await parent.client.families.createInvitation({ familyId, role: 3 });
    await person.client.families.createApplication({ inviteCode: code, appellation: name });
  }

  async function requestFriendship(name: string): Promise<void> {
    const other = await signUp(service, `Parent of ${name}`);
    const otherWatch = await bindNewWatch(service, other, await addChild(other, name));
    const { friendCode } = await miasWatch.client.watch.createFriendCode();
    await other.client.friends.apply({ did: otherWatch.did, friendCode });
  }

  const listed = async () => (await parent.client.messageCenter.list()).items;
  const typesListed = async () => (await listed()).map(({ type }) => type);
  const message = (name: RegExp) => page.getByRole('link', { name }).first();
  const filter = (name: string) => page.getByRole('group', { name: 'Messages about' }).getByText(name);
  const toDo = () => page.getByRole('region', { name: 'To deal with' });
  const today = () => page.getByRole('region', { name: 'Today' });
  const weightOf = async (name: RegExp) => {
    const style = await message(name).locator('p').first().getAttribute('style');
    return /font-weight: (\d+)/.exec(style ?? '')?.[1];
  };

  async function openMessages(): Promise<void> {
    await page.goto(`${service.url}/messages`);
    await heading(page, 'Activity');
    await shown(today());
  }

  test('shows messages in one line each by day, and unread ones bold', async () => {
    await shown(message(/Anna has bound a watch to Mia/));
    expect(await page.getByText('Unread', { exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Mark as read' }).count()).toBe(0);
    expect(await weightOf(/bound a watch to Mia/)).toBe('700');
    const { height } = (await message(/bound a watch to Mia/).boundingBox()) ?? { height: 0 };
    expect(height).toBeGreaterThanOrEqual(44);
    expect(height).toBeLessThan(90);
    await browser.checkAccessibility(page);
  });

  test('opens the subject of a message and marks only this message as read', async () => {
    await message(/public link to the location of Mia/).click();
    await heading(page, 'Share the location of Mia');
    await waitUntil('the message to be read', async () =>
      (await listed()).some(({ type, read }) => type === 'LOCATION_SHARED' && read),
    );
    await openMessages();
    expect(await weightOf(/public link to the location of Mia/)).toBe('400');
    expect(await weightOf(/bound a watch to Mia/)).toBe('700');
    await message(/bound a watch to Mia/).click();
    await page.waitForURL(`**/children/${mia}/settings/device`);
    await openMessages();
    await message(/used to sign in on another device/).click();
    await page.waitForURL('**/family/account');
  });

  test('shows the messages about one child alone', async () => {
    await openMessages();
    await filter('Tom').click();
    await message(/bound a watch to Mia/).waitFor({ state: 'detached' });
    await shown(message(/bound a watch to Tom/));
    await filter('All').click();
    await shown(message(/bound a watch to Mia/));
  });

  test('has open requests on top, with names and the decision, until they are decided', async () => {
    await shown(toDo().getByText('Lin asks to join the family.'));
    await shown(toDo().getByText('Emma wants to be friends with Mia.'));
    expect(await today().getByText('Lin asks to join the family.').count()).toBe(0);
    await browser.checkAccessibility(page);
    await toDo().getByRole('button', { name: 'Agree' }).click();
    await shown(today().getByText('Mia and Emma are friends now.'));
    await toDo().getByText('Emma').waitFor({ state: 'detached' });
    await toDo().getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve Lin' });
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await shown(today().getByText('Lin has joined the family.'));
    await toDo().waitFor({ state: 'detached' });
    const { items } = await parent.client.families.listMembers({ familyId });
    expect(items.map(({ name }) => name)).toContain('Lin');
  });

  test('rejects a request where it is shown', async () => {
    await applyToJoin('Otto');
    await shown(toDo().getByText('Otto asks to join the family.'));
    await toDo().getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await toDo().waitFor({ state: 'detached' });
    const { items } = await parent.client.families.listApplications({ familyId });
    expect(items.map(({ state }) => state)).toContain('REJECTED');
  });

  test('deletes a message five seconds later, unless the person takes it back', async () => {
    const remove = (text: string) => page.getByRole('button', { name: `Delete: ${text}` });
    await remove('Anna has bound a watch to Tom.').click();
    await message(/bound a watch to Tom/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await shown(message(/bound a watch to Tom/));
    await page.waitForTimeout(UNDO_MS);
    expect((await typesListed()).filter((type) => type === 'WATCH_BOUND')).toHaveLength(2);
    await remove('Anna has bound a watch to Tom.').click();
    await page.waitForTimeout(UNDO_MS);
    await waitUntil(
      'the message to be deleted',
      async () => (await typesListed()).filter((type) => type === 'WATCH_BOUND').length === 1,
    );
    expect(await message(/bound a watch to Tom/).count()).toBe(0);
  });

  test('deletes a message at once when the page is left or closed', async () => {
    await page.getByRole('button', { name: 'Delete: Anna has bound a watch to Mia.' }).click();
    await page.getByRole('link', { name: 'Chat' }).first().click();
    await heading(page, 'Chat');
    await waitUntil('the message to be deleted', async () => !(await typesListed()).includes('WATCH_BOUND'));
    await openMessages();
    const name = 'Delete: Anna has created a public link to the location of Mia.';
    await page.getByRole('button', { name }).click();
    await page.close({ runBeforeUnload: true });
    await waitUntil('the message to be deleted', async () => !(await typesListed()).includes('LOCATION_SHARED'));
  });

  test('has an unresolved SOS on top, and opens it, also after its end', async () => {
    page = await browser.newPage(context);
    await openMessages();
    const place = { latitude: '30.6604', longitude: '104.0637', radius: 20, pointType: 1 as const };
    await miasWatch.client.watch.raiseSos({ location: { ...place, positionTime: Date.now() } });
    // The choice of the map opens above the alarm.
    await page.getByRole('button', { name: 'Open in a map' }).click();
    await page.getByRole('menuitem', { name: 'Copy the coordinates' }).click();
    await shown(page.getByRole('menuitem', { name: 'Copied' }));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I take care of it' }).click();
    await shown(toDo().getByText('Mia has raised an SOS.'));
    await toDo()
      .getByRole('link', { name: /Mia has raised an SOS/ })
      .click();
    await heading(page, 'SOS: Mia');
    await shown(page.getByText('Acknowledged by you,'));
    await page.getByRole('button', { name: 'Mia is safe' }).click();
    await page.getByRole('button', { name: 'Yes, end the SOS' }).click();
    await shown(page.getByText('Ended by you,'));
    await browser.checkAccessibility(page);
    await openMessages();
    expect(await toDo().count()).toBe(0);
    await today()
      .getByRole('link', { name: /Mia has raised an SOS/ })
      .click();
    await heading(page, 'SOS: Mia');
  });

  test('no page has caused an error or has a serious barrier', () => {
    expect(browser.problems).toEqual([]);
    expect(browser.barriers).toEqual([]);
  });
});
