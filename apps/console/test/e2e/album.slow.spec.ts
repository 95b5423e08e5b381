import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { needs } from '@family-watch/testing/requirements/needs';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { addChild, signInBrowser, signUp, type Person } from '../support/accounts.js';
import { familyOf } from '../support/family.js';
import { landscape } from '../support/pictures.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

/** A parent keeps pictures in the album of the family. The tests follow one another. */
needs('chromium').describe('the album', () => {
  let service: SharedService;
  let browser: TestBrowser;
  let context: BrowserContext;
  let page: Page;
  let parent: Person;
  let cloudID: string;
  const pictures: Record<string, Buffer> = {};

  beforeAll(async () => {
    service = await sharedService('standalone');
    parent = await signUp(service, 'Anna');
    await addChild(parent, 'Mia');
    cloudID = await familyOf(parent);
    pictures['new.jpg'] = await takenIn('2024:08:20 10:00:00', 1);
    pictures['old.jpg'] = await takenIn('2021:03:05 10:00:00', 2);
    pictures['middle.jpg'] = await takenIn('2023:06:01 10:00:00', 3);
    browser = await TestBrowser.launch();
    context = await browser.newContext();
    await signInBrowser(context, service, parent);
    page = await browser.newPage(context);
    await page.goto(`${service.url}/album`);
    await heading(page, 'Album');
    await shown(page.getByText('No pictures yet'));
  });

  afterAll(() => browser?.close());

  const picture = (name: string) => page.getByRole('button', { name: `Picture ${name}` });
  const stored = async () => (await parent.client.familyCloud.queryContentList({ cloudID })).cloudContentList;
  const days = () => page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts();
  const namesInOrder = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('[aria-label^="Picture "]')]
        .map((each) => [each.getBoundingClientRect(), each.getAttribute('aria-label')])
        .sort(([one], [other]) => one.top - other.top || one.left - other.left)
        .map(([, label]) => label.replace('Picture ', ''))`,
    );

  /** Returns a picture with the time of its capture in its metadata. */
  async function takenIn(time: string, number: number): Promise<Buffer> {
    return sharp(await landscape(number))
      .withExif({ IFD2: { DateTimeOriginal: time, OffsetTimeOriginal: '+00:00' } })
      .jpeg()
      .toBuffer();
  }

  async function upload(...names: string[]): Promise<void> {
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const files = names.map((name) => ({ name, mimeType: 'image/jpeg', buffer: pictures[name]! }));
    await (await choosing).setFiles(files);
  }

  test('the pictures are ordered and grouped by the time of their capture', async () => {
    await upload('new.jpg', 'old.jpg');
    await shown(page.getByText('2 of 2 uploaded'));
    await shown(page.getByRole('heading', { name: /March .*2021/ }));
    await upload('middle.jpg');
    await shown(page.getByRole('heading', { name: /June .*2023/ }));
    expect(await namesInOrder()).toEqual(['new.jpg', 'middle.jpg', 'old.jpg']);
    expect((await days()).map((day) => day.split(' ').at(-1))).toEqual(['2024', '2023', '2021']);
    await browser.checkAccessibility(page);
  });

  test('a file that the album has already is not stored again', async () => {
    await page.getByRole('button', { name: 'Hide' }).click();
    pictures['again.jpg'] = pictures['old.jpg']!;
    await upload('again.jpg');
    await shown(page.getByText('1 file was in the album already.'));
    expect(await stored()).toHaveLength(3);
    await page.getByRole('button', { name: 'Hide' }).click();
    pictures['one.jpg'] = await takenIn('2020:01:01 10:00:00', 4);
    pictures['same.jpg'] = pictures['one.jpg'];
    await upload('one.jpg', 'same.jpg');
    await shown(page.getByText('2 of 2 uploaded'));
    await shown(page.getByText('1 file was in the album already.'));
    expect(await stored()).toHaveLength(4);
  });

  test('the space is shown in one unit', async () => {
    await shown(page.getByText('20 GB of 20 GB free'));
  });

  test('an upload waits for the network and says so', async () => {
    await context.setOffline(true);
    pictures['later.jpg'] = await takenIn('2022:02:02 10:00:00', 5);
    await upload('later.jpg');
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await shown(uploads.getByText('Waiting for the network'));
    await browser.checkAccessibility(page);
    await context.setOffline(false);
    await shown(page.getByRole('heading', { name: /February .*2022/ }));
    await uploads.getByText('Waiting for the network').waitFor({ state: 'detached' });
  });

  test('the recycle bin shows what was deleted', async () => {
    await picture('middle.jpg').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await picture('middle.jpg').waitFor({ state: 'detached' });
    await page.getByText('Recycle bin', { exact: true }).click();
    const show = page.getByRole('button', { name: 'Show middle.jpg' });
    await shown(show);
    const widthOf = (selector: string) =>
      page.evaluate<number>(`document.querySelector(${JSON.stringify(selector)})?.naturalWidth ?? 0`);
    await waitUntil('the thumbnail', async () => (await widthOf('button[aria-label="Show middle.jpg"] img')) > 0);
    await browser.checkAccessibility(page);
    await show.click();
    await waitUntil('the preview', async () => (await widthOf('img[alt="middle.jpg"]')) > 0);
    await browser.checkAccessibility(page);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('checkbox', { name: 'middle.jpg' }).check();
    await page.getByRole('button', { name: 'Restore' }).click();
    await show.waitFor({ state: 'detached' });
    await page.getByText('Pictures', { exact: true }).click();
    await shown(picture('middle.jpg'));
    expect(await namesInOrder()).toEqual(['new.jpg', 'middle.jpg', 'later.jpg', 'old.jpg', 'one.jpg']);
  });

  test('axe has found no serious or critical problem, and no page has caused an error', () => {
    expect(browser.barriers).toEqual([]);
    expect(browser.problems).toEqual([]);
  });
});
