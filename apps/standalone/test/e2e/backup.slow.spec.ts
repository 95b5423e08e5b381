import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SosDto } from '@family-watch/domain/sos/dto/sos.dto';
import { findEmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { freePort } from '@family-watch/testing/network/free-ports';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { readSettings, runBackupProgram, type Variables } from '../support/backup-programs.js';
import { SUBSCRIPTION_KEYS } from '../support/access/center-rows.js';
import { conversationIdsOf } from '../support/access/conversation-ids.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk, HttpClient } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

/*
 * One history of a service: it is backed up on a database server while families use it, restored into the embedded
 * database, and from there moved to another database server. Each service runs at the same port, so that the clients of
 * the first one continue with the next one. The suite starts its own services, because it restores whole databases.
 */

const MESSAGE_PATH = '/apis/v2/message/';
const PASSWORD = 'correct-horse-battery-9';
const FAR_FUTURE = Date.now() + 365 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;

interface HistoryPage {
  items: { conversationSeq: number; payload: { text?: string } }[];
  nextCursor: string | null;
}

/** The rate limit of a sender must not end a backup that takes long. */
const MAX_MESSAGES_DURING_BACKUP = 50;

describe('backup and restore', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fw-backup-'));
  const [firstDir, secondDir, thirdDir] = ['first', 'second', 'third'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const keyFile = join(directory, 'backup.key');
  const pushes: string[] = [];
  let pushService: Server;
  let settings: Variables;
  let databases: TestDatabase[];
  let service: TestService;
  let family: FamilyFixture;
  let familyInNeed: FamilyFixture;
  let conversationId: string;
  let contentID: string;
  let encryption: Variables;

  const embedded = (dataDir: string): Variables => ({ DATA_DIR: dataDir });
  const onServer = (dataDir: string, { url, migrationUrl }: TestDatabase): Variables => ({
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    MIGRATION_DATABASE_URL: migrationUrl,
  });

  const run = (program: Parameters<typeof runBackupProgram>[0], variables: Variables, ...args: string[]) =>
    runBackupProgram(program, { BACKUP_DIR: join(directory, 'backups'), ...variables }, ...args);

  /** Starts the service on what DATA_DIR or DATABASE_URL contains, with the SECRET_KEY in DATA_DIR. */
  function start(variables: Variables, database: Pick<TestDatabase, 'adminUrl'>): Promise<TestService> {
    const unset = { SECRET_KEY: undefined, DATABASE_URL: undefined, MIGRATION_DATABASE_URL: undefined };
    return TestService.startOn(database as TestDatabase, { ...unset, ...settings, ...variables });
  }

  /** The rows of the embedded database, readable once its service runs. */
  const embeddedDatabase = (dataDir: string) => ({
    get adminUrl() {
      return findEmbeddedPostgres(dataDir)?.migrationUrl ?? '';
    },
  });

  const sendText = (sender: HttpClient, text: string) =>
    sender.post(`${MESSAGE_PATH}send`, { kind: 'ChatTextMessage', clientMsgId: randomUUID(), conversationId, text });

  /** Returns the texts of the conversation, oldest first. */
  async function readTexts(reader: HttpClient): Promise<(string | undefined)[]> {
    const items: HistoryPage['items'] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { conversationId, limit: 200, ...(cursor && { cursor }) };
      const page = await expectOk(reader.get<HistoryPage>(`${MESSAGE_PATH}history/get`, query));
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items.toSorted((a, b) => a.conversationSeq - b.conversationSeq).map(({ payload }) => payload.text);
  }

  const readFile = async (reader: HttpClient) => (await reader.get(await family.linkTo(contentID, reader))).text;

  const signIn = () =>
    new HttpClient(service.url).post<{ accessToken: string }>('account/sign-in', {
      areaCode: '+86',
      phoneNumber: family.owner.phoneNumber,
      password: PASSWORD,
    });

  async function registerPushToken(user: HttpClient): Promise<void> {
    const { port } = pushService.address() as AddressInfo;
    const keys = SUBSCRIPTION_KEYS;
    const token = `http://127.0.0.1:${port}/push`;
    await expectOk(user.post(`${MESSAGE_PATH}push-token/create`, { service: 'WEB_PUSH', token, keys }));
  }

  /** Raises an SOS and waits until the gateway has announced it. @returns its id */
  async function raiseSos({ watch, familyId }: FamilyFixture): Promise<string> {
    const { sosId } = await expectOk(watch.post<SosDto>(`${WATCH_PATH}sos/raise`, { time: Date.now() }));
    await waitUntil('the announcement of the SOS', async () => {
      const rows = await service.query(
        `SELECT FROM gateway.center_message WHERE family_id = $1 AND type = 'SOS_RAISED'`,
        [familyId],
      );
      return rows.length > 0;
    });
    return sosId;
  }

  /** Adds work for providers that the service has accepted and not done. */
  async function addPendingWork(): Promise<void> {
    const { familyId, cid, guardian } = family;
    const sosId = await raiseSos(family);
    await service.query('UPDATE userctx.sos SET last_raised_at = $2, next_step_at = $3 WHERE sos_id = $1', [
      sosId,
      Date.now() - HOUR_MS,
      FAR_FUTURE,
    ]);
    await service.query(
      `INSERT INTO userctx.alert_sms (alert_id, family_id, cid, ref_id, about, category, time, queued_at, due_at)
       VALUES (gen_random_uuid(), $1, $2, gen_random_uuid(), $3, 'SOS', $4, $4, $5)`,
      [familyId, cid, sosId, Date.now(), FAR_FUTURE],
    );
    await service.query(
      `INSERT INTO gateway.push_request (user_id, collapse_key, head, kind, category, urgent, subject, due_at, expires_at)
       VALUES ($1, 'rest', 1, 'ChatTextMessage', 'CHAT', false, '{}', $2, $2)`,
      [guardian.userId, FAR_FUTURE],
    );
    // An event that was published to a stream and not handled when the stream was lost.
    await raiseSos(familyInNeed);
    await service.query(
      `INSERT INTO userctx.outbox (id, partition, key, name, time, payload, confirmed_at)
       SELECT gen_random_uuid(), partition, key, name, time, payload, now() FROM userctx.outbox
        WHERE name = 'userctx.sos.raised' AND payload ->> 'familyId' = $1`,
      [familyInNeed.familyId],
    );
    await service.query(`UPDATE userctx.relay SET stream_identity = 'lost stream'`);
  }

  beforeAll(async () => {
    // The user of the embedded database server must be able to enter the directory.
    chmodSync(directory, 0o755);
    pushService = createServer((request, response) => {
      pushes.push(request.url ?? '');
      response.writeHead(201).end();
    }).listen(0, '127.0.0.1');
    await once(pushService, 'listening');
    for (const path of [firstDir, secondDir, thirdDir]) mkdirSync(path);
    const port = await freePort();
    settings = { PORT: port, PUSH_ALLOW_INSECURE_ENDPOINTS: 'yes', SOS_STEP_SECONDS: 3_600 };
    databases = [await createTestDatabase(), await createTestDatabase()];
    const keyCreation = run('backup', {}, 'create-key', keyFile);
    service = await start(onServer(firstDir, databases[0]!), databases[0]!);
    [family, familyInNeed] = await Promise.all([
      FamilyFixture.create(service, { password: PASSWORD }),
      FamilyFixture.create(service),
    ]);
    ({ conversationId } = await conversationIdsOf(family));
    contentID = await family.storeFile('kept.bin', Buffer.from('kept bytes'));
    const { output } = await keyCreation;
    encryption = { ...readSettings(output), BACKUP_KEY_FILE: keyFile };
    await registerPushToken(familyInNeed.guardian);
    await addPendingWork();
  });

  afterAll(async () => {
    for (const fixture of [family, familyInNeed]) fixture.disconnectAll();
    await service.stop();
    for (const database of databases) await database.drop();
    pushService.close();
    rmSync(directory, { recursive: true, force: true });
  });

  let ahead: { last: number; epoch: number };
  let sentDuringBackup: string[];

  test('writes an encrypted backup while a family sends messages, readable by its owner only', async () => {
    sentDuringBackup = [];
    const backup = run('backup', { ...onServer(firstDir, databases[0]!), ...encryption });
    const end = backup.then(() => 'ended');
    const isRunning = async () => (await Promise.race([end, Promise.resolve('running')])) === 'running';
    while (sentDuringBackup.length < MAX_MESSAGES_DURING_BACKUP && (await isRunning())) {
      const text = `during ${sentDuringBackup.length}`;
      await expectOk(sendText(family.owner, text));
      sentDuringBackup.push(text);
    }
    const { code, output } = await backup;
    expect([code, output]).toEqual([0, expect.stringMatching(/rows, 1 files, of which 1 are new\n$/)]);
    const [path = ''] = /\S+\/backups\/\S+Z/.exec(output) ?? [];
    expect(readdirSync(path).toSorted()).toEqual([
      'blob-keys.gz',
      'blobs.tsv.gz.age',
      'manifest.json.gz.age',
      'manifest.mac',
      'secrets.json.gz.age',
      'tables',
    ]);
    const modes = readdirSync(path, { recursive: true, withFileTypes: true }).map((entry) =>
      [entry.isDirectory(), (statSync(join(entry.parentPath, entry.name)).mode & 0o777).toString(8)].join(),
    );
    expect(new Set(modes)).toEqual(new Set(['true,700', 'false,600']));

    // The clients continue after the backup, so their cursors are ahead of the restored mailboxes.
    for (let number = 0; number < 5; number += 1) await expectOk(sendText(family.owner, `lost ${number}`));
    const phone = await family.guardian.connect();
    ahead = { last: phone.hello?.head ?? 0, epoch: phone.hello?.epoch ?? 0 };
    phone.close();
  });

  test('rejects a target that is in use or not empty, and another SECRET_KEY', async () => {
    const rejections: [Variables, string][] = [
      [{ ...embedded(firstDir), ...encryption }, 'is in use by process'],
      [{ ...onServer(secondDir, databases[0]!), ...encryption }, 'already contains the schema userctx'],
      [
        { ...onServer(thirdDir, databases[1]!), ...encryption, SECRET_KEY: 'x'.repeat(32) },
        'SECRET_KEY is not the one',
      ],
    ];
    const results = await Promise.all(rejections.map(([variables]) => run('restore', variables)));
    expect(results).toEqual(rejections.map(([, message]) => ({ code: 2, output: expect.stringContaining(message) })));
  });

  test('restores into an empty embedded database, where clients continue with their sessions', async () => {
    await service.stop();
    pushes.length = 0;
    const restored = await run('restore', { ...embedded(secondDir), ...encryption });
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('1 files restored')]);
    expect(restored.output).toContain('1 alert SMS that waited to be sent were dropped');
    expect(restored.output).toContain('1 push notifications that waited to be sent were dropped');
    expect(restored.output).toContain('1 SOS calls older than 15 minutes were ended');
    service = await start(embedded(secondDir), embeddedDatabase(secondDir));

    await expectOk(signIn());
    const texts = await readTexts(family.owner);
    expect(texts[0]).toBe('Hello');
    // The backup contains the messages up to one moment, without a gap.
    expect(texts.slice(1)).toEqual(sentDuringBackup.slice(0, texts.length - 1));
    expect(await readFile(family.owner)).toBe('kept bytes');
    await family.watch.renewToken();
    expect((await family.watch.get(`${WATCH_PATH}settings/get`)).status).not.toBe(401);
  });

  test('a client that is ahead of the restored mailbox receives everything, because the epoch is new', async () => {
    const phone = new TestClient(service.url, { token: family.guardian.token, ...ahead });
    const hello = await phone.waitForHello();
    expect([hello.epoch === ahead.epoch, hello.head < ahead.last, hello.reset]).toEqual([false, true, true]);
    await expectOk(sendText(family.owner, 'after the restore'));
    const textsOf = (client: TestClient) =>
      client.messagesOfKind('ChatTextMessage').map(({ payload }) => (payload as { text: string }).text);
    await phone.waitFor(() => textsOf(phone).includes('after the restore'), 'the new message');
    expect(textsOf(phone)).toEqual(await readTexts(family.guardian));
    expect(phone.problems).toEqual([]);
    phone.close();
  });

  test('an event that was not handled before the backup is handled once, without a notification', async () => {
    const { guardian, watch, familyId, cid } = familyInNeed;
    const countOf = async (table: string) => (await service.query(`SELECT FROM ${table}`)).length;
    const findMessages = () =>
      service.query(
        `SELECT FROM gateway.center_message WHERE family_id = $1 AND user_id = $2 AND type = 'SOS_RAISED'`,
        [familyId, guardian.userId],
      );
    // One message is of the backup, the other one of the event; the other events of the outbox were handled before.
    await waitUntil('the message about the event', async () => (await findMessages()).length === 2);
    // The SOS is recent, so it is still escalated; that of the other family has ended.
    const calls = await service.query<{ id: string; state: string }>(
      'SELECT sos_id AS id, state FROM userctx.sos ORDER BY state',
    );
    expect(calls.map(({ state }) => state)).toEqual([expect.stringMatching(/RAISED|NOTIFYING/), 'RESOLVED']);
    expect([await countOf('userctx.alert_sms'), await countOf('gateway.push_request'), pushes]).toEqual([0, 0, []]);

    await expectOk(guardian.post('sos/resolve', { cid, sosId: calls[0]?.id }));
    await expectOk(watch.post(`${WATCH_PATH}sos/raise`, { time: Date.now() }));
    await waitUntil('the message about a new SOS', async () => (await findMessages()).length === 3);
    await waitUntil('push notifications of what happens after the restore', () => pushes.length > 0);
  });

  test('the restored files agree with the restored database', async () => {
    const { code, output } = await run('../../mcdisk/dist/fsck', embedded(secondDir));
    expect([code, output]).toEqual([0, expect.stringContaining('The store has 1 blobs')]);
  });

  test('moves the embedded database to a server and renews the secrets, which ends all sessions', async () => {
    const backup = await run('backup', embedded(secondDir), '--include-secrets', '--keep', '1');
    expect([backup.code, backup.output]).toEqual([0, expect.stringContaining('Deleted the backup ')]);
    const oldToken = family.owner.token;
    await service.stop();
    const target = onServer(thirdDir, databases[1]!);
    const restored = await run('restore', target, '--secrets', 'renew');
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('everybody signs in again')]);
    service = await start(target, databases[1]!);

    expect((await new HttpClient(service.url, oldToken).get('family/list')).status).toBe(401);
    const { accessToken } = await expectOk(signIn());
    const phone = new HttpClient(service.url, accessToken);
    expect((await readTexts(phone)).at(-1)).toBe('after the restore');
    expect(await readFile(phone)).toBe('kept bytes');
    await family.watch.renewToken();
  });
});
