import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient, enrolWatch, WatchKey } from '@family-watch/client';
import { Client } from 'pg';
import type { BrowserContext, Page } from 'playwright-core';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { needs } from '@family-watch/testing/requirements/needs';
import { StandaloneService } from '@family-watch/testing/service/standalone-service';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { addChild, bindNewWatch, signUp, type Person, type Watch } from '../support/accounts.js';
import { familyOf } from '../support/family.js';
import { expectFocus, Keyboard } from '../support/keyboard.js';
import {
  parseCredentials,
  runOperatorProgram,
  signInOperator,
  totpCode,
  type OperatorCredentials,
} from '../support/operators.js';
import { heading, shown, TestBrowser } from '../support/test-browser.js';

const DESKTOP = { width: 1280, height: 900 };
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const FIRMWARE_PUBLIC_KEYS = `release=${publicKey.export({ format: 'jwk' }).x ?? ''}`;
const MAKER_KEY = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const IMEI = '490154203237518';

/** Operators with different roles, each in a browser of their own. The tests follow one another. */
needs('chromium').describe("the operators' page", () => {
  let database: TestDatabase;
  let service: StandaloneService;
  let browser: TestBrowser;
  let admin: OperatorCredentials;
  let adminPage: Page;
  let parent: Person;
  let watch: Watch;
  let familyId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await StandaloneService.start(database, { FIRMWARE_PUBLIC_KEYS });
    parent = await signUp(service, 'Anna');
    watch = await bindNewWatch(service, parent, await addChild(parent, 'Mia'));
    familyId = await familyOf(parent);
    const run = { databaseUrl: database.url, secretKey: service.secretKey };
    admin = parseCredentials('root', await runOperatorProgram(run, 'operators', 'create', '--name', 'root'));
    browser = await TestBrowser.launch();
    adminPage = await openPage(await browser.newContext({ viewport: DESKTOP }));
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await database?.drop();
  });

  async function openPage(context: BrowserContext): Promise<Page> {
    const page = await browser.newPage(context);
    await page.goto(`${service.url}/operator`);
    await heading(page, 'Family Watch for operators');
    return page;
  }

  /** Opens a section by the rail. */
  async function open(page: Page, section: string): Promise<void> {
    await page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click();
    await heading(page, section);
  }

  const sectionsOf = (page: Page) => page.getByRole('navigation').getByRole('link').allInnerTexts();
  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** Chooses a file in the browser's own dialog. */
  async function choose(page: Page, label: string, buffer: Buffer): Promise<void> {
    const opened = page.waitForEvent('filechooser');
    await page.getByLabel(new RegExp(`^${label}`)).click();
    await (await opened).setFiles({ name: 'file.bin', mimeType: 'application/octet-stream', buffer });
  }

  /** Confirms the dialog that a button has opened. */
  async function confirm(page: Page, title: RegExp, verb: string): Promise<void> {
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Creates an operator on the page of the administrator and signs in with a recovery code. */
  async function createOperator(loginName: string, role: string, context: BrowserContext): Promise<Page> {
    await open(adminPage, 'Operators');
    await adminPage.getByLabel(/^Login name/).fill(loginName);
    await adminPage.getByLabel(new RegExp(`^${role}:`)).check();
    await button(adminPage, 'Create').click();
    const secretOf = async (label: string) => (await adminPage.getByLabel(label, { exact: true }).innerText()).trim();
    const credentials = {
      loginName,
      password: await secretOf('Initial password'),
      secret: await secretOf('Secret of the authenticator app'),
      recoveryCodes: (await secretOf('Recovery codes')).split('\n'),
    };
    await button(adminPage, 'I have stored them').click();
    await shown(region(adminPage, 'Operators').getByText(loginName));
    const page = await openPage(context);
    await signInOperator(page, credentials, credentials.recoveryCodes[0] ?? '');
    await shown(page.getByText(loginName));
    return page;
  }

  async function insertDeadLetters(handler: string): Promise<string[]> {
    const client = new Client({ connectionString: database.adminUrl });
    await client.connect();
    const event = JSON.stringify({ id: randomUUID(), name: 'x', key: 'k', time: 0, payload: {} });
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO gateway.dead_letter (handler, event_id, key, event, attempts, parked_at)
       SELECT $1, gen_random_uuid(), 'k', $2, 10, now() FROM generate_series(1, 2) RETURNING id::text`,
      [handler, event],
    );
    await client.end();
    return rows.map(({ id }) => id);
  }

  test('a wrong code is explained, a code of the app signs in, and a reload keeps the session', async () => {
    await browser.checkAccessibility(adminPage);
    const keyboard = new Keyboard(adminPage);
    await keyboard.tabTo(adminPage.getByLabel(/^Login name/));
    await keyboard.press('Enter');
    await shown(adminPage.getByText('This is missing.'));
    await signInOperator(adminPage, admin, '000000');
    await shown(adminPage.getByRole('alert').getByText(/^Login name, password or code is wrong/));
    expect(await adminPage.getByLabel(/^Code/).inputValue()).toBe('');
    await signInOperator(adminPage, admin, totpCode(admin));
    await heading(adminPage, 'People');
    await adminPage.reload();
    await heading(adminPage, 'People');
    expect(await sectionsOf(adminPage)).toHaveLength(14);
    await keyboard.tabTo(adminPage.getByRole('link', { name: 'Audit list' }));
    await keyboard.press('Enter');
    await heading(adminPage, 'Audit list');
    expect(await adminPage.evaluate('Object.keys(localStorage).filter((key) => /session/.test(key))')).toEqual([]);
  });

  test('support finds a person and a family, sees why messages do not arrive, and no firmware', async () => {
    const page = await createOperator('sue', 'SUPPORT', await browser.newContext());
    await button(page, 'Menu').click();
    expect(await sectionsOf(page)).toEqual(['People', 'Families', 'Watches', 'My account']);
    await button(page, 'Menu').click();
    await page.getByLabel(/^Phone number/).fill('19999999999');
    await button(page, 'Search').click();
    await shown(page.getByRole('alert').getByText('No account has this phone number or id.'));
    await page.getByLabel(/^Phone number/).fill(parent.phoneNumber);
    await button(page, 'Search').click();
    await heading(page, 'Person');
    await shown(page.getByText('No event is blocked.'));
    await browser.checkAccessibility(page);
    expect(await page.getByRole('main').innerText()).not.toContain(parent.phoneNumber);
    await page.getByRole('link', { name: familyId }).click();
    await heading(page, 'Family');
    await shown(page.getByText('1 owner, 0 guardians, 0 caregivers, 0 contacts'));
    await shown(region(page, 'Deliveries').getByRole('link', { name: String(watch.did) }));
    expect(await page.getByRole('main').innerText()).not.toMatch(/Anna|Mia/);
    await browser.checkAccessibility(page);
    await page.goto(`${service.url}/operator/families`);
    await page.getByLabel('Family id').fill('unknown');
    await button(page, 'Search').click();
    await shown(page.getByText('There is no family unknown.'));
    await page.goto(`${service.url}/operator/images`);
    await shown(page.getByText('Your roles do not permit this.'));
    await page.close();
  });

  test('support suspends a person, whose session ends, and ends the suspension', async () => {
    const other = await signUp(service, 'Ben');
    await adminPage.goto(`${service.url}/operator/people/${other.userId}`);
    await button(adminPage, 'Suspend the account').click();
    await confirm(adminPage, new RegExp(other.userId), 'Suspend the account');
    await shown(adminPage.getByText('Suspended', { exact: true }));
    await expect(other.client.families.list()).rejects.toMatchObject({ status: 401 });
    await button(adminPage, 'End the suspension').click();
    await confirm(adminPage, new RegExp(other.userId), 'End the suspension');
    await shown(adminPage.getByText('Active', { exact: true }));
  });

  test('the fleet imports watches with progress, finds one, and revokes its key', async () => {
    const page = await createOperator('fred', 'FLEET', await browser.newContext({ viewport: DESKTOP }));
    expect(await sectionsOf(page)).toEqual([
      ...['Watches', 'Enrolment list', 'Firmware images', 'Groups of watches', 'Rollouts', 'App releases'],
      'My account',
    ]);
    await open(page, 'Enrolment list');
    const csv = `IMEI,KEY\n${IMEI},${MAKER_KEY}\n490154203237519,${MAKER_KEY}\nno line\n${IMEI},${MAKER_KEY}\n`;
    await choose(page, 'File', Buffer.from(csv));
    await button(page, 'Import').click();
    await shown(page.getByText('3 of 3 watches'));
    await shown(page.getByText('1 added, 0 with another key than before, 0 listed before, 1 twice in the file.'));
    await shown(page.getByText('2 lines are invalid: 3, 4'));
    await shown(region(page, 'Listed watches').getByText(IMEI));
    await browser.checkAccessibility(page);

    const claims = { imei: IMEI, model: 'W9', firmwareVersion: '1.0.0' };
    const did = await enrolWatch(createClient({ url: service.url }), await WatchKey.generate(), claims);
    await open(page, 'Watches');
    await page.getByLabel('State').selectOption('Unbound');
    await page.getByLabel('Model').fill('W9');
    await page.getByLabel('IMEI begins with').fill('4901');
    await button(page, 'Filter').click();
    const found = page.getByRole('table', { name: 'Watches' });
    await shown(found.getByRole('link', { name: String(did) }));
    expect(await found.getByText(String(watch.did)).count()).toBe(0);
    await browser.checkAccessibility(page);
    await found.getByRole('link', { name: String(did) }).click();
    await heading(page, 'Watch');
    await button(page, 'Revoke the key').click();
    await confirm(page, new RegExp(String(did)), 'Revoke the key');
    await shown(region(page, 'State of the watch').getByText('Key revoked').first());
    expect(await button(page, 'Revoke the key').count()).toBe(0);

    await open(page, 'Enrolment list');
    await button(page, `Remove: ${IMEI}`).click();
    await confirm(page, new RegExp(IMEI), 'Remove');
    await region(page, 'Listed watches').getByText(IMEI).waitFor({ state: 'detached' });
    await page.close();
  });

  test('a signed image is uploaded, and a rollout to a group is started, advanced, paused and stopped', async () => {
    const page = adminPage;
    const bytes = randomBytes(10_000);
    const digest = createHash('sha256').update(bytes).digest('hex');
    const signature = sign(
      null,
      Buffer.from(`family-watch/firmware\nW7\n2.0.0\n${bytes.length}\n${digest}`),
      privateKey,
    );
    await open(page, 'Firmware images');
    const upload = region(page, 'Upload a signed image');
    await upload.getByLabel(/^Model/).fill('W7');
    await upload.getByLabel(/^Version/).fill('2.0.1');
    await upload.getByLabel(/^Name of the key/).fill('release');
    await choose(page, 'Image file', bytes);
    await choose(page, 'Signature file', signature);
    await button(page, 'Upload').click();
    await shown(page.getByText('The signature does not match model, version, file and key.'));
    await upload.getByLabel(/^Version/).fill('2.0.0');
    await button(page, 'Upload').click();
    await shown(page.getByText('The image has arrived.'));
    await browser.checkAccessibility(page);

    await open(page, 'Groups of watches');
    await page.getByLabel(/^Name/).fill('testers');
    await button(page, 'Create').click();
    await page.getByRole('link', { name: 'testers' }).click();
    await heading(page, 'Group testers');
    await page.getByLabel('Numbers of watches (did)').fill(String(watch.did));
    await button(page, 'Add').click();
    await shown(page.getByText('One watch added.'));
    await shown(page.getByRole('link', { name: String(watch.did) }));

    await waitUntil('the image to be ready', async () => {
      await page.goto(`${service.url}/operator/rollouts`);
      await heading(page, 'Rollouts');
      await page.waitForLoadState('networkidle');
      return (await page.getByRole('option', { name: 'W7 2.0.0' }).count()) > 0;
    });
    await page.getByLabel(/^Image/).selectOption('W7 2.0.0');
    await page.getByLabel('Watches', { exact: true }).selectOption('testers');
    await page.getByLabel(/^Waves/).fill('50, 20, 100');
    await button(page, 'Create the rollout').click();
    await shown(page.getByText('Enter at most ten ascending percentages that end with 100.'));
    await page.getByLabel(/^Waves/).fill('50, 100');
    await button(page, 'Create the rollout').click();
    await page.getByRole('table', { name: 'Rollouts' }).getByRole('link', { name: 'W7 2.0.0' }).click();
    await heading(page, 'Rollout');
    const act = async (verb: string, state: string) => {
      await button(page, verb).click();
      await confirm(page, /rollout [0-9a-f-]{36}\?$/, verb);
      await shown(page.getByText(state, { exact: true }));
    };
    await act('Start', 'Running');
    await act('Next wave', '2 of 2');
    await act('Pause', 'Paused');
    await act('Resume', 'Running');
    await act('Stop', 'Stopped');
    await browser.checkAccessibility(page);
  });

  test('dead letters are replayed and dropped', async () => {
    const handler = `gateway.test.${randomUUID()}`;
    const [first = '', second = ''] = await insertDeadLetters(handler);
    const page = adminPage;
    await open(page, 'Event bus');
    await shown(region(page, 'gateway').getByText('Has dead letters'));
    await page.getByLabel('App', { exact: true }).selectOption('gateway');
    const letters = region(page, 'Dead letters');
    await letters.getByLabel('Handler').fill(handler);
    const select = (id: string) => letters.getByRole('checkbox', { name: `Select ${id}` });
    await select(first).check();
    await browser.checkAccessibility(page);
    await button(page, 'Replay (1)').click();
    await confirm(page, new RegExp(`Replay ${first} of gateway`), 'Replay (1)');
    await shown(letters.getByText('1 changed, 0 not found.'));
    await select(first).waitFor({ state: 'detached' });
    await select(second).check();
    await button(page, 'Drop (1)').click();
    await confirm(page, new RegExp(`Drop ${second} of gateway`), 'Drop (1)');
    await shown(letters.getByText('Nothing found.'));
  });

  test('a product is put on sale and retired, its order is listed, and a release is offered and withdrawn', async () => {
    const page = adminPage;
    await open(page, 'Products');
    await page.getByLabel(/^Product id/).fill('space-100');
    await page.getByLabel(/^Title/).fill('100 GB');
    await page.getByLabel(/^Price in the minor unit/).fill('990');
    await page.getByLabel(/^Cloud space in GB/).fill('100');
    await button(page, 'Put on sale').click();
    await shown(page.getByText('The product is on sale.'));
    await browser.checkAccessibility(page);
    const { orderId } = await parent.client.payments.createOrder({ productId: 'space-100', familyId });
    await button(page, 'Retire: space-100').click();
    await confirm(page, /space-100/, 'Retire');
    await shown(page.getByText('Retired', { exact: true }));
    await open(page, 'Orders');
    await shown(page.getByText(orderId));
    await page.getByLabel('State').selectOption('Refunded');
    await shown(page.getByText('Nothing found.'));

    await open(page, 'App releases');
    await page.getByLabel(/^Version/).fill('2.4.0');
    await page.getByLabel(/^Address of the app/).fill('https://apps.example.com/family-watch');
    await page.getByLabel('Notes in English').fill('Faster maps');
    await button(page, 'Save the release').click();
    await shown(page.getByText('The release is saved.'));
    await button(page, 'Withdraw: 2.4.0').click();
    await confirm(page, /2\.4\.0/, 'Withdraw');
    await shown(page.getByText('Withdrawn', { exact: true }));
    await browser.checkAccessibility(page);
  });

  test('the audit list shows it all, and a suspended operator is signed out by the next request', async () => {
    const context = await browser.newContext({ viewport: DESKTOP });
    const bill = await createOperator('bill', 'BILLING', context);
    await button(adminPage, 'Suspend: bill').click();
    await confirm(adminPage, /bill/, 'Suspend');
    await bill.getByRole('navigation').getByRole('link', { name: 'Orders' }).click();
    await shown(bill.getByText('Your session has ended. Sign in again.'));
    await bill.close();
    await open(adminPage, 'Audit list');
    const expected = [
      ...[
        'signInOperator',
        'createOperator',
        'findAccountState',
        'listFamilyStates',
        'getDeliveries',
        'suspendAccount',
      ],
      ...['addToEnrolmentList', 'listWatchStates', 'revokeWatchKey', 'createFirmwareImage', 'createRollout'],
      ...['changeRollout', 'replayDeadLetters', 'dropDeadLetters', 'setProduct', 'setAppRelease', 'suspendOperator'],
    ];
    const table = adminPage.getByRole('table');
    await waitUntil('an entry for each operation', async () => {
      const more = button(adminPage, 'Load more');
      // The button is there until its page has come, and then another one or none.
      if (await more.isVisible()) await more.click({ timeout: 2_000 }).catch(() => undefined);
      const shownText = await table.innerText();
      return expected.every((operation) => shownText.includes(operation));
    });
    const text = await table.innerText();
    expect(text).not.toContain(parent.phoneNumber);
    await browser.checkAccessibility(adminPage);
  });

  test('a sign-out ends the session here and in the service, and the parents are not affected', async () => {
    const token = await adminPage.evaluate<string>(
      `JSON.parse(sessionStorage.getItem('family-watch.operator-session')).accessToken`,
    );
    await open(adminPage, 'My account');
    await browser.checkAccessibility(adminPage);
    await button(adminPage, 'Sign out').click();
    await heading(adminPage, 'Family Watch for operators');
    expect(await adminPage.evaluate(`sessionStorage.getItem('family-watch.operator-session')`)).toBeNull();
    const response = await fetch(`${service.url}/apis/v2/operator/audit/list`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(401);
    await adminPage.goto(`${service.url}/operator/audit`);
    await heading(adminPage, 'Family Watch for operators');
    await expectFocusOfSignIn();
    expect((await parent.client.families.list()).items).toHaveLength(1);
  });

  /** The next code of the authenticator app would need half a minute, a recovery code does not. */
  async function expectFocusOfSignIn(): Promise<void> {
    await signInOperator(adminPage, admin, admin.recoveryCodes[0] ?? '');
    await heading(adminPage, 'Audit list');
    const keyboard = new Keyboard(adminPage);
    const link = adminPage.getByRole('link', { name: 'Families' });
    await keyboard.tabTo(link);
    await expectFocus(link);
  }

  test('a parent sees the id of the family, which the support asks for', async () => {
    const page = await browser.newPage(await browser.newContext());
    await page.goto(`${service.url}/sign-in`);
    await page.getByLabel('Phone number').fill(parent.phoneNumber);
    await page.getByLabel(/^Password/).fill('zebra-piano-41-rain');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(page, 'Children');
    await page.goto(`${service.url}/family/${familyId}`);
    await shown(page.getByText(`Family id for the support: ${familyId}`));
  });

  test('no page had an error, a violation of the Content-Security-Policy, or a barrier', () => {
    expect(browser.problems).toEqual([]);
    expect(browser.barriers).toEqual([]);
  });
});
