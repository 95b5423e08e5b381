import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { FamilyTestEnvironment } from '../support/family-test-environment.js';
import { CHILD, type ApiClient } from '../support/api-client.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let environment: FamilyTestEnvironment;
let owner: ApiClient;
let cid: string;

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
  owner = await environment.createPerson();
  cid = await owner.createChild();
});
afterAll(() => environment.close());

function createBodyWithout(field: string): object {
  return Object.fromEntries(Object.entries(CHILD).filter(([name]) => name !== field));
}

describe('GetChild', () => {
  test('returns the watch, today’s steps and the last location', async () => {
    const parent = await environment.createPerson();
    const child = await parent.createChild({ avatar: 'media/1', timeZone: 'Pacific/Kiritimati' });
    const familyId = await parent.familyId();
    const { did } = await environment.createBoundWatch(familyId, child);
    const beforeReports = (await parent.get('child/get')).body['childList'] as Record<string, unknown>[];
    expect(beforeReports[0]?.['device']).toEqual({
      did,
      battery: 0,
      signal: 0,
      signalMax: 0,
      ticket: expect.any(String),
    });
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Kiritimati' }).format();
    await environment.query(
      `INSERT INTO userctx.watch_status (did, battery, signal, signal_max, last_seen) VALUES ($1, 83, 3, 4, 1)`,
      [did],
    );
    await environment.query(`INSERT INTO userctx.step_day VALUES ($1, $2::date, 4210), ($1, $2::date - 1, 99)`, [
      child,
      today,
    ]);
    await environment.query(
      `INSERT INTO userctx.child_location VALUES ($1, $2, 1790000000000, 1, '31.230416', '121.4700', 25, 0, 1)`,
      [child, did],
    );
    const { body } = await parent.get('child/get');
    expect(body['childList']).toEqual([
      {
        cid: child,
        stepCount: 4210,
        name: 'Mia',
        avatar: 'media/1',
        device: { did, battery: 83, signal: 3, signalMax: 4, ticket: expect.any(String) },
        lastLocation: {
          latitude: '31.230416',
          longitude: '121.4700',
          positionTime: 1_790_000_000_000,
          radius: 25,
          pointType: 1,
        },
      },
    ]);
  });

  test('returns a ticket for watch and cloud that is valid for an hour and rejected as an access token', async () => {
    const parent = await environment.createPerson();
    const familyId = await parent.createChild().then(() => parent.familyId());
    const [child] = (await parent.get('child/get')).body['childList'] as { cid: string }[];
    const { did } = await environment.createBoundWatch(familyId, child?.cid ?? '');
    const [listed] = (await parent.get('child/get')).body['childList'] as { device: { ticket: string } }[];
    const ticket = listed?.device.ticket ?? '';
    const claims = decodeJwt(ticket);
    expect(decodeProtectedHeader(ticket)).toMatchObject({ typ: 'fct+jwt', alg: 'EdDSA' });
    expect(claims).toMatchObject({
      aud: 'family-watch/mcdisk',
      did,
      cloudID: familyId,
      scope: ['read', 'add', 'delete'],
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3_600);
    const response = await fetch(`${environment.baseUrl}/apis/v2/userctx/user/child/get`, {
      headers: { authorization: `Bearer ${ticket}` },
    });
    expect(response.status).toBe(401);
  });
});

describe('child fields', () => {
  /** Violated rule and invalid values, besides those of the clauses of specification 2.5. */
  const invalidFields: [string, object][] = [
    ['isString', { name: null }],
    ['isStorableText', { name: 'half a \ud800 pair' }],
    ['isStorableText', { name: 'NUL \u0000' }],
    ['maxLength', { areaCode: 'x'.repeat(65) }],
    ['isInt', { height: null }],
    ['isString', { appellation: undefined }],
  ];

  test.each(invalidFields)('create and update reject with the rule %s the fields %j', async (rule, fields) => {
    const [field] = Object.keys(fields);
    for (const path of ['child/create', 'child/update']) {
      const { status, body } = await owner.post(path, { ...CHILD, cid, ...fields });
      expect([status, body['reason']]).toEqual([400, 'VALIDATION_FAILED']);
      expect(body['details']).toContainEqual({ field, rule, message: expect.any(String) });
    }
    expect((await owner.get('child/get')).body['childList']).toHaveLength(1);
    expect((await owner.get('child/detail', { cid })).body).toMatchObject({ ...CHILD, cid });
  });

  test('stores an omitted gender as UNKNOWN and the area code with +, and ignores unknown fields', async () => {
    const parent = await environment.createPerson();
    const { body } = await parent.post('child/create', {
      ...createBodyWithout('gender'),
      areaCode: '0086',
      cid: UNKNOWN_ID,
      familyId: UNKNOWN_ID,
      stepCount: 9,
    });
    expect(body['cid']).not.toBe(UNKNOWN_ID);
    const { body: detail } = await parent.get('child/detail', { cid: String(body['cid']) });
    expect(detail).toMatchObject({ gender: 0, areaCode: '+86', timeZone: 'Asia/Shanghai' });
    expect(detail['familyId']).toBe(await parent.familyId());
  });
});

describe('UpdateChild', () => {
  test('changes the sent fields, and leaves an omitted avatar, birthday or gender unchanged', async () => {
    const parent = await environment.createPerson();
    const child = await parent.createChild({ avatar: 'media/1', birthday: '2018-05-04' });
    const { status, body } = await parent.post('child/update', {
      ...createBodyWithout('gender'),
      cid: child,
      name: 'Mia May',
    });
    expect([status, body]).toEqual([200, {}]);
    expect((await parent.get('child/detail', { cid: child })).body).toMatchObject({
      name: 'Mia May',
      avatar: 'media/1',
      birthday: '2018-05-04',
      gender: 3,
    });
    await parent.post('child/update', { ...CHILD, cid: child, avatar: '', gender: 0 });
    expect((await parent.get('child/detail', { cid: child })).body).toMatchObject({ avatar: '', gender: 0 });
  });

  test('returns the same error for a child of another family, an unknown and a malformed cid', async () => {
    const stranger = await environment.createPerson();
    await stranger.createChild();
    const responses = [];
    for (const id of [cid, UNKNOWN_ID, 'nonsense', '']) {
      responses.push(await stranger.post('child/update', { ...CHILD, cid: id, name: 'Taken' }));
    }
    expect(responses[0]).toMatchObject({ status: 404, body: { reason: 'CHILD_NOT_FOUND' } });
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect((await owner.get('child/detail', { cid })).body['name']).toBe('Mia');
  });
});

describe('DeleteChild', () => {
  test('returns 404 for a path with a trailing slash, and deletes nothing', async () => {
    expect((await owner.get(`child/delete/?cid=${cid}`)).body).toMatchObject({ reason: 'ROUTE_NOT_FOUND' });
    expect((await owner.get(`child/delete/${cid}/`)).body).toMatchObject({ reason: 'ROUTE_NOT_FOUND' });
    expect((await owner.get('child/detail', { cid })).status).toBe(200);
  });

  test('deletes nothing on a HEAD request', async () => {
    const headers = { authorization: `Bearer ${owner.token}` };
    const response = await fetch(`${environment.baseUrl}/apis/v2/userctx/user/child/delete?cid=${cid}`, {
      method: 'HEAD',
      headers,
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect((await owner.get('child/detail', { cid })).status).toBe(200);
  });

  test.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
  ])('deletes nothing when a browser loads the URL in advance (%s: %s)', async (name, value) => {
    const headers = { authorization: `Bearer ${owner.token}`, [name]: value };
    const response = await fetch(`${environment.baseUrl}/apis/v2/userctx/user/child/delete?cid=${cid}`, { headers });
    expect(await response.json()).toMatchObject({ code: 403001, reason: 'FORBIDDEN' });
    expect((await owner.get('child/detail', { cid })).status).toBe(200);
  });

  test('returns the same error for a child of another family as for an unknown child, and deletes nothing', async () => {
    const stranger = await environment.createPerson();
    const foreign = await stranger.get('child/delete', { cid });
    expect(foreign).toEqual(await stranger.get('child/delete', { cid: UNKNOWN_ID }));
    expect(foreign.status).toBe(404);
    expect((await owner.get('child/detail', { cid })).status).toBe(200);
  });
});
