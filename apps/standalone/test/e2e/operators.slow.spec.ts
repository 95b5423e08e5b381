import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateSync } from 'otplib';
import type { AuditPageDto, OperatorPageDto } from '@family-watch/domain/operators/dto/operator.dto';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { expectOk, HttpClient } from '../support/http-client.js';
import { Operator, OPERATOR_PATH, uniqueLoginName, type OperatorCredentials } from '../support/operator.js';
import { Parent, requestCode } from '../support/parent.js';
import { TestService } from '../support/test-service.js';

const SIGN_IN = `${OPERATOR_PATH}account/sign-in`;
const AUDIT_LIST = `${OPERATOR_PATH}audit/list`;

describe('operators', () => {
  let service: TestService;
  let admin: Operator;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    admin = await Operator.create(service, ['ADMIN']);
  });
  afterAll(() => service.stop());

  function signIn({ loginName, password }: OperatorCredentials, code: string, more: object = {}) {
    return new HttpClient(service.url).post(SIGN_IN, { loginName, password, code, ...more });
  }

  /** Returns the TOTP code of the authenticator app. @param seconds - difference from the present time */
  function totpCode({ otpauthUrl }: Pick<OperatorCredentials, 'otpauthUrl'>, seconds = 0): string {
    const secret = new URL(otpauthUrl).searchParams.get('secret') ?? '';
    return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + seconds });
  }

  test('an operator signs in with a TOTP code for an hour, and no code is accepted twice', async () => {
    const credentials = await admin.createCredentials(['SUPPORT']);
    const code = totpCode(credentials);
    const attempts = await Promise.all([1, 2, 3].map(() => signIn(credentials, code)));
    expect(attempts.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
    const { body } = attempts.find(({ status }) => status === 200) ?? {};
    expect(body).toEqual({
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: 3_600,
      deviceToken: expect.any(String),
      operatorId: credentials.operatorId,
      roles: ['SUPPORT'],
    });
    // Codes of earlier time steps are used up as well; a code of the next time step is valid.
    expect((await signIn(credentials, totpCode(credentials, -30))).status).toBe(401);
    expect((await signIn(credentials, totpCode(credentials, 30))).status).toBe(200);
  });

  test('a recovery code is valid once, also in lower case without hyphens', async () => {
    const credentials = await admin.createCredentials(['SUPPORT']);
    expect(credentials.recoveryCodes).toHaveLength(10);
    const [first = '', second = ''] = credentials.recoveryCodes;
    const attempts = await Promise.all([signIn(credentials, first), signIn(credentials, first)]);
    expect(attempts.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect((await signIn(credentials, second.toLowerCase().replaceAll('-', ''))).status).toBe(200);
  });

  test('an unknown name, a wrong password, a wrong code and a code of another operator are rejected alike', async () => {
    const [credentials, other] = [await admin.createCredentials(['SUPPORT']), admin.credentials];
    const [otherCode = ''] = other.recoveryCodes;
    const answers = await Promise.all([
      signIn({ ...credentials, loginName: uniqueLoginName() }, totpCode(credentials)),
      signIn({ ...credentials, password: 'wrong' }, totpCode(credentials)),
      signIn(credentials, '00000'),
      signIn(credentials, otherCode),
    ]);
    for (const { status, text } of answers) expect([status, text]).toEqual([401, answers[0]?.text]);
    // A wrong password has not used the code up.
    expect((await signIn(credentials, totpCode(credentials))).status).toBe(200);
  });

  test('wrong codes are limited, but not on a device that has signed in before', async () => {
    const operator = await admin.createOther(service, ['SUPPORT']);
    const { credentials, tokens } = operator;
    const attempts = await Promise.all(Array.from({ length: 15 }, () => signIn(credentials, '12345x')));
    const statuses = attempts.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    expect((await signIn(credentials, totpCode(credentials))).status).toBe(429);
    const { deviceToken } = tokens;
    expect((await signIn(credentials, totpCode(credentials), { deviceToken })).status).toBe(200);
  });

  test('wrong passwords of strangers do not lock out an operator with a new device, who has the second factor', async () => {
    const credentials = await admin.createCredentials(['SUPPORT']);
    // Each attempt comes from an IP address of its own.
    for (let attempt = 1; attempt <= 30; attempt += 1)
      expect((await signIn({ ...credentials, password: 'wrong' }, '123456')).status).toBe(401);
    expect((await signIn(credentials, '123456')).status).toBe(429);
    expect((await signIn({ ...credentials, password: 'wrong' }, totpCode(credentials))).status).toBe(401);
    expect((await signIn(credentials, totpCode(credentials))).status).toBe(200);
    expect((await signIn(credentials, credentials.recoveryCodes[0] ?? '')).status).toBe(200);
    // Neither is valid again, and without a valid code the attempts remain used up.
    expect((await signIn(credentials, credentials.recoveryCodes[0] ?? '')).status).toBe(429);
  });

  test('strangers have 40 guesses of the second factor a day, after which recovery codes are still accepted', async () => {
    const credentials = await admin.createCredentials(['SUPPORT']);
    for (let attempt = 1; attempt <= 30; attempt += 1) await signIn({ ...credentials, password: 'wrong' }, '123456');
    for (let attempt = 1; attempt <= 40; attempt += 1) expect((await signIn(credentials, '123456')).status).toBe(429);
    expect((await signIn(credentials, totpCode(credentials))).status).toBe(429);
    expect((await signIn(credentials, credentials.recoveryCodes[0] ?? '')).status).toBe(200);
  });

  test('a session ends with sign-out, and its token is rejected at once', async () => {
    const operator = await admin.createOther(service, ['ADMIN']);
    expect((await operator.get(AUDIT_LIST)).status).toBe(200);
    await expectOk(operator.post(`${OPERATOR_PATH}account/sign-out`, {}));
    expect(await operator.get(AUDIT_LIST)).toMatchObject({ status: 401, body: { reason: 'TOKEN_REVOKED' } });
  });

  test('an administrator creates, lists and suspends an operator, whose sessions end at once', async () => {
    const operator = await admin.createOther(service, ['FLEET', 'SUPPORT']);
    const { operatorId, loginName } = operator.credentials;
    const { items } = await expectOk(admin.get<OperatorPageDto>(`${OPERATOR_PATH}account/list`, { limit: 200 }));
    const listed = { operatorId, loginName, roles: ['FLEET', 'SUPPORT'], suspendedAt: null };
    expect(items.find((item) => item.operatorId === operatorId)).toEqual({ ...listed, createdAt: expect.any(Number) });
    const taken = await admin.post(`${OPERATOR_PATH}account/create`, { loginName, roles: ['ADMIN'] });
    expect(taken).toMatchObject({ status: 409, body: { reason: 'LOGIN_NAME_TAKEN' } });

    const suspend = (id: string) => admin.post(`${OPERATOR_PATH}account/suspend`, { operatorId: id });
    await expectOk(suspend(operatorId));
    expect(await operator.post(`${OPERATOR_PATH}account/sign-out`, {})).toMatchObject({
      status: 401,
      body: { reason: 'TOKEN_REVOKED' },
    });
    expect((await signIn(operator.credentials, totpCode(operator.credentials))).status).toBe(401);
    expect(await suspend(operatorId)).toMatchObject({ status: 404, body: { reason: 'OPERATOR_NOT_FOUND' } });
    expect(await suspend(admin.credentials.operatorId)).toMatchObject({ status: 403 });
    expect((await admin.get(AUDIT_LIST)).status).toBe(200);
  });

  test('an operator replaces password and second factor, which ends the sessions', async () => {
    const operator = await admin.createOther(service, ['SUPPORT']);
    const { credentials } = operator;
    const replacement = {
      password: credentials.password,
      code: totpCode(credentials),
      newPassword: 'seven quiet herons',
    };
    const path = `${OPERATOR_PATH}account/credentials/replace`;
    expect((await operator.post(path, { ...replacement, code: '000' })).status).toBe(401);
    const replaced = await expectOk(operator.post<OperatorCredentials>(path, replacement));
    expect((await operator.post(path, replacement)).body['reason']).toBe('TOKEN_REVOKED');
    expect((await signIn(credentials, credentials.recoveryCodes[0] ?? '')).status).toBe(401);
    const renewed = { ...credentials, password: replacement.newPassword };
    expect((await signIn(renewed, totpCode(credentials, 30))).status).toBe(401);
    expect((await signIn(renewed, totpCode(replaced))).status).toBe(200);
  });

  test('the audit list names operator, session, operation and subject, newest first, without secrets', async () => {
    const operator = await admin.createOther(service, ['ADMIN']);
    const actor = `operator:${operator.credentials.operatorId}`;
    const loginName = uniqueLoginName();
    await expectOk(operator.post(`${OPERATOR_PATH}account/create`, { loginName, roles: ['SUPPORT'] }));
    await operator.post(`${OPERATOR_PATH}account/suspend`, { operatorId: `${'x'.repeat(200)}\u0000` });
    const page = async (cursor: object = {}) =>
      expectOk(operator.get<AuditPageDto>(AUDIT_LIST, { actor, limit: 2, ...cursor }));
    const first = await page();
    expect(first.items).toMatchObject([
      { operation: 'listAuditEntries', fields: { actor } },
      { operation: 'suspendOperator', fields: { operatorId: 'x'.repeat(128) }, admitted: true },
    ]);
    const second = await page({ cursor: first.nextCursor });
    const sessionId = second.items[0]?.sessionId;
    expect(second.items).toMatchObject([
      {
        actor,
        operation: 'createOperator',
        fields: { loginName, roles: 'SUPPORT' },
        admitted: true,
        ip: operator.address,
      },
      { actor, operation: 'signInOperator', fields: {}, sessionId, admitted: true },
    ]);
    const rows = await service.query<{ row: string }>(
      'SELECT entry::text AS row FROM userctx.operator_audit_entry entry WHERE actor = $1',
      [actor],
    );
    const { password, recoveryCodes } = operator.credentials;
    const text = rows.map(({ row }) => row).join();
    for (const secret of [password, operator.tokens.accessToken, ...recoveryCodes]) expect(text).not.toContain(secret);
  });

  test('rejected requests of an operator leave a limited number of entries, and admitted ones still leave theirs', async () => {
    const [operator, suspended] = [
      await admin.createOther(service, ['SUPPORT']),
      await admin.createOther(service, ['SUPPORT']),
    ];
    await expectOk(admin.post(`${OPERATOR_PATH}account/suspend`, { operatorId: suspended.credentials.operatorId }));
    const entriesOf = ({ credentials }: Operator) =>
      service.query<{ operation: string; admitted: boolean }>(
        `SELECT operation, admitted FROM userctx.operator_audit_entry WHERE actor = $1 ORDER BY time DESC`,
        [`operator:${credentials.operatorId}`],
      );
    for (let count = 0; count < 60; count += 1) {
      expect((await operator.get(AUDIT_LIST)).status).toBe(403);
      expect((await suspended.get(AUDIT_LIST)).status).toBe(401);
      await signIn(suspended.credentials, 'XXXX-XXXX', { deviceToken: suspended.tokens.deviceToken });
    }
    for (const each of [operator, suspended])
      expect((await entriesOf(each)).filter(({ admitted }) => !admitted)).toHaveLength(50);
    await operator.post(`${OPERATOR_PATH}user/resume`, { userId: 'nobody' });
    expect((await entriesOf(operator))[0]).toEqual({ operation: 'resumeAccount', admitted: true });
  });

  test('a suspended account loses its sessions and sockets at once and signs in again only after it is resumed', async () => {
    const password = 'seven quiet herons';
    const [support, parent] = [
      await admin.createOther(service, ['SUPPORT']),
      await Parent.signUp(service, { password }),
    ];
    const socket = await parent.connect();
    const phone = { areaCode: '+86', phoneNumber: parent.phoneNumber };
    const client = new HttpClient(service.url);
    const change = (action: string) =>
      expectOk(support.post(`${OPERATOR_PATH}user/${action}`, { userId: parent.userId }));
    for (let repetition = 0; repetition < 2; repetition++) await change('suspend');
    await socket.waitForDisconnect();
    expect((await parent.get('child/get')).body['reason']).toBe('TOKEN_REVOKED');
    const { refreshToken } = parent.tokens;
    const refreshed = await client.post('account/token/refresh', { refreshToken });
    expect(refreshed.body['reason']).toBe('REFRESH_TOKEN_INVALID');
    const rejected = await client.post('account/sign-in', { ...phone, password });
    expect([rejected.status, rejected.body['reason']]).toEqual([403, 'ACCOUNT_SUSPENDED']);
    // A stranger does not learn that the account is suspended.
    const stranger = await client.post('account/sign-in', { ...phone, password: 'wrong' });
    expect(stranger.body['reason']).toBe('CREDENTIALS_INVALID');
    const code = await requestCode(service, parent.phoneNumber, 'SIGN_IN');
    expect((await client.post('account/sign-in', code)).body['reason']).toBe('ACCOUNT_SUSPENDED');
    await change('resume');
    expect((await client.post('account/sign-in', { ...phone, password })).status).toBe(200);
    expect((await parent.get('child/get')).body['reason']).toBe('TOKEN_REVOKED');
  });

  test('the token of an operator opens no socket', async () => {
    const client = new TestClient(service.url, { token: admin.token ?? '' });
    expect((await client.waitForRejection()).reason).toBe('TOKEN_INVALID');
    client.close();
  });

  test('the database stores no TOTP secret and no recovery code in clear text', async () => {
    const { otpauthUrl, recoveryCodes, operatorId } = await admin.createCredentials(['SUPPORT']);
    const [account] = await service.query<{ secret: Buffer }>(
      'SELECT sealed_totp_secret AS secret FROM userctx.operator_account WHERE operator_id = $1',
      [operatorId],
    );
    const secret = new URL(otpauthUrl).searchParams.get('secret') ?? 'none';
    expect(account?.secret.includes(secret)).toBe(false);
    const codes = await service.query<{ digest: Buffer }>(
      'SELECT digest FROM userctx.operator_recovery_code WHERE operator_id = $1',
      [operatorId],
    );
    expect(codes).toHaveLength(10);
    const plain = recoveryCodes.map((code) => code.replaceAll('-', ''));
    for (const { digest } of codes) expect(plain.some((code) => digest.includes(code))).toBe(false);
  });
});

describe('the audit list in the database', () => {
  test('the runtime role of userctx can add and read entries, but neither change nor delete them', async () => {
    const database = await createTestDatabase({ template: [userctxDatabase] });
    const run = (sql: string) => withClient(database.url, async (client) => (await client.query(sql)).rowCount);
    await run(
      `INSERT INTO userctx.operator_audit_entry (entry_id, time, actor, operation, fields, admitted)
       VALUES (gen_random_uuid(), 1, 'command-line', 'test', '{}', true)`,
    );
    expect(await run('SELECT FROM userctx.operator_audit_entry')).toBe(1);
    for (const statement of [
      'UPDATE userctx.operator_audit_entry SET time = 2',
      'DELETE FROM userctx.operator_audit_entry',
      'TRUNCATE userctx.operator_audit_entry',
    ])
      await expect(run(statement)).rejects.toThrow('permission denied');
    expect(await run('SELECT FROM userctx.operator_audit_entry WHERE time = 1')).toBe(1);
    await database.drop();
  });
});
