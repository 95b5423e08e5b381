import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitFor, waitUntil } from '@family-watch/testing/waiting/wait-for';
import { expectError } from './envelopes.js';
import { FamilyFixture } from './family-fixture.js';
import { CLOUD_PATH, type ServiceResponse } from './http-client.js';
import { VALID_CHILD } from './parent.js';
import { DELAYED_CHECK, REVOCATIONS_STALE, type TestService } from './test-service.js';

/** Levels of log lines. */
const [DEBUG, INFO] = [20, 30];

interface LogLine {
  level: number;
  /** Unix milliseconds. */
  time: number;
  pid: number;
  app?: string;
  context?: string;
  msg: string;
  /** Fields of a line about one object of a projection; they identify the object. */
  projection?: string;
  /** Name of the event whose projection was compared. */
  event?: string;
  key?: string;
  handler?: string;
  snapshotId?: string;
}

/**
 * Declares tests that make the database of a service unreachable for a while. The service must not be shared with other
 * suites.
 */
export function declareDatabaseOutageTests(getService: () => TestService): void {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = getService();
    fixture = await FamilyFixture.create(service);
  });
  beforeEach(() => waitUntilServing());

  const allowConnections = (isAllowed: boolean) =>
    `ALTER DATABASE ${service.databaseName} ALLOW_CONNECTIONS ${isAllowed}`;
  const endAllConnections = () =>
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${service.databaseName}'`;
  /** Denies new connections to all roles except the superuser, and terminates the existing connections. */
  const disconnectDatabase = () => queryAsAdmin(allowConnections(false), endAllConnections());
  const reconnectDatabase = () => queryAsAdmin(allowConnections(true));
  const queryAsAdmin = (...statements: string[]) =>
    withClient(service.databaseUrl.replace(service.databaseName, 'postgres'), async (client) => {
      for (const sql of statements) await client.query(sql);
    });

  async function waitUntilServing(): Promise<void> {
    let responseTexts: string[] = [];
    const serves = async () => {
      const answers = [
        await fixture.owner.get('child/get'),
        await fixture.owner.post(`${CLOUD_PATH}queryFamilyCloud`, {}),
      ];
      const ready = await Promise.all(service.processUrls.map((url) => fetch(`${url}/health/ready`)));
      for (const { status } of answers) expect([200, 503]).toContain(status);
      responseTexts = answers.map(({ text }) => text);
      return answers.every(({ status }) => status === 200) && ready.every(({ ok }) => ok);
    };
    await waitUntil(() => `the service to recover: ${responseTexts.join(' ')}`, serves);
  }

  const requests: readonly [string, string, () => Promise<ServiceResponse>][] = [
    ['a read', '/apis/v2/', () => fixture.owner.get('child/get')],
    ['a read on the other surface', '/hmd-wx/api/v2/', () => fixture.owner.wrapped.get('child/get')],
    ['a create', '/apis/v2/', () => fixture.owner.post('child/create', { ...VALID_CHILD, name: 'Lost' })],
    [
      'an update',
      '/apis/v2/',
      () => fixture.owner.post('child/update', { ...VALID_CHILD, cid: fixture.cid, name: 'Lost' }),
    ],
    [
      'a deletion in the cloud',
      CLOUD_PATH,
      () => fixture.owner.post(`${CLOUD_PATH}deleteContents`, { cloudID: fixture.familyId, contentIDList: ['x'] }),
    ],
    [
      'emptying its recycle bin',
      CLOUD_PATH,
      () => fixture.owner.post(`${CLOUD_PATH}purgeContents`, { cloudID: fixture.familyId, all: true }),
    ],
  ];

  test('requests get 503 DATABASE_UNAVAILABLE with Retry-After and change nothing', async () => {
    await disconnectDatabase();
    try {
      for (const [about, address, ask] of requests) {
        const answer = await ask();
        expectError(address, answer, 'DATABASE_UNAVAILABLE');
        expect([about, Number(answer.headers.get('retry-after'))]).toEqual([about, expect.any(Number)]);
      }
      for (const url of service.processUrls) {
        expect((await fetch(`${url}/health/live`)).status).toBe(200);
        expect((await fetch(`${url}/health/ready`)).status).toBe(503);
      }
    } finally {
      await reconnectDatabase();
    }
    await waitUntilServing();
    const { body } = await fixture.owner.get<{ childList: object[] }>('child/get');
    expect(body.childList).toMatchObject([{ cid: fixture.cid, name: 'Mia' }]);
  });

  test('each of 40 concurrent requests is completed or rejected as a whole when connections end, and none gets 500', async () => {
    const before = await children();
    const asked = Array.from({ length: 40 }, async (_, index) => {
      await sleep(index * 5);
      return fixture.guardian.post('child/create', { ...VALID_CHILD, name: `Child ${index}` });
    });
    await sleep(60);
    await queryAsAdmin(endAllConnections());
    const answers = await Promise.all(asked);
    for (const { status, text } of answers) expect([200, 409, 429, 503, text]).toContain(status);
    await waitUntilServing();
    const created = answers.filter(({ status }) => status === 200).map(({ body }) => String(body['cid']));
    const after = await children();
    // A rejected request may have been committed before its connection broke; an acknowledged one must be committed.
    expect(after).toEqual(expect.arrayContaining([...before, ...created]));
    const [orphans] = await service.query<{ count: number }>(
      `SELECT count(*)::int FROM userctx.child c
        WHERE NOT EXISTS (SELECT FROM userctx.family_child f WHERE f.cid = c.cid AND f.family_id = c.family_id)`,
    );
    expect(orphans).toEqual({ count: 0 });
  });

  const children = async () =>
    (await service.query<{ cid: string }>('SELECT cid FROM userctx.child')).map(({ cid }) => cid);

  test('a socket stays connected or reconnects, and receives the missed messages', async () => {
    const watch = await fixture.watch.connect();
    await disconnectDatabase();
    const answer = await watch.send('WristwatchStartupNoticeMessage', { cause: 'USER' }).catch(() => undefined);
    await reconnectDatabase();
    if (answer) expect(answer).toMatchObject({ ok: false, code: 503_001, reason: 'DATABASE_UNAVAILABLE' });
    await waitUntilServing();
    const again = await fixture.watch.connect();
    expect(await again.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: true });
    fixture.disconnectAll();
  });

  test('the log reports the outage once per job or object and without stacks, and then the end of the outage', async () => {
    const start = Date.now();
    // Returns all log lines since the start of the outage, including the repetitions, which have level debug.
    const readLines = () =>
      service.logs
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as LogLine)
        .filter(({ time }) => time >= start);
    const repetitionsOf = (context: string) =>
      readLines().filter((line) => line.context === context && line.msg === 'Job failed' && line.level === DEBUG);
    await disconnectDatabase();
    // Jobs of the gateway, of userctx and of mcdisk.
    for (const job of ['gateway.video-calls.end-due-calls', 'userctx.sos.escalate', 'mcdisk.batch-tasks.run'])
      await waitUntil(`repeated failures of ${job}`, () => repetitionsOf(job).length >= 3);
    await reconnectDatabase();
    await waitUntilServing();
    for (const app of ['userctx', 'mcdisk', 'gateway']) {
      await waitFor(() => {
        const linesOfDatabase = readLines().filter(({ context }) => context === `Database:${app}`);
        expect(linesOfDatabase.map(({ msg }) => msg)).toEqual(
          expect.arrayContaining(['Database is unavailable', 'Database is available again']),
        );
      });
    }
    const lines = readLines().filter(({ level, msg }) => level > INFO && msg !== DELAYED_CHECK);
    expect(lines.filter((line) => JSON.stringify(line).includes('"stack"'))).toEqual([]);
    // On a busy machine the revocation feed becomes stale and current several times.
    const sources = lines
      .filter(({ msg }) => msg !== REVOCATIONS_STALE)
      .map(({ pid, app, context, msg, projection, event, key, handler, snapshotId }) =>
        JSON.stringify([pid, app ?? context ?? '', msg, projection, event, key, handler, snapshotId]),
      );
    expect(sources.toSorted()).toEqual([...new Set(sources)].toSorted());
  });

  test('the log contains no internal error', () => {
    const failed = service.logs.filter((line) => line.includes('Request failed'));
    expect(failed).toEqual([]);
  });
}
