import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { expectError, expectSuccess } from '../envelopes.js';
import { FamilyFixture } from '../family-fixture.js';
import { CLOUD_PATH } from '../http-client.js';
import { VALID_CHILD, Parent } from '../parent.js';
import { TestService } from '../test-service.js';
import { WATCH_PATH } from '../watch.js';
import type { Deployment } from '../deployments.js';

const PLAIN_CHILD_PATH = '/apis/v2/userctx/user/child/';
const ENVELOPE_CHILD_PATH = '/hmd-wx/api/v2/userctx/user/child/';
const POINT_TYPES = { UNKNOWN: 0, GPS: 1, WIFI: 2, CELL: 3, IP: 4 };

/** Tests each clause of section 2 of the interface specification, on both path prefixes. */
export function testSection2(deployment: Deployment): void {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    fixture = await FamilyFixture.create(service);
  });
  afterAll(() => service.stop());

  async function findChild(cid: string, path = PLAIN_CHILD_PATH): Promise<Record<string, unknown>> {
    const data = expectSuccess(path, await fixture.owner.get(`${path}get`)) as { childList: { cid: string }[] };
    const item = data.childList.find((child) => child.cid === cid);
    if (!item) throw new Error('Not in the list');
    return item;
  }

  const report = (positionTime: number, pointType: number) =>
    fixture.watch.post(`${WATCH_PATH}location/report`, {
      points: [{ latitude: '31.230416', longitude: '121.4700', positionTime, radius: 25, pointType }],
    });

  describe.each([PLAIN_CHILD_PATH, ENVELOPE_CHILD_PATH])('on %s', (path) => {
    test('2.1 a child has cid, stepCount, name, device and lastLocation; avatar is optional', async () => {
      const bare = await fixture.owner.createChild();
      expect(await findChild(bare, path)).toEqual({
        cid: bare,
        stepCount: 0,
        name: 'Mia',
        device: null,
        lastLocation: null,
      });
      const shown = await fixture.owner.createChild({ avatar: 'media/1' });
      expect(await findChild(shown, path)).toMatchObject({ cid: expect.any(String), avatar: 'media/1' });
    });

    test('2.2 a device has did, battery, signal, signalMax and ticket', async () => {
      const { device } = await findChild(fixture.cid, path);
      expect(device).toEqual({
        did: fixture.watch.did,
        battery: expect.any(Number),
        signal: expect.any(Number),
        signalMax: expect.any(Number),
        ticket: expect.stringMatching(/./),
      });
      expect(Number.isSafeInteger((device as { did: number }).did)).toBe(true);
    });

    test.each(Object.entries(POINT_TYPES))(
      '2.3 pointType %s = %i is accepted, and lastLocation has the specified fields',
      async (_, pointType) => {
        const positionTime = Date.now();
        const { results } = expectSuccess(WATCH_PATH, await report(positionTime, pointType)) as { results: object[] };
        expect(results).toMatchObject([{ accepted: true }]);
        const { lastLocation } = await findChild(fixture.cid, path);
        expect(lastLocation).toEqual({
          latitude: '31.230416',
          longitude: '121.4700',
          radius: 25,
          positionTime: expect.any(Number),
          pointType: expect.any(Number),
        });
      },
    );
  });

  test('2.2 battery, signal and signalMax are the last reported values', async () => {
    const socket = await fixture.watch.connect();
    const heartbeat = { battery: 83, signal: 3, signalMax: 4 };
    expect(await socket.send('HeartbeatMessage', heartbeat)).toMatchObject({ ok: true });
    await waitFor(async () => expect((await findChild(fixture.cid))['device']).toMatchObject(heartbeat));
    fixture.disconnectAll();
  });

  test('2.3 a point with a pointType that the specification does not list is rejected and does not become the last location', async () => {
    const before = await findChild(fixture.cid);
    for (const pointType of [-1, 5, 1.5]) {
      const { results } = expectSuccess(WATCH_PATH, await report(Date.now(), pointType)) as {
        results: { accepted: boolean }[];
      };
      expect(results).toMatchObject([{ accepted: false }]);
    }
    expect(await findChild(fixture.cid)).toEqual(before);
  });

  describe.each([
    `${PLAIN_CHILD_PATH}create`,
    `${ENVELOPE_CHILD_PATH}create`,
    `${PLAIN_CHILD_PATH}update`,
    `${ENVELOPE_CHILD_PATH}update`,
  ])('validation by %s', (path) => {
    let parent: Parent;
    let cid: string;

    beforeAll(async () => {
      parent = await Parent.signUp(service);
      cid = await parent.createChild();
    });

    const write = (fields: object) => parent.post(path, { ...VALID_CHILD, cid, ...fields });

    test.each([
      ['UNKNOWN', 0],
      ['MAN', 2],
      ['WOMAN', 3],
    ])('2.4 gender %s = %i is accepted', async (_, gender) => {
      expectSuccess(path, await write({ gender }));
    });

    test.each([1, 4, -1, 2.5, '2'])('2.4 gender %p is rejected', async (gender) => {
      const answer = await write({ gender });
      expectError(path, answer, 'VALIDATION_FAILED');
      expect(fieldsOf(answer.body)).toEqual(['gender']);
    });

    test.each<[string, string, unknown]>([
      ['name', 'required, with at least one character', ''],
      ['name', 'present', undefined],
      ['name', 'a string', 7],
      ['phoneNumber', 'a number that begins with 1', '23812345678'],
      ['phoneNumber', 'a number whose second digit is 3 to 9', '12812345678'],
      ['phoneNumber', 'a number of eleven digits, not ten', '1381234567'],
      ['phoneNumber', 'a number of eleven digits, not twelve', '138123456789'],
      ['phoneNumber', 'a number without other characters', '13812345678\n'],
      ['phoneNumber', 'a number of ASCII digits', '1381234567٣'],
      ['phoneNumber', 'a string', 13_812_345_678],
      ['areaCode', 'a string of at least one character', ''],
      ['avatar', 'a string', 7],
      ['birthday', 'a string', 20_180_504],
      ['appellation', 'a string of at least one character', ''],
      ['weight', 'at least 100', 99],
      ['weight', 'at most 200', 201],
      ['weight', 'an integer', 120.5],
      ['weight', 'a number', '120'],
      ['weight', 'an int32', 2 ** 53 + 2],
      ['height', 'at least 100', 99],
      ['height', 'at most 200', 201],
      ['height', 'an integer', 120.5],
      ['height', 'a number', true],
    ])('2.5 the child field %s must be %s, so the value %p is rejected', async (field, _, value) => {
      const answer = await write({ [field]: value });
      expectError(path, answer, 'VALIDATION_FAILED');
      expect(fieldsOf(answer.body)).toEqual([field]);
    });

    test.each([
      ['weight', 100],
      ['weight', 200],
      ['height', 100],
      ['height', 200],
      ['name', 'M'],
      ['appellation', 'M'],
      ['areaCode', '1'],
      ['areaCode', 'x'],
      ['areaCode', '+'],
      ['areaCode', 'CN'],
      ['phoneNumber', '19999999999'],
      ['avatar', ''],
      ['birthday', ''],
    ])('2.5 the child field %s accepts the value %p', async (field, value) => {
      expectSuccess(path, await write({ [field]: value }));
    });
  });

  test.each(['avatar', 'birthday'])(
    '2.5 the child field %s is optional on create; an update without it keeps the value',
    async (field) => {
      const parent = await Parent.signUp(service);
      const cid = await parent.createChild({ [field]: 'x' });
      expectSuccess(PLAIN_CHILD_PATH, await parent.post('child/update', { ...VALID_CHILD, cid }));
      expect((await parent.get('child/detail', { cid })).body).toMatchObject({ [field]: 'x' });
    },
  );

  test('2.5 cid is for update only: create ignores it', async () => {
    const { body } = await fixture.owner.post('child/create', { ...VALID_CHILD, cid: fixture.cid });
    expect(body['cid']).not.toBe(fixture.cid);
  });

  describe('2.6 the contact update takes deviceId, appellation, identityType, role and refId', () => {
    const path = '/hmd-wx/api/v2/userctx/user/device/contacts/update';

    test.each([
      ['deviceId', 'a string', '7'],
      ['deviceId', 'greater than 2^53 − 1', 9_007_199_254_740_992],
      ['deviceId', 'a fraction', 1.5],
      ['appellation', 'a number', 7],
      ['identityType', 'a string', '1'],
      ['role', 'a string', '2'],
      ['refId', 'a number', 7],
    ])('rejects %s if it is %s', async (field, _, value) => {
      const body = { deviceId: fixture.watch.did, refId: await fixture.contactOf(fixture.owner), [field]: value };
      const answer = await fixture.owner.post(path, body);
      expectError(path, answer, 'VALIDATION_FAILED');
      expect(fieldsOf(answer.body)).toEqual([field]);
    });
  });

  describe('2.7 the deletion takes ticket, commonAccountInfo, contentIDList, path, cloudID, cloudType and catalogType', () => {
    const path = `${CLOUD_PATH}deleteContents`;
    const request = () => ({
      ticket: '',
      commonAccountInfo: { accountType: 1 },
      contentIDList: ['x'],
      path: '',
      cloudID: fixture.familyId,
      cloudType: 1,
      catalogType: 3,
    });

    test('returns deleteContIDList and failureContIDList', async () => {
      const contentID = await fixture.storeFile();
      const { ticket } = (await findChild(fixture.cid))['device'] as { ticket: string };
      const body = { ...request(), ticket, contentIDList: [contentID, 'x'] };
      expect(expectSuccess(path, await fixture.owner.post(path, body))).toEqual({
        deleteContIDList: [contentID],
        failureContIDList: ['x'],
      });
    });

    test.each([
      ['ticket', 7],
      ['commonAccountInfo.accountType', 'x'],
      ['contentIDList', 'x'],
      ['contentIDList', []],
      ['contentIDList', [1]],
      ['path', 1],
      ['cloudID', 7],
      ['cloudType', '1'],
      ['catalogType', '3'],
    ])('rejects %s if it is %j', async (field, value) => {
      const [first = '', inner] = field.split('.');
      const answer = await fixture.owner.post(path, { ...request(), [first]: inner ? { [inner]: value } : value });
      expectError(path, answer, 'VALIDATION_FAILED');
      expect(fieldsOf(answer.body)).toEqual([field]);
    });
  });
}

/** Returns the invalid fields that the error names, each once. */
function fieldsOf(body: Record<string, unknown>): string[] {
  return [...new Set((body['details'] as { field: string }[]).map(({ field }) => field))];
}
