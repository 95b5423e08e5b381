import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { enrolmentSigningPayload, tokenSigningPayload } from '@family-watch/domain/watches/contracts/signing-payloads';
import { AccessTokenSigner } from '../../src/contexts/accounts/keys/access-token-signer.js';
import { TestWatch } from '../support/test-watch.js';
import { PASSWORD, WatchesTestEnvironment } from '../support/watches-test-environment.js';

const POINT = { latitude: '31.230416', longitude: '121.4700', radius: 20, pointType: 1 };

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let baseUrl: string;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  replica = await world.replica();
  baseUrl = await world.serve();
});

afterAll(() => world.close());

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function ask(method: 'GET' | 'POST', path: string, token?: string, body?: object): Promise<Answer> {
  const headers = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const url = path.startsWith('/') ? path : `/apis/v2/userctx/${path}`;
  const response = await fetch(baseUrl + url, { method, headers, body: body ? JSON.stringify(body) : null });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Enrols over HTTP as a watch does, and says its token. */
async function enrol(watch: TestWatch): Promise<string> {
  const { publicKey, imei } = watch;
  const challenge = (await ask('POST', 'watch/enrol/challenge', undefined, { publicKey })).body;
  const nonce = String(challenge['nonce']);
  const audience = String(challenge['audience']);
  const proof = watch.sign(enrolmentSigningPayload({ audience, nonce }, imei));
  const facts = { imei, model: 'W7', firmwareVersion: '1.0.0', publicKey, nonce, proof };
  watch.did = Number((await ask('POST', 'watch/enrol', undefined, facts)).body['did']);
  const { did } = watch;
  const fresh = (await ask('POST', 'watch/token/challenge', undefined, { did })).body;
  const signature = watch.sign(tokenSigningPayload({ audience, nonce: String(fresh['nonce']) }, did));
  const token = await ask('POST', 'watch/token/create', undefined, { did, nonce: fresh['nonce'], signature });
  expect(token).toMatchObject({ status: 200, body: { tokenType: 'Bearer', expiresIn: 600 } });
  return String(token.body['accessToken']);
}

async function parent(): Promise<{ token: string; cid: string }> {
  const owner = await world.person(replica);
  const { accessToken } = await replica.get(AccessTokenSigner, { strict: false }).sign(owner);
  return { token: accessToken, cid: await world.child(replica, owner) };
}

describe('a watch, from its first start to its first position', () => {
  it('enrols, is bound, reports, is seen, and is unbound', async () => {
    const watch = new TestWatch();
    const [watchToken, { token, cid }] = [await enrol(watch), await parent()];
    const { did } = watch;
    const points = [
      { ...POINT, positionTime: Date.now() },
      { ...POINT, radius: -1, positionTime: 1 },
    ];
    const tooEarly = await ask('POST', 'watch/location/report', watchToken, { points });
    expect(tooEarly).toMatchObject({ status: 403, body: { reason: 'WATCH_UNBOUND' } });

    const code = (await ask('POST', 'watch/bind-code/create', watchToken, {})).body;
    expect(code).toEqual({ bindCode: expect.any(String), confirmCode: expect.any(String), expiresIn: 300 });
    const bound = await ask('POST', 'user/device/bind', token, { ...code, cid });
    expect(bound).toEqual({ status: 200, body: { did } });

    const reported = await ask('POST', 'watch/location/report', watchToken, { points });
    expect(reported.body).toEqual({
      results: [
        { index: 0, accepted: true, flags: [], reason: null },
        { index: 1, accepted: false, flags: [], reason: 'INVALID_RADIUS' },
      ],
    });
    for (const stepTotal of [100, 130]) {
      expect(await ask('POST', 'watch/steps/report', watchToken, { stepTotal })).toEqual({ status: 200, body: {} });
      await sleep(5);
    }
    expect((await ask('GET', 'user/child/get', token)).body).toMatchObject({
      childList: [{ cid, stepCount: 30, device: { did }, lastLocation: points[0] }],
    });
    const seen = await ask('GET', `user/location/get?cid=${cid}`, token);
    expect(seen.body).toMatchObject({ location: { ...points[0], flags: [] } });
    const track = await ask('GET', `user/location/track?cid=${cid}&from=0&to=${Date.now() + 1}&limit=10`, token);
    expect(track.body).toMatchObject({ items: [points[0]], nextCursor: null });
    const device = await ask('GET', `user/device/get?did=${did}`, token);
    expect(device.body).toMatchObject({ did, cid, model: 'W7', battery: null, online: null });
    expect((await ask('GET', 'user/device/list', token)).body).toMatchObject({ items: [{ did }], nextCursor: null });

    expect(await ask('POST', 'user/device/unbind', token, { did })).toMatchObject({ status: 403 });
    const stepUp = { password: PASSWORD };
    expect(await ask('POST', 'user/device/unbind', token, { did, stepUp })).toEqual({ status: 200, body: {} });
    expect(await ask('POST', 'watch/location/report', watchToken, { points })).toMatchObject({ status: 403 });
    expect(await ask('POST', 'watch/steps/report', watchToken, { stepTotal: 1 })).toMatchObject({ status: 403 });
    expect(await ask('POST', 'watch/bind-code/create', watchToken, {})).toMatchObject({ status: 200 });
  });

  it('answers on the other surface in its envelope', async () => {
    const { token } = await parent();
    const answer = await ask('GET', '/hmd-wx/api/v2/userctx/user/device/list', token);
    expect(answer.body).toEqual({ code: 0, message: 'ok', data: { items: [], nextCursor: null } });
  });
});

describe('who is let in', () => {
  it.each([
    ['POST', 'watch/bind-code/create'],
    ['POST', 'watch/location/report'],
    ['POST', 'watch/steps/report'],
    ['GET', 'user/device/list'],
    ['GET', 'user/device/get?did=1'],
    ['POST', 'user/device/bind'],
    ['POST', 'user/device/unbind'],
    ['GET', 'user/location/get?cid=x'],
    ['GET', 'user/location/track?cid=x&from=0&to=1'],
  ] as const)('%s %s needs a token, and one of the right kind', async (method, path) => {
    const body = method === 'POST' ? {} : undefined;
    expect(await ask(method, path, undefined, body)).toMatchObject({ status: 401 });
    const wrongKind = path.startsWith('user/') ? await enrol(new TestWatch()) : (await parent()).token;
    expect(await ask(method, path, wrongKind, body)).toMatchObject({ status: 403, body: { reason: 'FORBIDDEN' } });
  });

  it('answers a foreign watch and one that nobody has byte for byte alike', async () => {
    const { token } = await parent();
    const watch = new TestWatch();
    const [watchToken, other] = [await enrol(watch), await parent()];
    const code = (await ask('POST', 'watch/bind-code/create', watchToken, {})).body;
    await ask('POST', 'user/device/bind', other.token, { ...code, cid: other.cid });
    const foreign = await ask('GET', `user/device/get?did=${watch.did}`, token);
    expect(foreign).toEqual(await ask('GET', 'user/device/get?did=4711', token));
    expect(foreign).toMatchObject({ status: 404, body: { reason: 'WATCH_NOT_FOUND' } });
    const stepUp = { password: PASSWORD };
    expect(await ask('POST', 'user/device/unbind', token, { did: watch.did, stepUp })).toEqual(
      await ask('POST', 'user/device/unbind', token, { did: 4711, stepUp }),
    );
  });
});

describe('broken rules', () => {
  it.each([
    ['watch/enrol/challenge', { publicKey: 'short' }, 'publicKey'],
    ['watch/enrol/challenge', { publicKey: 'A'.repeat(43) }, 'publicKey'],
    ['watch/token/challenge', { did: 0 }, 'did'],
    ['watch/token/challenge', { did: 2 ** 53 }, 'did'],
    ['watch/token/challenge', { did: '7' }, 'did'],
  ])('POST %s %j names the field', async (path, body, field) => {
    const answer = await ask('POST', path, undefined, body);
    expect(answer).toMatchObject({ status: 400, body: { reason: 'VALIDATION_FAILED' } });
    expect(answer.body['details']).toContainEqual(expect.objectContaining({ field }));
  });

  it('refuses an IMEI with a wrong check digit', async () => {
    const good = new TestWatch().enrolment(replica);
    const imei = good.imei.slice(0, 14) + String((Number(good.imei.slice(14)) + 1) % 10);
    const answer = await ask('POST', 'watch/enrol', undefined, { ...good, imei });
    expect(answer.body).toMatchObject({ details: [{ field: 'imei', rule: 'isImei' }] });
  });

  it('refuses reports that are no list, empty, or too long', async () => {
    const token = await enrol(new TestWatch());
    for (const points of [undefined, 'x', [], Array.from({ length: 1_001 }, () => POINT)]) {
      expect(await ask('POST', 'watch/location/report', token, { points })).toMatchObject({ status: 400 });
    }
  });

  it('takes as many points at once as it says', async () => {
    const watch = new TestWatch();
    const [watchToken, { token, cid }] = [await enrol(watch), await parent()];
    const code = (await ask('POST', 'watch/bind-code/create', watchToken, {})).body;
    await ask('POST', 'user/device/bind', token, { ...code, cid });
    const now = Date.now();
    const points = Array.from({ length: 1_000 }, (_, index) => ({ ...POINT, positionTime: now - index * 1_000 }));
    const { status, body } = await ask('POST', 'watch/location/report', watchToken, { points });
    expect(status).toBe(200);
    expect((body['results'] as { accepted: boolean }[]).filter(({ accepted }) => accepted)).toHaveLength(1_000);
  });
});
