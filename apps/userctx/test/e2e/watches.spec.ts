import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { enrolmentSigningPayload, tokenSigningPayload } from '@family-watch/domain/watches/contracts/watch';
import { TokenSigner } from '../../src/accounts/keys/token-signer.js';
import { TestWatch } from '../support/test-watch.js';
import { PASSWORD, WatchesTestEnvironment } from '../support/watches-test-environment.js';

const POINT = { latitude: '31.230416', longitude: '121.4700', radius: 20, pointType: 1 };

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let baseUrl: string;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  baseUrl = await environment.startHttpReplica();
});

afterAll(() => environment.close());

interface TestResponse {
  status: number;
  body: Record<string, unknown>;
}

async function sendRequest(method: 'GET' | 'POST', path: string, token?: string, body?: object): Promise<TestResponse> {
  const headers = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const response = await fetch(`${baseUrl}/apis/v2/userctx/${path}`, {
    method,
    headers,
    body: body ? JSON.stringify(body) : null,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Enrols over HTTP as a watch does, and returns its access token. */
async function enrolOverHttp(watch: TestWatch): Promise<string> {
  const { publicKey, imei } = watch;
  const challenge = (await sendRequest('POST', 'watch/enrol/challenge', undefined, { publicKey })).body;
  const nonce = String(challenge['nonce']);
  const audience = String(challenge['audience']);
  const proof = watch.sign(enrolmentSigningPayload({ audience, nonce }, imei));
  const enrolment = { imei, model: 'W7', firmwareVersion: '1.0.0', publicKey, nonce, proof };
  watch.did = Number((await sendRequest('POST', 'watch/enrol', undefined, enrolment)).body['did']);
  const { did } = watch;
  const tokenChallenge = (await sendRequest('POST', 'watch/token/challenge', undefined, { did })).body;
  const signature = watch.sign(tokenSigningPayload({ audience, nonce: String(tokenChallenge['nonce']) }, did));
  const token = await sendRequest('POST', 'watch/token/create', undefined, {
    did,
    nonce: tokenChallenge['nonce'],
    signature,
  });
  expect(token).toMatchObject({ status: 200, body: { tokenType: 'Bearer', expiresIn: 600 } });
  return String(token.body['accessToken']);
}

async function createParent(): Promise<{ token: string; cid: string }> {
  const owner = await environment.createPerson(replica);
  const { accessToken } = await replica.get(TokenSigner, { strict: false }).signAccessToken(owner);
  return { token: accessToken, cid: await environment.createChild(replica, owner) };
}

/** Enrols a watch and binds it to the child of a parent. */
async function createBoundWatch(): Promise<{ did: number; watchToken: string; token: string }> {
  const watch = new TestWatch();
  const [watchToken, { token, cid }] = [await enrolOverHttp(watch), await createParent()];
  const code = (await sendRequest('POST', 'watch/bind-code/create', watchToken, {})).body;
  await sendRequest('POST', 'user/device/bind', token, { ...code, cid });
  return { did: watch.did, watchToken, token };
}

describe('a watch from its enrolment to its first location', () => {
  test('enrols, is bound, reports its location and steps, is visible to the parent, and is unbound', async () => {
    const watch = new TestWatch();
    const [watchToken, { token, cid }] = [await enrolOverHttp(watch), await createParent()];
    const { did } = watch;
    const points = [
      { ...POINT, positionTime: Date.now() },
      { ...POINT, radius: -1, positionTime: Date.now() },
    ];
    const beforeBinding = await sendRequest('POST', 'watch/location/report', watchToken, { points });
    expect(beforeBinding).toMatchObject({ status: 403, body: { reason: 'WATCH_UNBOUND' } });

    const code = (await sendRequest('POST', 'watch/bind-code/create', watchToken, {})).body;
    expect(code).toEqual({ bindCode: expect.any(String), confirmCode: expect.any(String), expiresIn: 300 });
    const bound = await sendRequest('POST', 'user/device/bind', token, { ...code, cid });
    expect(bound).toEqual({ status: 200, body: { did } });

    const reported = await sendRequest('POST', 'watch/location/report', watchToken, { points });
    expect(reported.body).toEqual({
      results: [
        { index: 0, accepted: true, flags: [], reason: null },
        { index: 1, accepted: false, flags: [], reason: 'INVALID_RADIUS' },
      ],
    });
    for (const stepTotal of [100, 130]) {
      expect(await sendRequest('POST', 'watch/steps/report', watchToken, { stepTotal })).toEqual({
        status: 200,
        body: {},
      });
      await sleep(5);
    }
    expect((await sendRequest('GET', 'user/child/get', token)).body).toMatchObject({
      childList: [{ cid, stepCount: 130, device: { did }, lastLocation: points[0] }],
    });
    const location = await sendRequest('GET', `user/location/get?cid=${cid}`, token);
    expect(location.body).toMatchObject({ location: { ...points[0], flags: [] } });
    const track = await sendRequest(
      'GET',
      `user/location/track?cid=${cid}&from=0&to=${Date.now() + 1}&limit=10`,
      token,
    );
    expect(track.body).toMatchObject({ items: [points[0]], nextCursor: null });
    const device = await sendRequest('GET', `user/device/get?did=${did}`, token);
    expect(device.body).toMatchObject({ did, cid, model: 'W7', battery: null, online: null });
    expect((await sendRequest('GET', 'user/device/list', token)).body).toMatchObject({
      items: [{ did }],
      nextCursor: null,
    });

    expect(await sendRequest('POST', 'user/device/unbind', token, { did })).toMatchObject({ status: 403 });
    const stepUp = { password: PASSWORD };
    expect(await sendRequest('POST', 'user/device/unbind', token, { did, stepUp })).toEqual({ status: 200, body: {} });
    expect(await sendRequest('POST', 'watch/location/report', watchToken, { points })).toMatchObject({ status: 403 });
    expect(await sendRequest('POST', 'watch/steps/report', watchToken, { stepTotal: 1 })).toMatchObject({
      status: 403,
    });
    expect(await sendRequest('POST', 'watch/bind-code/create', watchToken, {})).toMatchObject({ status: 200 });
  });
});

describe('access to watch operations', () => {
  test.each([
    ['POST', 'watch/bind-code/create'],
    ['POST', 'watch/location/report'],
    ['POST', 'watch/steps/report'],
    ['GET', 'user/device/list'],
    ['GET', 'user/device/get?did=1'],
    ['POST', 'user/device/bind'],
    ['POST', 'user/device/unbind'],
    ['GET', 'user/location/get?cid=x'],
    ['GET', 'user/location/track?cid=x&from=0&to=1'],
  ] as const)('%s %s rejects requests without a token and tokens of the wrong principal type', async (method, path) => {
    const body = method === 'POST' ? {} : undefined;
    expect(await sendRequest(method, path, undefined, body)).toMatchObject({ status: 401 });
    const tokenOfWrongType = path.startsWith('user/')
      ? await enrolOverHttp(new TestWatch())
      : (await createParent()).token;
    expect(await sendRequest(method, path, tokenOfWrongType, body)).toMatchObject({
      status: 403,
      body: { reason: 'FORBIDDEN' },
    });
  });

  test('returns identical responses for a watch of another family and an unknown watch', async () => {
    const { token } = await createParent();
    const watch = new TestWatch();
    const [watchToken, other] = [await enrolOverHttp(watch), await createParent()];
    const code = (await sendRequest('POST', 'watch/bind-code/create', watchToken, {})).body;
    await sendRequest('POST', 'user/device/bind', other.token, { ...code, cid: other.cid });
    const foreign = await sendRequest('GET', `user/device/get?did=${watch.did}`, token);
    expect(foreign).toEqual(await sendRequest('GET', 'user/device/get?did=4711', token));
    expect(foreign).toMatchObject({ status: 404, body: { reason: 'WATCH_NOT_FOUND' } });
    const stepUp = { password: PASSWORD };
    expect(await sendRequest('POST', 'user/device/unbind', token, { did: watch.did, stepUp })).toEqual(
      await sendRequest('POST', 'user/device/unbind', token, { did: 4711, stepUp }),
    );
  });
});

describe('input validation', () => {
  test.each([
    ['watch/enrol/challenge', { publicKey: 'short' }, 'publicKey'],
    ['watch/enrol/challenge', { publicKey: 'A'.repeat(43) }, 'publicKey'],
    ['watch/token/challenge', { did: 0 }, 'did'],
    ['watch/token/challenge', { did: 2 ** 53 }, 'did'],
    ['watch/token/challenge', { did: '7' }, 'did'],
  ])('POST %s rejects the body %j and names the invalid field', async (path, body, field) => {
    const response = await sendRequest('POST', path, undefined, body);
    expect(response).toMatchObject({ status: 400, body: { reason: 'VALIDATION_FAILED' } });
    expect(response.body['details']).toContainEqual(expect.objectContaining({ field }));
  });

  test('rejects an IMEI with a wrong check digit', async () => {
    const enrolment = new TestWatch().enrolment(replica);
    const imei = enrolment.imei.slice(0, 14) + String((Number(enrolment.imei.slice(14)) + 1) % 10);
    const response = await sendRequest('POST', 'watch/enrol', undefined, { ...enrolment, imei });
    expect(response.body).toMatchObject({ details: [{ field: 'imei', rule: 'isImei' }] });
  });

  test('rejects a location report without a list, with an empty list or with more than 1,000 points', async () => {
    const token = await enrolOverHttp(new TestWatch());
    for (const points of [undefined, 'x', [], Array.from({ length: 1_001 }, () => POINT)]) {
      expect(await sendRequest('POST', 'watch/location/report', token, { points })).toMatchObject({ status: 400 });
    }
  });

  test('accepts a location report of 1,000 points', async () => {
    const { watchToken } = await createBoundWatch();
    const now = Date.now();
    const points = Array.from({ length: 1_000 }, (_, index) => ({ ...POINT, positionTime: now - index * 1_000 }));
    const { status, body } = await sendRequest('POST', 'watch/location/report', watchToken, { points });
    expect(status).toBe(200);
    expect((body['results'] as { accepted: boolean }[]).filter(({ accepted }) => accepted)).toHaveLength(1_000);
  });

  const CALL = { time: 1_790_000_000_000, outcome: 'BLOCKED' };

  test.each<[string, string, string, unknown[], [string, string][]]>([
    [
      'blocked-call/report',
      'calls',
      'reject-stranger/blocked-call/list',
      [
        { outcome: 'BLOCKED' },
        { ...CALL, outcome: 'MISSED' },
        { ...CALL, phoneNumber: 'private' },
        { ...CALL, time: -1 },
        'call',
        null,
        [CALL],
        CALL,
      ],
      [
        ['0.time', 'isInt'],
        ['1.outcome', 'isIn'],
        ['2.phoneNumber', 'matches'],
        ['3.time', 'min'],
        ['4', 'isObject'],
        ['5', 'isObject'],
        ['6', 'isObject'],
      ],
    ],
    [
      'early-exit/report',
      'exits',
      'school-disable/early-exit/list',
      [{ time: '1' }, { time: CALL.time, schoolTimeId: 5 }, { time: CALL.time }],
      [
        ['0.time', 'isInt'],
        ['1.schoolTimeId', 'isString'],
      ],
    ],
  ])('POST watch/%s stores the valid ones of the %s and names the others', async (path, list, listPath, all, rules) => {
    const { did, watchToken, token } = await createBoundWatch();
    const { status, body } = await sendRequest('POST', `watch/${path}`, watchToken, { [list]: all });
    expect(status).toBe(200);
    for (const [field, rule] of rules)
      expect(body['rejected']).toContainEqual({ field: `${list}.${field}`, rule, message: expect.any(String) });
    const stored = await sendRequest('GET', `user/device/${listPath}?did=${did}`, token);
    expect(stored.body).toMatchObject({ items: [{ time: CALL.time }] });
    expect(await sendRequest('POST', `watch/${path}`, watchToken, { [list]: all.slice(0, 1) })).toMatchObject({
      status: 200,
    });
  });

  test.each(['\u202d021\u00a05550\u20111234\u202c', '（０２１）５５５０ １２３４'])(
    '%j is the number 02155501234 in an allowed number and in a reported call',
    async (phoneNumber) => {
      const { did, watchToken, token } = await createBoundWatch();
      const allowed = { did, areaCode: '86', phoneNumber };
      expect(
        await sendRequest('POST', 'user/device/reject-stranger/allow-number/create', token, allowed),
      ).toMatchObject({ status: 200, body: { allowNumber: { phoneNumber: '02155501234' } } });
      const { body } = await sendRequest('POST', 'watch/blocked-call/report', watchToken, {
        calls: [{ ...CALL, phoneNumber }],
      });
      expect(body).toEqual({ rejected: [] });
      const listed = await sendRequest('GET', `user/device/reject-stranger/blocked-call/list?did=${did}`, token);
      expect(listed.body).toMatchObject({ items: [{ phoneNumber: '02155501234' }] });
    },
  );
});

test('a watch raises an SOS with its token alone, whatever the body', async () => {
  const { watchToken } = await createBoundWatch();
  const bodies = ['', '{"time":nan}', `{"location":{"latitude":"31.2","longi`, '\0', 'help', '[]'];
  const raised = await Promise.all(
    bodies.map(async (body) => {
      const headers = { authorization: `Bearer ${watchToken}`, 'content-type': 'text/plain' };
      const response = await fetch(`${baseUrl}/apis/v2/userctx/watch/sos/raise`, { method: 'POST', headers, body });
      return [response.status, ((await response.json()) as { sosId?: string }).sosId];
    }),
  );
  // Repetitions join the open SOS.
  expect(new Set(raised.map(String)).size).toBe(1);
  expect(raised[0]).toEqual([200, expect.any(String)]);
});
