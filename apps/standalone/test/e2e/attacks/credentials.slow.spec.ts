import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { FamilyFixture } from '../../support/family-fixture.js';
import { CLOUD_PATH, expectOk, HttpClient } from '../../support/http-client.js';
import { OPERATOR_PATH } from '../../support/operator.js';
import { Parent, requestCode } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';
import { Watch, WATCH_PATH } from '../../support/watch.js';

const ROOT = join(import.meta.dirname, '../../../../..');
/** Among the most used passwords of every published list, and the defaults of cheap watches. */
const COMMON_PASSWORDS = [
  '12345678',
  '123456789',
  '1234567890',
  '11111111',
  '88888888',
  'password',
  'password1',
  'qwertyuiop',
  'iloveyou1',
  'abc12345',
  'a1234567',
  'admin123',
  'woaini1314',
  'P@ssw0rd',
];
const DEFAULT_PASSWORDS = ['123456', '888888', '000000', '666666', 'admin', '1234', ''];

describe('credentials that an attacker knows', () => {
  let service: TestService;
  let family: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    family = await FamilyFixture.create(service);
  });
  afterAll(async () => {
    family.disconnectAll();
    await service.stop();
  });

  test('A5 no name with a default password opens an account, whether it is an IMEI, a did or a phone number', async () => {
    const { owner, watch } = family;
    for (const name of [watch.imei, String(watch.did), owner.phoneNumber]) {
      for (const password of [...DEFAULT_PASSWORDS, name, name.slice(-6)]) {
        // Each attempt has another address, so that no limit rejects it first.
        const attacker = new HttpClient(service.url);
        const answer = await attacker.post('account/sign-in', { areaCode: '+86', phoneNumber: name, password });
        expect([name, password, [400, 401, 429].includes(answer.status)]).toEqual([name, password, true]);
      }
    }
  });

  test('A5 no operator has a default name and password', async () => {
    for (const loginName of ['admin', 'root', 'operator', 'administrator', 'support', 'test']) {
      const body = { loginName, password: 'admin', code: '000000' };
      const answer = await new HttpClient(service.url).post(`${OPERATOR_PATH}account/sign-in`, body);
      expect([loginName, answer.status, answer.body['reason']]).toEqual([loginName, 401, 'CREDENTIALS_INVALID']);
    }
  });

  test('A5 common passwords and the own phone number are rejected as new passwords', async () => {
    const phoneNumber = `139${String(Date.now()).slice(-8)}`;
    const code = await requestCode(service, phoneNumber, 'SIGN_UP');
    for (const password of [...COMMON_PASSWORDS, phoneNumber]) {
      const answer = await new HttpClient(service.url).post('account/sign-up', { ...code, password });
      expect([password, answer.body['reason']]).toEqual([password, 'PASSWORD_TOO_WEAK']);
    }
  });

  test('A5, A8 an IMEI or a did without a signature of the key gives no token', async () => {
    const { watch } = family;
    const attacker = new HttpClient(service.url);
    const { nonce } = await expectOk(
      attacker.post<{ nonce: string }>(`${WATCH_PATH}token/challenge`, { did: watch.did }),
    );
    const unsigned = [undefined, '', 'A'.repeat(86), watch.imei, Buffer.alloc(64).toString('base64url')];
    for (const signature of unsigned) {
      const answer = await attacker.post(`${WATCH_PATH}token/create`, { did: watch.did, nonce, signature });
      expect([signature, [400, 401].includes(answer.status)]).toEqual([signature, true]);
    }
    // The IMEI of a bound watch, claimed with another key, gives another watch.
    const impostor = Watch.create(service.url);
    Object.assign(impostor, { imei: watch.imei });
    await impostor.enrol();
    expect(impostor.did).not.toBe(watch.did);
    expect((await impostor.get('device/contacts/list', { deviceId: watch.did })).status).toBe(404);
  });

  test('A8 the key of one watch signs for no other watch', async () => {
    const [one, other] = [family.watch, await Watch.enrol(service.url)];
    const signed = await other.createTokenRequest();
    const { nonce } = await expectOk(other.post<{ nonce: string }>(`${WATCH_PATH}token/challenge`, { did: one.did }));
    for (const request of [
      { ...signed, did: one.did },
      { ...signed, did: one.did, nonce },
    ]) {
      const answer = await other.post(`${WATCH_PATH}token/create`, request);
      expect([answer.status, answer.body['reason']]).toEqual([401, 'SIGNATURE_INVALID']);
    }
  });

  test('A30 a ticket opens nothing without an access token', async () => {
    const { childList } = await expectOk(
      family.owner.get<{ childList: { device: { ticket: string } | null }[] }>('child/get'),
    );
    const ticket = childList[0]?.device?.ticket ?? '';
    expect(ticket).not.toBe('');
    const contentID = await family.storeFile();
    const request = { ticket, cloudID: family.familyId, contentIDList: [contentID] };
    const deletion = `${CLOUD_PATH}deleteContents`;
    const attempts = [
      await new HttpClient(service.url).post(deletion, request),
      await new HttpClient(service.url).post(deletion, request, { accessToken: ticket, cookie: `ticket=${ticket}` }),
      await new HttpClient(service.url).post(`${deletion}?ticket=${encodeURIComponent(ticket)}`, request),
      await new HttpClient(service.url, ticket).post(deletion, request),
      await new HttpClient(service.url, ticket).get('child/get'),
      await new HttpClient(service.url, ticket).post(`${CLOUD_PATH}queryFamilyCloud`, {}),
    ];
    expect(attempts.map(({ status }) => status)).toEqual(attempts.map(() => 401));
    const socket = new TestClient(service.url, { token: ticket });
    expect((await socket.waitForRejection()).reason).toBe('TOKEN_INVALID');
    socket.close();
    const kept = await family.owner.post(`${CLOUD_PATH}getFileDownLoadURL`, { cloudID: family.familyId, contentID });
    expect(kept.status).toBe(200);
  });

  test('A30 a ticket of another family deletes nothing', async () => {
    const stranger = await Parent.signUp(service);
    const { childList } = await expectOk(
      family.owner.get<{ childList: { device: { ticket: string } | null }[] }>('child/get'),
    );
    const request = { cloudID: family.familyId, contentIDList: [await family.storeFile()] };
    const [withTicket, without] = [
      await stranger.post(`${CLOUD_PATH}deleteContents`, { ...request, ticket: childList[0]?.device?.ticket }),
      await stranger.post(`${CLOUD_PATH}deleteContents`, request),
    ];
    expect([withTicket.status, withTicket.text]).toEqual([404, without.text]);
  });
});

describe('secrets in the repository', () => {
  test('A8 no file outside of tests contains a private key or a password', () => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
    const shipped = files.filter((file) => !/(^|\/)(test|testing|bench)\/|\.spec\.ts$|package-lock\.json$/.test(file));
    expect(shipped.length).toBeGreaterThan(500);
    const secret =
      /-----BEGIN (?:\w+ )*PRIVATE KEY-----|\b(?:AKIA|sk_live_|whsec_)\w{16,}|:\/\/\w+:[^@\s$<{'"`]{6,}@(?!localhost)/;
    const found = shipped.filter((file) => secret.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(found).toEqual([]);
  });
});
