import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { needs } from '@family-watch/testing/requirements/needs';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { addChild, bindNewWatch, signInBrowser, signUp, type Person } from '../support/accounts.js';
import { AnsweringWatch, type Place } from '../support/answering-watch.js';
import { addMember, conversationWith, familyOf } from '../support/family.js';
import { landscape, noisyPicture } from '../support/pictures.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

const PHONE = { width: 390, height: 844 };
const LAPTOP = { width: 1_280, height: 800 };
/** `teal.6` of the theme: red, green, blue. */
const TRAIL_COLOUR = [0x12, 0xb8, 0x86];
const SCHOOL = { latitude: '30.2811', longitude: '120.1368' };
/** 445 metres north of the school. */
const NORTH = { latitude: '30.2851', longitude: '120.1368' };

/** What a parent sees and does at a glance, on the pages of the children. The tests follow one another. */
needs('chromium').describe('the glance of the console', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let context: BrowserContext;
  let page: Page;
  let parent: Person;
  let caregiver: Person;
  let watch: AnsweringWatch;
  let mia: string;

  beforeAll(async () => {
    service = await sharedService('standalone');
    parent = await signUp(service, 'Anna');
    mia = await addChild(parent, 'Mia');
    await addChild(parent, 'Tom');
    watch = await new AnsweringWatch(service, await bindNewWatch(service, parent, mia), SCHOOL).connect();
    await watch.report();
    await conversationWith(parent, mia);
    caregiver = await signUp(service, 'Ben');
    await addMember(parent, caregiver, 3);
    const familyId = await familyOf(parent);
    await parent.client.families.updateMember({
      familyId,
      userId: caregiver.userId,
      permissions: ['LOCATION', 'CHAT'],
    });
    await conversationWith(caregiver, mia);
    browser = await TestBrowser.launch();
    context = await browser.newContext();
    await signInBrowser(context, service, parent);
    page = await browser.newPage(context);
  });

  afterAll(async () => {
    watch?.gateway.stop();
    await browser?.close();
  });

  const card = (name: string) => page.getByRole('article', { name });
  const actions = (on: Page = page) => on.getByRole('group', { name: 'Reach Mia' });
  const mapOfMia = () => page.getByRole('region', { name: 'Map: Mia' });

  /** Returns how many pixels of the map have the colour of the child's trail and circle. */
  async function pixelsOfTrail(): Promise<number> {
    const { data, info } = await sharp(await mapOfMia().screenshot())
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    let count = 0;
    for (let index = 0; index < data.length; index += info.channels)
      if (TRAIL_COLOUR.every((value, channel) => Math.abs((data[index + channel] ?? 0) - value) < 12)) count += 1;
    return count;
  }

  async function openMia(): Promise<void> {
    await page.goto(`${service.url}/children/${mia}`);
    await heading(page, 'Mia');
    await shown(mapOfMia());
  }

  /** Lets the watch report points of an earlier day. */
  async function bindEarlier(did: number, time: number): Promise<void> {
    const database = new Client({ connectionString: service.adminUrl });
    await database.connect();
    await database.query('UPDATE userctx.watch_binding SET bound_at = $2 WHERE did = $1', [did, time]);
    await database.end();
  }

  test('the map is drawn again in the other colour scheme', async () => {
    await openMia();
    for (const colorScheme of ['dark', 'light'] as const) {
      const before = await page.locator('canvas.maplibregl-canvas').elementHandle();
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction('(canvas) => !canvas.isConnected', before);
      await shown(mapOfMia());
      expect(await page.getByText('This browser cannot show the map.').count()).toBe(0);
    }
  });

  test('a child with a watch has chat, call, locate and ring in one row, a child without one has none', async () => {
    await page.goto(`${service.url}/children`);
    await shown(card('Mia').getByRole('link', { name: 'Chat with Mia' }));
    expect(await actions().locator('a, button').allInnerTexts()).toEqual(['Chat', 'Call', 'Locate', 'Ring']);
    const boxes = await Promise.all((await actions().locator('a, button').all()).map((each) => each.boundingBox()));
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
    for (const box of boxes) expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    await shown(card('Tom'));
    expect(await card('Tom').getByRole('button').count()).toBe(0);
    await browser.checkAccessibility(page);
  });

  test('chat opens the conversation of the child, and call calls the watch', async () => {
    await card('Mia').getByRole('link', { name: 'Chat with Mia' }).click();
    await page.waitForURL(`**/chat/${await conversationWith(parent, mia)}`);
    await page.goBack();
    await card('Mia').getByRole('button', { name: 'Video call with Mia' }).click();
    await shown(page.getByRole('dialog').getByText('Calling Mia …'));
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('locate shows the answer of the watch, and ring says that the watch rings', async () => {
    await card('Mia').getByRole('button', { name: 'Locate now: Mia' }).click();
    await shown(card('Mia').getByText('The watch has answered:'));
    await card('Mia').getByRole('button', { name: 'Ring the watch of Mia' }).click();
    await shown(card('Mia').getByText('The watch is ringing.'));
    expect(watch.isRinging).toBe(true);
    await browser.checkAccessibility(page);
    await watch.stopRinging();
    await shown(card('Mia').getByText('The watch has rung.'));
  });

  test('the page of the child has the same row, and the keyboard reaches it', async () => {
    await openMia();
    await shown(actions().getByRole('link', { name: 'Chat with Mia' }));
    expect(await actions().locator('a, button').allInnerTexts()).toEqual(['Chat', 'Call', 'Locate', 'Ring']);
    await actions().getByRole('button', { name: 'Video call with Mia' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await shown(page.getByText('The watch has answered:'));
    await browser.checkAccessibility(page);
  });

  test('a caregiver has only the actions that the owner has permitted', async () => {
    const other = await browser.newContext();
    await signInBrowser(other, service, caregiver);
    const otherPage = await browser.newPage(other);
    await otherPage.goto(`${service.url}/children`);
    await shown(actions(otherPage).getByRole('link', { name: 'Chat with Mia' }));
    await actions(otherPage).getByRole('button').first().waitFor({ state: 'detached' });
    expect(await actions(otherPage).locator('a, button').allInnerTexts()).toEqual(['Chat']);
    await other.close();
  });

  test('live tracking keeps the map on the display and says how old the last fix is', async () => {
    await openMia();
    await page.getByRole('button', { name: 'Follow for 15 minutes' }).click();
    await shown(page.getByText('The watch has confirmed it.'));
    await shown(page.getByText('No fix yet since live tracking began'));
    await watch.report(NORTH);
    await shown(page.getByText(/^Last fix (now|\d+ seconds? ago)$/));
    await shown(page.getByText(/^Last fix [2-9] seconds ago$/));
    const before = await pixelsOfTrail();
    await watch.report(SCHOOL);
    await waitUntil('the trail', async () => (await pixelsOfTrail()) > before + 200);
    await page.getByRole('region', { name: 'Steps' }).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 3_000);
    await waitUntil('the end of the page', () =>
      page.evaluate<boolean>('window.scrollY > 0 && window.scrollY + window.innerHeight >= document.body.scrollHeight'),
    );
    const box = await mapOfMia().boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    await browser.checkAccessibility(page);
  });

  test('the card names the town, and the place of the child as soon as there is one', async () => {
    await watch.report(SCHOOL);
    await page.goto(`${service.url}/children`);
    await shown(card('Mia').getByText('In Hangzhou, China'));
    await parent.client.fences.create({ cid: mia, name: 'School', circle: { ...SCHOOL, radius: 150 } });
    await page.reload();
    await shown(card('Mia').getByText('At School'));
    expect(await card('Mia').getByText('In Hangzhou').count()).toBe(0);
  });

  test('the day of a track has its distance, and the stays with place and duration', async () => {
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const noon = Date.parse(`${day}T04:00:00Z`);
    await bindEarlier(watch.did, noon);
    const pointsAt = ({ latitude, longitude }: Place, minutes: readonly number[]) =>
      minutes.map((minute) => ({
        ...{ latitude, longitude, radius: 10, pointType: 1 },
        positionTime: noon + minute * 60_000,
      }));
    await watch.reportPoints([...pointsAt(SCHOOL, [0, 10, 20, 30]), ...pointsAt(NORTH, [40, 50, 60, 70, 80])]);
    await page.goto(`${service.url}/children/${mia}/track?day=${day}`);
    const stays = page.getByRole('list', { name: 'Stays' }).getByRole('listitem');
    await shown(stays);
    expect(await stays.count()).toBe(2);
    await shown(stays.first().getByText('At School'));
    await shown(stays.first().getByText(/ · 30 min$/));
    await shown(stays.last().getByText(/^4[45]0 m north of School$/));
    await shown(page.getByText(/^Total distance: 4[45]0 m$/));
    await browser.checkAccessibility(page);
  });

  test('a laptop has map and list side by side, and opens a message beside the list', async () => {
    await page.setViewportSize(LAPTOP);
    for (const [path, map, beside] of [
      ['/children', page.getByRole('region', { name: 'Map of the children' }), card('Mia')],
      [`/children/${mia}`, mapOfMia(), page.getByRole('region', { name: 'Location' })],
    ] as const) {
      await page.goto(service.url + path);
      await shown(map);
      const [left, right] = [await map.boundingBox(), await beside.boundingBox()];
      expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0);
      expect(left?.height).toBeGreaterThan(500);
    }
    await page.goto(`${service.url}/messages`);
    await shown(page.getByText('Choose a message to see what it is about.'));
    const message = page.getByRole('link', { name: /Anna has bound a watch to Mia/ });
    await message.click();
    const pane = page.getByRole('region', { name: 'Anna has bound a watch to Mia.' });
    await shown(pane.getByRole('article', { name: 'Mia' }));
    const [list, right] = [await message.boundingBox(), await pane.boundingBox()];
    expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0);
    await browser.checkAccessibility(page);
    await pane.getByRole('link', { name: 'Open the page about it' }).click();
    await page.waitForURL(`**/children/${mia}/settings/device`);
    await page.setViewportSize(PHONE);
  });

  const photos = (within: Locator) => within.locator('img[src*="/app-api/mcdisk/"]');

  test('the parent chooses a photo of the child, and moves and enlarges its part with the keyboard', async () => {
    await page.goto(`${service.url}/children/${mia}/edit`);
    const picture = { name: 'beach.jpg', mimeType: 'image/jpeg', buffer: await landscape(3) };
    await page.locator('input[type=file]').setInputFiles(picture);
    const dialog = page.getByRole('dialog', { name: 'Crop the photo' });
    await dialog.getByRole('application', { name: 'Part of the picture' }).focus();
    const place = () => dialog.locator('img').getAttribute('style');
    const before = await place();
    await page.keyboard.press('ArrowRight');
    await waitUntil('the picture to move', async () => (await place()) !== before);
    await dialog.getByRole('slider', { name: 'Zoom' }).press('ArrowRight');
    await browser.checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Use this photo' }).click();
    await shown(page.getByText('The photo is saved.'));
    await shown(photos(page.getByRole('main')));
    const { avatar } = await parent.client.children.get({ cid: mia });
    const [, cloudID = '', contentID = ''] = avatar?.split('/') ?? [];
    const { downloadURL } = await parent.client.familyCloud.getFileDownLoadURL({ cloudID, contentID });
    const stored = await sharp(Buffer.from(await (await fetch(downloadURL)).arrayBuffer())).metadata();
    expect(stored).toMatchObject({ format: 'jpeg', width: 512, height: 512 });
    expect(stored.exif).toBeUndefined();
    const stranger = await signUp(service, 'Eve');
    await expect(stranger.client.familyCloud.queryContentInfo({ cloudID, contentID })).rejects.toMatchObject({
      reason: 'CLOUD_NOT_FOUND',
    });
  });

  test('card, marker and chats show the photo, and initials to a member who may not see files', async () => {
    await page.goto(`${service.url}/children`);
    await shown(photos(card('Mia')));
    await shown(photos(page.getByRole('group', { name: 'Mia', exact: true })));
    await page.goto(`${service.url}/chat`);
    await shown(photos(page.getByRole('link', { name: /^Mia/ })));
    await page.getByRole('link', { name: /^Mia/ }).click();
    await heading(page, 'Mia');
    await shown(photos(page.getByRole('main')));
    const other = await browser.newContext();
    await signInBrowser(other, service, caregiver);
    const otherPage = await browser.newPage(other);
    await otherPage.goto(`${service.url}/children`, { waitUntil: 'networkidle' });
    const otherCard = otherPage.getByRole('article', { name: 'Mia' });
    await shown(otherCard.getByText('MI', { exact: true }));
    expect(await photos(otherCard).count()).toBe(0);
    await other.close();
  });

  test('the family page shows the photo of a person, and the child has initials after its photo is removed', async () => {
    await page.goto(`${service.url}/family/account`);
    const picture = { name: 'me.png', mimeType: 'image/png', buffer: await noisyPicture(300, 200) };
    await page.locator('input[type=file]').setInputFiles(picture);
    await page.getByRole('button', { name: 'Use this photo' }).click();
    await shown(page.getByText('The photo is saved.'));
    await page.goto(`${service.url}/family/${await familyOf(parent)}`);
    await shown(page.getByText('Anna (you)'));
    await shown(photos(page.getByRole('main')));
    await page.goto(`${service.url}/children/${mia}/edit`);
    await page.getByRole('button', { name: 'Remove the photo' }).click();
    await shown(page.getByText('The photo is removed.'));
    await page.goto(`${service.url}/children`);
    await shown(card('Mia').getByText('MI', { exact: true }));
    expect(await photos(page.getByRole('main')).count()).toBe(0);
  });

  test('no page has caused an error or has a barrier', () => {
    expect([browser.problems, browser.barriers]).toEqual([[], []]);
  });
});
