import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { DataExportEvents, ExportFailureReason } from '@family-watch/domain/privacy/contracts/data-export';
import type { DataExportDto } from '@family-watch/domain/privacy/dto/data-export.dto';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { DataExportsService } from '../../../src/privacy/data-exports/data-exports.service.js';
import { ExportScopeService } from '../../../src/privacy/data-exports/export-scope.service.js';
import { ExportSectionsService } from '../../../src/privacy/data-exports/export-sections.service.js';
import { ApiClient } from '../../support/api-client.js';
import { FamilyTestEnvironment, PASSWORD } from '../../support/family-test-environment.js';

type Change = DataExportEvents['userctx.data-export.changed'];

const DAY_MS = 86_400_000;
const stepUp = { password: PASSWORD };

let environment: FamilyTestEnvironment;
let exports: DataExportsService;
let sections: ExportSectionsService;
let owner: ApiClient;
let guardian: ApiClient;
let cid: string;
let familyId: string;

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
  exports = environment.app.get(DataExportsService, { strict: false });
  sections = environment.app.get(ExportSectionsService, { strict: false });
});
afterAll(() => environment.close());
beforeEach(async () => {
  owner = await environment.createPerson('Anna');
  guardian = await environment.createPerson('Ben');
  cid = await owner.createChild();
  familyId = await owner.familyId();
  await owner.addMember(guardian, { role: 2, permissions: ['LOCATION', 'ALERTS'] });
});

const latestOf = async (person: ApiClient) =>
  (await person.get('account/data/export/get')).body['export'] as DataExportDto | null;

async function request(person: ApiClient): Promise<string> {
  const { status, body } = await person.post('account/data/export', { stepUp });
  expect([status, body['state'], body['downloadURL']]).toEqual([200, 'WAITING', null]);
  return String(body['exportId']);
}

const report = (
  exportId: string,
  state: DataExportEvents['mcdisk.data-export.progressed']['state'],
  size = 0,
  time = Date.now(),
  failureReason?: ExportFailureReason,
) =>
  environment.publish([
    {
      id: randomUUID(),
      name: 'mcdisk.data-export.progressed',
      key: exportId,
      time: Date.now(),
      payload: {
        exportId,
        state,
        records: 7,
        files: 2,
        bytes: 99,
        size,
        time,
        ...(failureReason && { failureReason }),
      },
    },
  ]);

const changesOf = async (person: ApiClient) => {
  const events = await environment.events<Change & Record<string, unknown>>(
    `user:${person.id}`,
    'userctx.data-export.changed',
  );
  return events.map(({ payload: { exportId, state } }) => [exportId, state]);
};

/** Waits until the guardian's export has ended. */
const waitForEnd = (exportId: string) =>
  waitUntilFound('the end of the export', async () =>
    (await changesOf(guardian)).find(([id, state]) => id === exportId && state === 'ENDED'),
  );

/** Changes the membership of the guardian. */
const update = (changes: object) => owner.post('family/member/update', { familyId, userId: guardian.id, ...changes });

describe('an export', () => {
  test('requires a step-up', async () => {
    expect((await guardian.post('account/data/export', {})).body['reason']).toBe('STEP_UP_REQUIRED');
    const wrong = { stepUp: { password: 'wrong password' } };
    expect((await guardian.post('account/data/export', wrong)).body['reason']).toBe('STEP_UP_REQUIRED');
    expect(await latestOf(guardian)).toBeNull();
  });

  test('runs once at a time per person, also for concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => guardian.post('account/data/export', { stepUp })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    await request(owner);
  });

  test('reports its progress, and then returns a URL that is bound to person and session', async () => {
    const exportId = await request(guardian);
    await report(exportId, 'RUNNING');
    expect(await latestOf(guardian)).toMatchObject({ exportId, state: 'RUNNING', records: 7, files: 2, size: null });
    await report(exportId, 'READY', 1_234);
    const ready = await latestOf(guardian);
    expect(ready).toMatchObject({ state: 'READY', size: 1_234, expiresAt: expect.any(Number) });
    expect((ready?.expiresAt ?? 0) - Date.now()).toBeGreaterThan(6.9 * DAY_MS);
    const { pathname, searchParams } = new URL(ready?.downloadURL ?? '');
    expect(pathname).toBe('/app-api/mcdisk/data-export');
    const claims = decodeJwt(searchParams.get('ticket') ?? '');
    expect(claims).toMatchObject({ exportId, sub: `user:${guardian.id}`, sid: decodeJwt(guardian.token)['sid'] });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
    expect(await latestOf(owner)).toBeNull();
    // A report that is delivered late changes nothing.
    await report(exportId, 'RUNNING');
    expect(await latestOf(guardian)).toMatchObject({ state: 'READY' });
  });

  test('returns the URL only to the session that requested the export', async () => {
    const exportId = await request(guardian);
    await report(exportId, 'READY', 1_234);
    expect((await latestOf(guardian))?.downloadURL).not.toBeNull();
    const { body } = await guardian.post('account/sign-in', {
      areaCode: '+86',
      phoneNumber: guardian.phoneNumber,
      password: PASSWORD,
    });
    const second = new ApiClient(environment.baseUrl, guardian.id, guardian.phoneNumber, String(body['accessToken']));
    expect(await latestOf(second)).toMatchObject({ state: 'READY', downloadURL: null });
  });

  test('that is not completed within a day ends', async () => {
    const exportId = await request(guardian);
    await exports.endExpired(Date.now() + DAY_MS - 60_000);
    expect(await latestOf(guardian)).toMatchObject({ state: 'WAITING' });
    await exports.endExpired(Date.now() + DAY_MS);
    expect(await latestOf(guardian)).toMatchObject({ state: 'ENDED' });
    expect(await changesOf(guardian)).toEqual([
      [exportId, 'WAITING'],
      [exportId, 'ENDED'],
    ]);
    await request(guardian);
  });

  test('A39 that is postponed waits, for as long as mcdisk reports about it', async () => {
    const exportId = await request(guardian);
    await report(exportId, 'RUNNING');
    await report(exportId, 'WAITING', 0, Date.now() + DAY_MS / 2);
    expect(await latestOf(guardian)).toMatchObject({ exportId, state: 'WAITING', failureReason: null });
    await exports.endExpired(Date.now() + DAY_MS);
    expect(await latestOf(guardian)).toMatchObject({ exportId, state: 'WAITING' });
    expect(await changesOf(guardian)).toEqual([[exportId, 'WAITING']]);
    await exports.endExpired(Date.now() + 1.5 * DAY_MS);
    expect(await latestOf(guardian)).toMatchObject({ exportId, state: 'ENDED' });
  });

  test.each([
    ['TOO_LARGE', 'TOO_LARGE'],
    [undefined, 'ERROR'],
  ] as const)('A39 that failed for the reason %s shows the reason %s', async (reported, shown) => {
    const exportId = await request(guardian);
    await report(exportId, 'FAILED', 0, Date.now(), reported);
    expect(await latestOf(guardian)).toMatchObject({ exportId, state: 'FAILED', failureReason: shown });
  });

  test('that ended is forgotten after 30 days, and one with an archive is not', async () => {
    const ended = await request(guardian);
    await report(ended, 'FAILED');
    const ready = await request(owner);
    await report(ready, 'READY', 10);
    await exports.deleteExpiredRecords(Date.now() + 29 * DAY_MS);
    expect(await latestOf(guardian)).toMatchObject({ exportId: ended });
    await exports.deleteExpiredRecords(Date.now() + 31 * DAY_MS);
    expect(await latestOf(guardian)).toBeNull();
    expect(await latestOf(owner)).toMatchObject({ exportId: ready, state: 'READY' });
  });

  test('replaces the previous archive of the person', async () => {
    const first = await request(guardian);
    await report(first, 'READY', 10);
    const second = await request(guardian);
    expect(await changesOf(guardian)).toEqual([
      [first, 'WAITING'],
      [first, 'READY'],
      [first, 'ENDED'],
      [second, 'WAITING'],
    ]);
  });

  test('can be requested again after a failure', async () => {
    const failed = await request(guardian);
    await report(failed, 'FAILED');
    expect(await latestOf(guardian)).toMatchObject({ state: 'FAILED', downloadURL: null });
    await request(guardian);
  });

  test('ends when it expires', async () => {
    const exportId = await request(guardian);
    await report(exportId, 'READY', 10);
    await exports.endExpired(Date.now() + 6.9 * DAY_MS);
    expect(await latestOf(guardian)).toMatchObject({ state: 'READY' });
    await exports.endExpired(Date.now() + 7.1 * DAY_MS);
    expect(await latestOf(guardian)).toMatchObject({ state: 'ENDED', downloadURL: null });
    expect(await changesOf(guardian)).toContainEqual([exportId, 'ENDED']);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['is removed from the family', () => owner.post('family/member/remove', { familyId, userId: guardian.id })],
    ['loses a permission', () => update({ permissions: ['LOCATION'] })],
    ['gets a lower role', () => update({ role: 3 })],
  ])('ends when the person %s, without a request of the person', async (_, change) => {
    const exportId = await request(guardian);
    await report(exportId, 'READY', 10);
    const ofOwner = await request(owner);
    await report(ofOwner, 'READY', 10);
    await change();
    await waitForEnd(exportId);
    expect(await latestOf(guardian)).toMatchObject({ state: 'ENDED', downloadURL: null });
    expect(await latestOf(owner)).toMatchObject({ state: 'READY' });
  });
});

describe('an export of rights that the person receives while the archive is assembled', () => {
  test('ends when the person loses a new permission', async () => {
    const exportId = await request(guardian);
    await update({ permissions: ['LOCATION', 'ALERTS', 'CLOUD'] });
    await report(exportId, 'READY', 10);
    expect(await latestOf(guardian)).toMatchObject({ state: 'READY' });
    await update({ permissions: ['LOCATION', 'ALERTS'] });
    await waitForEnd(exportId);
  });

  test('ends when the person leaves a new family', async () => {
    const exportId = await request(guardian);
    const other = await environment.createPerson('Cleo');
    await other.createChild();
    await other.addMember(guardian, { role: 2, permissions: ['LOCATION'] });
    await report(exportId, 'RUNNING');
    await other.post('family/member/remove', { familyId: await other.familyId(), userId: guardian.id });
    await waitForEnd(exportId);
  });

  test('ends when the person loses a permission in a family without children', async () => {
    const scopes = environment.app.get(ExportScopeService, { strict: false });
    await update({ permissions: ['LOCATION', 'CLOUD'] });
    await owner.get('child/delete', { cid });
    const { rights } = await scopes.find(guardian.id);
    expect(rights.filter((right) => right.startsWith('child:'))).toEqual([]);
    expect(await scopes.hasAll(guardian.id, rights)).toBe(true);
    await update({ permissions: ['LOCATION'] });
    expect(await scopes.hasAll(guardian.id, rights)).toBe(false);
  });
});

describe('the sections of an export', () => {
  test('contain everything about account, families, children and watches that the person may read', async () => {
    const watch = await environment.createBoundWatch(familyId, cid);
    const documents = await sections.listDocuments(owner.id);
    // The watch of the fixture is not enrolled, so it has no details.
    for (const { section, id } of documents.filter((document) => document.section !== 'watch')) {
      const page = await sections.readPage({ userId: owner.id, section, id, cursor: null });
      expect([section, page?.nextCursor]).toEqual([section, null]);
    }
    const paths = documents.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toEqual(
      expect.arrayContaining([
        'account/profile.json',
        `families/${familyId}/members.json`,
        `children/${cid}/locations.json`,
        `children/${cid}/contacts.json`,
      ]),
    );
    const read = async (section: string, id: string) =>
      (await sections.readPage({ userId: owner.id, section, id, cursor: null }))?.records;
    expect(await read('profile', '')).toMatchObject([{ userId: owner.id }]);
    expect(await read('child', cid)).toMatchObject([{ cid }]);
    expect(await read('contacts', String(watch.did))).toHaveLength(2);
  });

  test('contain nothing that the person may not read', async () => {
    const [stranger, contact] = [await environment.createPerson('Dora'), await environment.createPerson('Emil')];
    await owner.addMember(contact, { role: 4, permissions: ['CHAT'] });
    const watch = await environment.createBoundWatch(familyId, cid);
    const documents = await sections.listDocuments(owner.id);
    const ids = new Set([familyId, cid, String(watch.did)]);
    for (const { section, id } of documents.filter((document) => ids.has(document.id))) {
      expect([section, await sections.readPage({ userId: stranger.id, section, id, cursor: null })]).toEqual([
        section,
        null,
      ]);
    }
    expect((await sections.listDocuments(stranger.id)).map(({ path }) => path)).toEqual([
      'account/profile.json',
      'account/sessions.json',
      'account/consents.json',
      'account/families.json',
    ]);
    const page = { userId: contact.id, section: 'locations', id: cid, cursor: null };
    expect(await sections.readPage(page)).toBeNull();
    expect(await sections.readPage({ ...page, section: 'access-log' })).toBeNull();
  });
});
