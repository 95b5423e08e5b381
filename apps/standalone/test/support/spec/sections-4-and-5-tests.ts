import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectError, expectSuccess } from '../envelopes.js';
import { FamilyFixture } from '../family-fixture.js';
import { CLOUD_PATH, HttpClient } from '../http-client.js';
import { VALID_CHILD, Parent } from '../parent.js';
import { TestService } from '../test-service.js';
import type { Deployment } from '../deployments.js';

const USER_PATHS = ['/apis/v2/userctx/user/', '/hmd-wx/api/v2/userctx/user/'];
const DELETE_CONTENTS = `${CLOUD_PATH}deleteContents`;
const UPDATE_CONTACT = '/hmd-wx/api/v2/userctx/user/device/contacts/update';

/** Tests each clause of sections 4 and 5 of the interface specification. */
export function testSections4And5(deployment: Deployment): void {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    fixture = await FamilyFixture.create(service);
  });
  afterAll(() => service.stop());

  describe.each(USER_PATHS)('4.1 child management on %s', (prefix) => {
    const path = `${prefix}child/`;
    let parent: Parent;

    beforeEach(async () => {
      parent = await Parent.signUp(service);
    });

    const create = async () =>
      (expectSuccess(path, await parent.post(`${path}create`, VALID_CHILD)) as { cid: string }).cid;
    const cids = async (of = parent) => {
      const { childList } = expectSuccess(path, await of.get(`${path}get`)) as { childList: { cid: string }[] };
      return childList.map(({ cid }) => cid);
    };

    test('4.1 GetChild is a GET without fields that returns an object with childList', async () => {
      expect(expectSuccess(path, await parent.get(`${path}get`))).toEqual({ childList: [] });
    });

    test('4.1 CreateChild is a POST with a JSON body that returns an object with cid', async () => {
      const data = expectSuccess(path, await parent.post(`${path}create`, VALID_CHILD));
      expect(data).toEqual({ cid: expect.stringMatching(/./) });
    });

    test('4.1 UpdateChild is a POST with all fields and cid that returns an empty object', async () => {
      const cid = await create();
      const changed = {
        ...VALID_CHILD,
        name: 'Mia May',
        gender: 2,
        weight: 200,
        height: 100,
        avatar: 'a',
        birthday: 'b',
      };
      expect(expectSuccess(path, await parent.post(`${path}update`, { ...changed, cid }))).toEqual({});
      expect((await parent.get('child/detail', { cid })).body).toMatchObject({ ...changed, cid });
    });

    test('4.1 DeleteChild returns an empty object', async () => {
      const cid = await create();
      expect(expectSuccess(path, await parent.get(`${path}delete`, { cid }))).toEqual({});
    });

    test('4.1.1 GetChild returns only the children of the calling user', async () => {
      const [first, second] = [await create(), await create()];
      expect((await cids()).toSorted()).toEqual([first, second].toSorted());
      expect(await cids(fixture.owner)).not.toContain(first);
    });

    test('4.1.2 CreateChild and UpdateChild validate their body by the rules in 2.5', async () => {
      const cid = await create();
      for (const operation of ['create', 'update']) {
        const answer = await parent.post(path + operation, { cid, gender: 1, weight: 99, height: 201, name: '' });
        expectError(path, answer, 'VALIDATION_FAILED');
        const fields = (answer.body['details'] as { field: string }[]).map(({ field }) => field);
        expect(new Set(fields)).toEqual(
          new Set(['name', 'phoneNumber', 'areaCode', 'appellation', 'gender', 'weight', 'height']),
        );
      }
      expect(await cids()).toEqual([cid]);
    });

    test('4.1.3 DeleteChild is a GET operation that deletes the child', async () => {
      const cid = await create();
      expectSuccess(path, await parent.get(`${path}delete`, { cid }));
      expect(await cids()).toEqual([]);
      expectError(path, await parent.get(`${path}delete`, { cid }), 'CHILD_NOT_FOUND');
      expectError(path, await parent.post(`${path}update`, { ...VALID_CHILD, cid }), 'CHILD_NOT_FOUND');
    });

    test('4.1 the cid of DeleteChild has minimum length 1', async () => {
      expectError(path, await parent.get(`${path}delete`), 'VALIDATION_FAILED');
      expectError(path, await parent.get(`${path}delete`, { cid: '' }), 'VALIDATION_FAILED');
    });

    test('4.1.4 the cid of DeleteChild is taken from the query and from the path', async () => {
      const [first, second] = [await create(), await create()];
      expectSuccess(path, await parent.get(`${path}delete?cid=${first}`));
      expectSuccess(path, await parent.get(`${path}delete/${second}`));
      expect(await cids()).toEqual([]);
    });
  });

  test('4.1.5 child responses have no envelope on /apis/v2, and an envelope of code, message and data on /hmd-wx/api/v2', async () => {
    const [plain, wrapped] = [await fixture.owner.get('child/get'), await fixture.owner.wrapped.get('child/get')];
    expect(plain.body).toEqual({ childList: [expect.objectContaining({ cid: fixture.cid })] });
    expect(wrapped.body).toEqual({ code: 0, message: 'ok', data: plain.body });
    for (const { headers } of [plain, wrapped]) expect(headers.get('content-type')).toMatch(/^application\/json/);
  });

  describe('4.2 delete family cloud files', () => {
    const remove = (contentIDList: string[], headers: Record<string, string> = {}) =>
      fixture.owner.post(DELETE_CONTENTS, { cloudID: fixture.familyId, contentIDList }, headers);

    test('4.2 returns 200 and application/json with code, data and msg', async () => {
      const { status, headers, body } = await remove([await fixture.storeFile()]);
      expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)]);
      expect(body).toEqual({ code: 0, data: expect.any(Object), msg: expect.any(String) });
    });

    test('4.2 deleteContIDList lists the deleted ids, failureContIDList the ids that were not deleted', async () => {
      const [first, second, unknown] = [await fixture.storeFile(), await fixture.storeFile(), randomUUID()];
      expect(expectSuccess(DELETE_CONTENTS, await remove([first, unknown, second, 'x', first]))).toEqual({
        deleteContIDList: [first, second],
        failureContIDList: [unknown, 'x'],
      });
    });

    test('4.2 files of another family are in failureContIDList and are not deleted', async () => {
      const other = await FamilyFixture.create(service);
      const contentID = await other.storeFile();
      const data = expectSuccess(DELETE_CONTENTS, await remove([contentID]));
      expect(data).toEqual({ deleteContIDList: [], failureContIDList: [contentID] });
      const listed = await other.owner.post(`${CLOUD_PATH}queryContentList`, { cloudID: other.familyId });
      expect(listed.text).toContain(contentID);
    });

    test('4.2 the header accessToken has no effect, with or without a value', async () => {
      for (const accessToken of ['', 'nonsense', fixture.guardian.token ?? '']) {
        expect((await remove(['x'], { accessToken })).status).toBe(200);
      }
    });
  });

  describe('4.3 update contact member', () => {
    test('4.3 the body of 2.6 changes the contact; the response has code, message and data', async () => {
      const refId = await fixture.contactOf(fixture.guardian);
      const body = { deviceId: fixture.watch.did, appellation: 'Papa', identityType: 1, role: 3, refId };
      const data = expectSuccess(UPDATE_CONTACT, await fixture.owner.post(UPDATE_CONTACT, body));
      expect(data).toMatchObject({ refId, appellation: 'Papa', identityType: 1, role: 3 });
      const list = await fixture.owner.get<{ items: object[] }>('device/contacts/list', {
        deviceId: fixture.watch.did,
      });
      expect(list.body.items).toContainEqual(data);
    });

    test('4.3 returns no envelope on /apis/v2', async () => {
      const refId = await fixture.contactOf(fixture.owner);
      const body = { deviceId: fixture.watch.did, refId, appellation: 'Mama' };
      const answer = await fixture.owner.post('device/contacts/update', body);
      expect(answer).toMatchObject({ status: 200, body: { refId, appellation: 'Mama' } });
      expect(answer.body).not.toHaveProperty('code');
    });
  });

  describe('5 authentication', () => {
    const operations: [string, string, (() => object)?][] = [
      ...USER_PATHS.flatMap((prefix): [string, string, (() => object)?][] => [
        ['GET', `${prefix}child/get`],
        ['POST', `${prefix}child/create`, () => VALID_CHILD],
        ['POST', `${prefix}child/update`, () => ({ ...VALID_CHILD, cid: fixture.cid })],
        ['GET', `${prefix}child/delete?cid=x`],
        ['POST', `${prefix}device/contacts/update`, () => ({ deviceId: fixture.watch.did, refId: 'x' })],
      ]),
      ['POST', DELETE_CONTENTS, () => ({ cloudID: fixture.familyId, contentIDList: ['x'] })],
    ];
    const ask = (token: string | undefined, [method, path, body]: (typeof operations)[number], more = {}) =>
      new HttpClient(service.url, token).send(method, path, {
        ...(body ? { body: JSON.stringify(body()) } : {}),
        headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...more },
      });

    test.each(operations)('5.1, 5.3 %s %s accepts a token only as Authorization: Bearer', async (...operation) => {
      const [, path] = operation;
      expectError(path, await ask(undefined, operation), 'TOKEN_MISSING');
      expectError(path, await ask('nonsense', operation), 'TOKEN_INVALID');
      expect((await ask(fixture.owner.token, operation)).status).not.toBe(401);
    });

    test('5.2 the header accessToken of 4.2 does not replace Authorization', async () => {
      const operation = operations.at(-1) as (typeof operations)[number];
      const accessToken = fixture.owner.token ?? '';
      expectError(DELETE_CONTENTS, await ask(undefined, operation, { accessToken }), 'TOKEN_MISSING');
      expectError(DELETE_CONTENTS, await ask('nonsense', operation, { accessToken }), 'TOKEN_INVALID');
    });

    test('5.4 a token is issued at sign-in, is valid for ten minutes, and can be refreshed', async () => {
      const { refreshToken } = (await fixture.owner.signInOnSecondPhone()).tokens;
      const answer = await new HttpClient(service.url).post('account/token/refresh', { refreshToken });
      expect(answer).toMatchObject({
        status: 200,
        body: { tokenType: 'Bearer', expiresIn: 600, userId: fixture.owner.userId },
      });
      const renewed = new HttpClient(service.url, String(answer.body['accessToken']));
      expect((await renewed.get('child/get')).status).toBe(200);
    });
  });
}
