import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions } from 'fastify';
import type { TokensDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import { createLogger } from '@family-watch/platform/observability/logger';
import { AccountsTestEnvironment, PASSWORD } from '../support/accounts-test-environment.js';

const ACCOUNT_PATH = '/apis/v2/userctx/user/account/';

let environment: AccountsTestEnvironment;
let app: NestFastifyApplication;
const logLines: string[] = [];

beforeAll(async () => {
  environment = await AccountsTestEnvironment.open();
  app = await environment.application(
    {},
    createLogger('trace', 'suite', { write: (line) => void logLines.push(line) }),
  );
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});

afterAll(() => environment.close());

interface TestResponse<Body> {
  status: number;
  body: Body;
  headers: Record<string, unknown>;
}

async function sendRequest<Body = Record<string, unknown>>(
  name: string,
  payload?: object,
  tokens?: TokensDto,
): Promise<TestResponse<Body>> {
  const request: InjectOptions = {
    method: payload ? 'POST' : 'GET',
    url: name.startsWith('/') ? name : ACCOUNT_PATH + name,
    ...(payload ? { payload } : {}),
    headers: tokens ? { authorization: `Bearer ${tokens.accessToken}` } : {},
  };
  const { statusCode, body, headers } = await app.inject(request);
  return { status: statusCode, body: JSON.parse(body) as Body, headers };
}

async function requestCode(phone: object, scene: string): Promise<{ challengeId: string; code: string }> {
  const { body } = await sendRequest<{ challengeId: string }>('sms-code/send', { ...phone, scene });
  const sent = (await environment.sentMessages()).at(-1);
  return { challengeId: body.challengeId, code: String(sent?.['code']) };
}

async function signUp(phone = environment.uniquePhone()): Promise<TokensDto> {
  const { status, body } = await sendRequest<TokensDto>('sign-up', {
    ...(await requestCode(phone, 'SIGN_UP')),
    password: PASSWORD,
  });
  expect(status).toBe(200);
  return body;
}

describe('accounts over HTTP', () => {
  test('an account signs in with each way to write the calling code', async () => {
    const tokens = await signUp({ areaCode: '+49', phoneNumber: '0151 12345678' });
    const { body } = await sendRequest('profile/get', undefined, tokens);
    expect(body).toMatchObject({ areaCode: '+49', phoneNumber: '15112345678' });
    for (const areaCode of ['+49', '49', '0049']) {
      const credentials = { areaCode, phoneNumber: '15112345678', password: PASSWORD };
      expect((await sendRequest<TokensDto>('sign-in', credentials)).body.userId).toBe(tokens.userId);
    }
  });

  test.each([
    ['+86', '01088888888', 'phoneNumber', 'isPhoneNumber'],
    ['China', '13812345678', 'areaCode', 'isCallingCode'],
  ])('a code for %s %s is refused with the rule of %s', async (areaCode, phoneNumber, field, rule) => {
    const { status, body } = await sendRequest('sms-code/send', { areaCode, phoneNumber, scene: 'SIGN_UP' });
    expect([status, body['reason']]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body['details']).toEqual([{ field, rule, message: expect.any(String) }]);
  });

  test('signs up, returns the profile, refreshes the tokens, and rejects all access tokens after signing out', async () => {
    const phone = environment.uniquePhone();
    const tokens = await signUp(phone);
    expect((await sendRequest('profile/get', undefined, tokens)).body).toMatchObject({
      ...phone,
      userId: tokens.userId,
    });
    const refreshed = await sendRequest<TokensDto>('token/refresh', { refreshToken: tokens.refreshToken });
    expect(refreshed).toMatchObject({ status: 200, body: { tokenType: 'Bearer', userId: tokens.userId } });
    expect(refreshed.headers['cache-control']).toBe('no-store');
    expect(await sendRequest('sign-out', {}, refreshed.body)).toMatchObject({ status: 200, body: {} });
    for (const issued of [tokens, refreshed.body]) {
      expect(await sendRequest('profile/get', undefined, issued)).toMatchObject({
        status: 401,
        body: { reason: 'TOKEN_REVOKED' },
      });
    }
  });

  test('updates the profile, and lists and deletes sessions', async () => {
    const phone = environment.uniquePhone();
    const first = await signUp(phone);
    const second = (await sendRequest<TokensDto>('sign-in', { ...phone, areaCode: '86', password: PASSWORD })).body;
    const changed = await sendRequest('profile/update', { nickname: 'Anna', timeZone: 'Europe/Berlin' }, second);
    expect(changed).toMatchObject({ status: 200, body: { nickname: 'Anna', timeZone: 'Europe/Berlin' } });
    const list = await sendRequest<{ items: { sessionId: string; current: boolean }[] }>(
      'session/list',
      undefined,
      second,
    );
    const other = list.body.items.find(({ current }) => !current);
    expect(list.body.items).toHaveLength(2);
    expect((await sendRequest('session/delete', { sessionId: other?.sessionId }, second)).status).toBe(200);
    expect((await sendRequest('profile/get', undefined, first)).status).toBe(401);
    const repeated = await sendRequest('session/delete', { sessionId: other?.sessionId }, second);
    expect(repeated).toMatchObject({ status: 404, body: { reason: 'SESSION_NOT_FOUND' } });
  });

  test('sets a password with step-up, changes the phone number, and resets the password', async () => {
    const [phone, newPhone] = [environment.uniquePhone(), environment.uniquePhone()];
    const tokens = await signUp(phone);
    const withoutStepUp = await sendRequest('password/set', { password: 'kettle under 19 moons' }, tokens);
    expect(withoutStepUp).toMatchObject({ status: 403, body: { reason: 'STEP_UP_REQUIRED' } });
    const stepUp = { password: PASSWORD };
    expect((await sendRequest('password/set', { password: 'kettle under 19 moons', stepUp }, tokens)).status).toBe(200);
    const code = await requestCode(newPhone, 'CHANGE_PHONE');
    const changed = await sendRequest(
      'phone/change',
      { ...code, stepUp: { password: 'kettle under 19 moons' } },
      tokens,
    );
    expect(changed).toMatchObject({ status: 200, body: {} });
    const reset = { ...(await requestCode(newPhone, 'RESET_PASSWORD')), password: PASSWORD };
    expect(await sendRequest('password/reset', reset)).toMatchObject({ status: 200, body: {} });
    expect((await sendRequest('profile/get', undefined, tokens)).status).toBe(401);
    expect((await sendRequest('sign-in', { ...newPhone, password: PASSWORD })).status).toBe(200);
  });

  test.each<[string, object, string]>([
    ['sms-code/send', { areaCode: '+86', phoneNumber: '13812345678', scene: 'ALL' }, 'scene'],
    ['sign-up', { challengeId: 'x', code: 123456 }, 'code'],
    ['sign-up', { challengeId: 'x', code: '123456', password: 'short' }, 'password'],
    ['sign-in', { areaCode: '+86', phoneNumber: '13812345678', password: ['a'] }, 'password'],
    ['token/refresh', {}, 'refreshToken'],
    ['password/reset', { challengeId: 'x', code: '123456' }, 'password'],
  ])('%s rejects the body %j and names the invalid field', async (name, payload, field) => {
    const { status, body } = await sendRequest<{ reason: string; details: { field: string }[] }>(name, payload);
    expect({ status, reason: body.reason }).toEqual({ status: 400, reason: 'VALIDATION_FAILED' });
    expect(body.details.map((detail) => detail.field)).toContain(field);
  });

  test('returns 400 for an invalid time zone or nickname', async () => {
    const tokens = await signUp();
    for (const invalidFields of [{ timeZone: 'Mars/Olympus' }, { nickname: '' }]) {
      expect((await sendRequest('profile/update', invalidFields, tokens)).status).toBe(400);
    }
  });

  test('returns 401 to a request without a token before it validates the body', async () => {
    const protectedPosts = ['sign-out', 'session/delete', 'profile/update', 'password/set', 'phone/change'];
    for (const name of protectedPosts) expect((await sendRequest(name, { invalid: true })).status).toBe(401);
    for (const name of ['session/list', 'profile/get']) expect((await sendRequest(name)).status).toBe(401);
  });

  test('returns the JSON Web Key Set without a response envelope', async () => {
    const { status, body, headers } = await sendRequest<{ keys: object[] }>('/.well-known/jwks.json');
    expect(status).toBe(200);
    expect(body.keys[0]).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
    expect(headers['cache-control']).toBe('public, max-age=300');
  });

  test('logs no code, phone number, password or token', async () => {
    const phone = environment.uniquePhone();
    const tokens = await signUp(phone);
    await sendRequest('sign-in', { ...phone, password: 'wrong-password-77' });
    const codes = (await environment.sentMessages()).map((message) => String(message['code']));
    const log = logLines.join('');
    expect(logLines.length).toBeGreaterThan(5);
    for (const secret of [
      phone.phoneNumber,
      PASSWORD,
      'wrong-password-77',
      tokens.accessToken,
      tokens.refreshToken ?? '',
    ]) {
      expect(log).not.toContain(secret);
    }
    expect(codes.some((code) => log.includes(`"${code}"`))).toBe(false);
  });

  describe('with the refresh token in a cookie', () => {
    interface BrowserResponse {
      status: number;
      body: Record<string, unknown>;
      /** The `Set-Cookie` header. */
      setCookie: string | undefined;
    }

    /** Sends a request as a browser whose cookies are `cookie`. */
    async function browse(
      name: string,
      payload: object,
      { cookie, accessToken, headers = {} }: { cookie?: string; accessToken?: string; headers?: object } = {},
    ): Promise<BrowserResponse> {
      const response = await app.inject({
        method: 'POST',
        url: name.startsWith('/') ? name : ACCOUNT_PATH + name,
        payload,
        headers: {
          ...(cookie === undefined ? {} : { cookie }),
          ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
          ...headers,
        },
      });
      const setCookie = response.headers['set-cookie'];
      return { status: response.statusCode, body: response.json(), setCookie: setCookie && String(setCookie) };
    }

    /** Returns the part of a `Set-Cookie` header that the browser sends back. */
    const sentBack = ({ setCookie = '' }: BrowserResponse): string => setCookie.split(';', 1)[0] ?? '';

    async function signUpInBrowser(): Promise<BrowserResponse> {
      const code = await requestCode(environment.uniquePhone(), 'SIGN_UP');
      return browse('sign-up', { ...code, password: PASSWORD, refreshTokenCookie: true });
    }

    const refresh = (cookie?: string) => browse('token/refresh', { refreshTokenCookie: true }, { cookie });

    test('returns the refresh token in no body, and limits the cookie to requests of pages to account operations', async () => {
      const signedUp = await signUpInBrowser();
      expect(signedUp.setCookie).toMatch(
        /^family-watch-refresh-token=[\w-]{43}; Max-Age=2592000; Path=\/apis\/v2\/userctx\/user\/account; HttpOnly; SameSite=Strict$/,
      );
      const refreshed = await refresh(sentBack(signedUp));
      expect(refreshed.body).toMatchObject({ userId: signedUp.body['userId'], accessToken: expect.any(String) });
      for (const { body } of [signedUp, refreshed]) expect(Object.keys(body)).not.toContain('refreshToken');
      expect(sentBack(refreshed)).not.toBe(sentBack(signedUp));
      expect((await refresh(sentBack(refreshed))).status).toBe(200);
    });

    test('sets the cookie at sign-in if the request asks for it', async () => {
      const phone = environment.uniquePhone();
      await signUp(phone);
      const credentials = { ...phone, password: PASSWORD };
      expect((await browse('sign-in', { ...credentials, refreshTokenCookie: true })).setCookie).toContain('HttpOnly');
      for (const refreshTokenCookie of [false, null, undefined]) {
        const { body, setCookie } = await browse('sign-in', { ...credentials, refreshTokenCookie });
        expect([body['refreshToken'], setCookie]).toEqual([expect.any(String), undefined]);
      }
    });

    test('uses the path of the wrapped surface for requests to it', async () => {
      const wrapped = ACCOUNT_PATH.replace('/apis/v2/', '/hmd-wx/api/v2/');
      const code = await requestCode(environment.uniquePhone(), 'SIGN_UP');
      const { setCookie } = await browse(`${wrapped}sign-up`, { ...code, refreshTokenCookie: true });
      expect(setCookie).toContain('Path=/hmd-wx/api/v2/userctx/user/account;');
    });

    test('reads the cookie only for a request that names it, and rejects a missing or unknown one', async () => {
      const cookie = sentBack(await signUpInBrowser());
      for (const payload of [{}, { refreshTokenCookie: false }]) {
        const { status, body } = await browse('token/refresh', payload, { cookie });
        expect([status, body['reason']]).toEqual([400, 'VALIDATION_FAILED']);
      }
      for (const other of [undefined, 'other=1', `family-watch-refresh-token=${'x'.repeat(43)}`]) {
        const { status, body, setCookie } = await refresh(other);
        expect([status, body['reason'], setCookie]).toEqual([401, 'REFRESH_TOKEN_INVALID', undefined]);
      }
    });

    test('moves the token of a request to the cookie', async () => {
      const { refreshToken, userId } = await signUp();
      const moved = await browse('token/refresh', { refreshToken, refreshTokenCookie: true });
      expect([moved.body['userId'], moved.body['refreshToken']]).toEqual([userId, undefined]);
      expect((await refresh(sentBack(moved))).body['userId']).toBe(userId);
    });

    test('accepts no form and no text, which a page of another site could send', async () => {
      const cookie = sentBack(await signUpInBrowser());
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        const response = await app.inject({
          method: 'POST',
          url: `${ACCOUNT_PATH}token/refresh`,
          payload: '{"refreshTokenCookie":true}',
          headers: { cookie, 'content-type': type },
        });
        expect([type, response.statusCode, response.headers['set-cookie']]).toEqual([type, 415, undefined]);
      }
      const { statusCode } = await app.inject({
        method: 'POST',
        url: `${ACCOUNT_PATH}token/refresh`,
        headers: { cookie },
      });
      expect(statusCode).toBe(400);
      expect((await refresh(cookie)).status).toBe(200);
    });

    test('deletes the cookie at sign-out, unless it belongs to another session', async () => {
      const first = await signUpInBrowser();
      const second = await signUpInBrowser();
      const cookie = sentBack(second);
      const signOut = ({ body }: BrowserResponse) =>
        browse('sign-out', {}, { cookie, accessToken: String(body['accessToken']) });
      expect(await signOut(first)).toMatchObject({ status: 200, setCookie: undefined });
      const { status, setCookie } = await signOut(second);
      expect(status).toBe(200);
      expect(setCookie).toMatch(/^family-watch-refresh-token=; Max-Age=0; Path=\/apis\/v2\/userctx\/user\/account;/);
      for (const ended of [first, second]) expect((await refresh(sentBack(ended))).status).toBe(401);
    });
  });
});
