import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AppReleaseListDto, AppUpgradeDto } from '@family-watch/domain/operators/dto/app-release.dto';
import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { declaredOperations } from '../support/declared-operations.js';
import { describeOneDeployment } from '../support/deployments.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { CLOUD_PATH, expectOk, HttpClient } from '../support/http-client.js';
import { Operator, OPERATOR_PATH, runOperatorProgram } from '../support/operator.js';
import { TestService } from '../support/test-service.js';

const CHECK = '/apis/v2/tool/app-upgrade/check';
const SET = `${OPERATOR_PATH}app-release/set`;
const REASON = 'APP_VERSION_UNSUPPORTED';

/** Operations that also serve an app that is too old. */
const SERVED = [
  'acknowledgeSos',
  'askLocation',
  'checkAppUpgrade',
  'createPushToken',
  'deletePushToken',
  'getAskProgress',
  'getChild',
  'getLocation',
  'listSos',
  'refreshToken',
  'resolveSos',
  'signOut',
];

const releaseOf = (channel: string, version: string, more: object = {}) => ({
  platform: 'ANDROID',
  channel,
  version,
  percentage: 100,
  notes: { en: `News of ${version}`, 'zh-CN': `${version} 新功能` },
  url: 'https://apps.example.com/family-watch',
  ...more,
});

/** Each test has a channel of its own, because the service is shared. */
const createChannel = () => `c${randomUUID().slice(0, 8)}`;

test('below the minimum version, only operations for an SOS, alerts and upgrades work', async () => {
  const service = await TestService.shared('standalone');
  const fleet = await Operator.create(service, ['FLEET']);
  const family = await FamilyFixture.create(service);
  const channel = createChannel();
  await expectOk(fleet.post(SET, releaseOf(channel, '3.0.0', { minimumVersion: '2.0.0' })));
  const routes = (await declaredOperations()).filter(
    ({ access, method, path }) =>
      (access === 'public' || (Array.isArray(access) && access.includes('user'))) &&
      (path.startsWith('/apis/v2/') || path.startsWith('/app-api/')) &&
      // Their responses have no body.
      !['HEAD', 'OPTIONS'].includes(method),
  );
  const call = async (route: DeclaredRoute) => {
    const headers = {
      ...(route.access === 'public' ? {} : { authorization: `Bearer ${family.owner.token}` }),
      'x-app-version': `ANDROID/${channel}/1.9.0`,
    };
    const path = route.path.replace(/:\w+|\*/g, 'x');
    const { body, status } = await new HttpClient(service.url).send(route.method, path, { headers });
    return { id: route.id, isRejected: body?.['reason'] === REASON, isServerError: status >= 500 };
  };
  // The sign-out is the last request, because the others need the session.
  const outcomes = await Promise.all(routes.filter(({ id }) => id !== 'signOut').map(call));
  for (const route of routes.filter(({ id }) => id === 'signOut')) outcomes.push(await call(route));
  expect(outcomes.length).toBeGreaterThan(150);
  expect(outcomes.filter(({ isServerError }) => isServerError)).toEqual([]);
  expect(outcomes.flatMap(({ id, isRejected }) => (isRejected ? [] : [id])).toSorted()).toEqual(SERVED);
  await expectOk(
    fleet.post(`${OPERATOR_PATH}app-release/withdraw`, { platform: 'ANDROID', channel, version: '3.0.0' }),
  );
  family.disconnectAll();
  await service.stop();
});

test('the command line sets, lists and withdraws a release, with an entry in the audit list for each', async () => {
  const service = await TestService.shared('standalone');
  const channel = createChannel();
  const file = join(tmpdir(), `fw-release-${channel}.json`);
  writeFileSync(file, JSON.stringify(releaseOf(channel, '2.0.0', { percentage: 10 })));
  const name = ['--platform', 'ANDROID', '--channel', channel];
  const run = (...args: string[]) => runOperatorProgram(service, 'app-releases', ...args);
  expect(await run('set', '--file', file)).toBe(`ANDROID/${channel}/2.0.0 is offered to 10 %\n`);
  expect(JSON.parse(await run('list', ...name))).toMatchObject({ version: '2.0.0', percentage: 10 });
  expect(await run('withdraw', ...name, '--version', '2.0.0')).toContain('withdrawn');
  writeFileSync(file, JSON.stringify(releaseOf(channel, '2')));
  await expect(run('set', '--file', file)).rejects.toMatchObject({ code: 2 });
  const entries = await service.query<{ operation: string }>(
    `SELECT operation FROM userctx.operator_audit_entry
     WHERE actor = 'command-line' AND fields ->> 'channel' = $1 ORDER BY time`,
    [channel],
  );
  expect(entries.map(({ operation }) => operation)).toEqual([
    'app-releases set',
    'app-releases list',
    'app-releases withdraw',
  ]);
  await service.stop();
});

describeOneDeployment('app releases', 'distributed', (deployment) => {
  let service: TestService;
  let fleet: Operator;
  let outside: HttpClient;
  beforeAll(async () => {
    service = await TestService.shared(deployment);
    fleet = await Operator.create(service, ['FLEET']);
    outside = new HttpClient(service.url);
  });
  afterAll(() => service.stop());

  const check = (channel: string, version: string, more: Record<string, string> = {}) =>
    expectOk(
      outside.get<AppUpgradeDto>(CHECK, {
        platform: 'ANDROID',
        channel,
        version,
        installationId: randomUUID(),
        ...more,
      }),
    );

  test('an app learns of the newest release of its channel, in its language', async () => {
    const channel = createChannel();
    expect(await check(channel, '1.0.0')).toEqual({ supported: true, minimumVersion: null, release: null });
    const packaged = { sha256: 'a'.repeat(64), bytes: 1024 };
    await expectOk(fleet.post(SET, releaseOf(channel, '1.10.0', { package: packaged })));
    await expectOk(fleet.post(SET, releaseOf(channel, '1.9.0')));
    expect(await check(channel, '1.0.0', { language: 'zh-CN' })).toEqual({
      supported: true,
      minimumVersion: null,
      release: {
        version: '1.10.0',
        notes: '1.10.0 新功能',
        url: 'https://apps.example.com/family-watch',
        package: packaged,
      },
    });
    await expectOk(
      fleet.post(`${OPERATOR_PATH}app-release/withdraw`, { platform: 'ANDROID', channel, version: '1.10.0' }),
    );
    expect(await check(channel, '1.0.0')).toMatchObject({ release: { version: '1.9.0', package: null } });
    const { items } = await expectOk(
      fleet.get<AppReleaseListDto>(`${OPERATOR_PATH}app-release/list`, { platform: 'ANDROID', channel }),
    );
    expect(items.map(({ version, withdrawnAt }) => [version, withdrawnAt !== null])).toEqual([
      ['1.10.0', true],
      ['1.9.0', false],
    ]);
  });

  test('a staged release is offered to the same installations at each check', async () => {
    const channel = createChannel();
    await expectOk(fleet.post(SET, releaseOf(channel, '2.0.0', { percentage: 50 })));
    const ids = Array.from({ length: 30 }, () => randomUUID());
    const offered = async () => {
      const answers = await Promise.all(ids.map((installationId) => check(channel, '1.0.0', { installationId })));
      return ids.filter((_, index) => answers[index]?.release);
    };
    const first = await offered();
    expect(await offered()).toEqual(first);
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(ids.length);
    await expectOk(fleet.post(SET, releaseOf(channel, '2.0.0', { percentage: 100 })));
    expect(await offered()).toEqual(ids);
  });

  test('below the minimum version, the operations of all apps reject an app, but not a watch', async () => {
    const channel = createChannel();
    const family = await FamilyFixture.create(service);
    await expectOk(fleet.post(SET, releaseOf(channel, '3.0.0', { minimumVersion: '2.0.0', percentage: 0 })));
    expect(await check(channel, '1.9.0')).toMatchObject({
      supported: false,
      minimumVersion: '2.0.0',
      release: { version: '3.0.0' },
    });
    const header = (version: string) => ({ 'x-app-version': `ANDROID/${channel}/${version}` });
    const token = { authorization: `Bearer ${family.owner.token}` };
    const reasonOf = async (method: string, path: string, version: string) =>
      (await outside.send(method, path, { headers: { ...token, ...header(version) } })).body['reason'];
    // Gateway and mcdisk are other processes, which learn of the minimum when they first need it.
    for (const [method, path] of [
      ['GET', '/apis/v2/userctx/user/family/list'],
      ['GET', '/apis/v2/message/conversation/list'],
      ['POST', `${CLOUD_PATH}queryContentList`],
    ] as const)
      await waitUntil(`the minimum at ${path}`, async () => (await reasonOf(method, path, '1.9.0')) === REASON);
    expect(await reasonOf('GET', '/apis/v2/userctx/user/family/list', '2.0.0')).toBeUndefined();

    // A watch is never too old for the app's minimum: its requests carry an SOS.
    const watchToken = { authorization: `Bearer ${family.watch.token}` };
    const raised = await outside.send('POST', '/apis/v2/userctx/watch/sos/raise', {
      headers: { ...watchToken, ...header('1.9.0'), 'content-type': 'application/json' },
      body: '{}',
    });
    expect(raised.body['reason']).not.toBe(REASON);
    await expectOk(
      fleet.post(`${OPERATOR_PATH}app-release/withdraw`, { platform: 'ANDROID', channel, version: '3.0.0' }),
    );
    family.disconnectAll();
  });

  test('rejects invalid releases and invalid checks', async () => {
    const channel = createChannel();
    const invalid = [
      { version: '2.0' },
      { version: 'v2.0.0' },
      { minimumVersion: '2.0.1' },
      { notes: {} },
      { notes: { en: 'x'.repeat(2_001) } },
      { notes: { __proto__: null, 'en<': 'x' } },
      { notes: ['x'] },
      { url: 'http://apps.example.com/' },
      { url: 'javascript:alert(1)' },
      { url: 'https://user:pass@apps.example.com/' },
      { url: 'https://apps.example.com:x@evil.example.com/' },
      { package: { sha256: 'x', bytes: 1 } },
      { channel: 'Stable' },
    ];
    for (const fields of invalid)
      expect([fields, (await fleet.post(SET, { ...releaseOf(channel, '2.0.0'), ...fields })).body['reason']]).toEqual([
        fields,
        'VALIDATION_FAILED',
      ]);
    const query = { platform: 'ANDROID', channel, installationId: randomUUID() };
    for (const fields of [
      { version: '1', language: 'en' },
      { version: '1.0.0', language: '../en' },
    ])
      expect((await outside.get(CHECK, { ...query, ...fields })).body['reason']).toBe('VALIDATION_FAILED');
  });
});
