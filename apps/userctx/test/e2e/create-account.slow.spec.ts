import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { SignInLinkRepository } from '../../src/accounts/sessions/sign-in-link.repository.js';
import { AccountsTestEnvironment } from '../support/accounts-test-environment.js';

const PROGRAM = join(import.meta.dirname, '../../dist/operator.js');

let environment: AccountsTestEnvironment;
let app: NestFastifyApplication;

beforeAll(async () => {
  environment = await AccountsTestEnvironment.open();
  app = await environment.application();
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => environment.close());

/** Runs the command in a separate process, as an operator does. */
function runCommand(args: string[], databaseUrl = environment.testDatabase.url) {
  return new Promise<{ code: number; output: string; token: string }>((resolve) => {
    const env = {
      ...PROGRAM_ENVIRONMENT,
      DATABASE_URL: databaseUrl,
      PUBLIC_URL: 'https://family.example/',
    };
    execFile(process.execPath, [PROGRAM, 'account', 'create', ...args], { env }, (error, stdout, stderr) => {
      const [, token = ''] = /https:\/\/family\.example\/sign-in#token=([\w-]{43})\n/.exec(stdout) ?? [];
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr, token });
    });
  });
}

const post = (name: string, payload: object, accessToken?: string) =>
  app.inject({
    method: 'POST',
    url: `/apis/v2/userctx/user/account/${name}`,
    payload,
    headers: accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` },
  });

const optionsOf = ({ areaCode, phoneNumber }: { areaCode: string; phoneNumber: string }) => [
  '--area-code',
  areaCode.slice(1),
  '--phone',
  phoneNumber,
];

describe('npm run operator -- account create', () => {
  test('prints a link with which exactly one of several sign-ins succeeds, and the person sets a password', async () => {
    const phone = environment.uniquePhone();
    const { code, token, output } = await runCommand([...optionsOf(phone), '--nickname', 'Anna']);
    expect([code, output]).toEqual([0, expect.stringContaining(`--json '{"linkToken":"${token}"}'`)]);
    const responses = await Promise.all([1, 2, 3].map(() => post('sign-in', { linkToken: token })));
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401]);
    const { accessToken } = responses.find(({ statusCode }) => statusCode === 200)!.json<{ accessToken: string }>();
    const password = 'seven quiet herons';
    expect((await post('password/set', { password }, accessToken)).statusCode).toBe(200);
    expect((await post('sign-in', { ...phone, password })).statusCode).toBe(200);
    const stored = await environment.query('SELECT nickname FROM userctx.account WHERE phone_number = $1', [
      phone.phoneNumber,
    ]);
    expect(stored).toEqual([{ nickname: 'Anna' }]);
    const audited = await environment.query(
      `SELECT operation, fields FROM userctx.operator_audit_entry ORDER BY time DESC LIMIT 1`,
    );
    expect(audited).toEqual([{ operation: 'account:create', fields: { userId: expect.any(String) } }]);
    expect(await environment.query('SELECT * FROM userctx.sign_in_link')).toEqual([]);
  });

  test('creates no second account; a new link needs --new-link and expires after an hour', async () => {
    const phone = environment.uniquePhone();
    await runCommand(optionsOf(phone));
    const repeated = await runCommand(optionsOf(phone));
    expect([repeated.code, repeated.token]).toEqual([1, '']);
    expect(repeated.output).toContain('--new-link');
    const { token } = await runCommand([...optionsOf(phone), '--new-link']);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    expect((await post('sign-in', { linkToken: token })).json()).toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    await app.get(SignInLinkRepository, { strict: false }).deleteExpired(Date.now());
    expect(await environment.query('SELECT * FROM userctx.sign_in_link')).toEqual([]);
  });

  test('prints a link that is invalid after a change of the password', async () => {
    const phone = environment.uniquePhone();
    const outdated = await runCommand(optionsOf(phone));
    const used = await runCommand([...optionsOf(phone), '--new-link']);
    const { accessToken } = (await post('sign-in', { linkToken: used.token })).json<{ accessToken: string }>();
    expect((await post('password/set', { password: 'seven quiet herons' }, accessToken)).statusCode).toBe(200);
    const response = await post('sign-in', { linkToken: outdated.token });
    expect(response.json()).toMatchObject({ reason: 'CREDENTIALS_INVALID' });
  });

  test('asks to start the service first when the database is empty', async () => {
    const empty = await createTestDatabase();
    const { code, output } = await runCommand(['--area-code', '+86', '--phone', '13812345678'], empty.url);
    await empty.drop();
    expect([code, output]).toEqual([2, expect.stringMatching(/^The database is empty\. Start the service once/)]);
  });

  test('explains its usage for a malformed phone number', async () => {
    const { code, output } = await runCommand(['--area-code', '+86', '--phone', '12']);
    expect(code).toBe(2);
    expect(output).toContain('npm run operator -- account create');
  });

  test('rejects a nickname without a visible character', async () => {
    const { code, output } = await runCommand([...optionsOf(environment.uniquePhone()), '--nickname', '\u3164']);
    expect([code, output]).toEqual([2, expect.stringContaining('nickname must be longer than or equal to 1')]);
  });
});
