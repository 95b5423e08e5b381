import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@family-watch/testing/network/free-ports';
import { Client } from 'pg';
import sharp from 'sharp';
import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { SosDto } from '@family-watch/domain/sos/dto/sos.dto';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { SUBSCRIPTION_KEYS } from '../support/access/center-rows.js';
import { conversationIdsOf } from '../support/access/conversation-ids.js';
import { distantWeekday } from '../support/distant-weekday.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { CLOUD_PATH, expectOk } from '../support/http-client.js';
import { waitUntilEventsProcessed } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

/*
 * Tests that the present build works on the database and the data directory of another build, which was killed while it
 * had queued work. `npm run test:long -- upgrade` runs this suite; PREVIOUS_BUILD is the directory of the other build.
 */

const MESSAGE_PATH = '/apis/v2/message/';
const CONTACT_PHONE = '13700000001';
const SOS_STEP_SECONDS = 4;

/** Work that the previous build had accepted and not done when it was killed. */
interface QueuedWork {
  conversationId: string;
  taskId: string;
  deletedIds: string[];
  pictureId: string;
  sosId: string;
  contactName: string;
}

describe('the database of a previous build', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fw-upgrade-'));
  const received: string[] = [];
  let pushService: Server;
  let database: TestDatabase;
  let settings: Record<string, string | number>;
  let service: TestService;
  let familyWithData: FamilyFixture;
  let storedFileId: string;
  let answersBefore: Record<string, unknown>;
  let idempotent: { key: string; text: string };
  let familyWithQueuedWork: FamilyFixture;
  let queued: QueuedWork;
  let pending: Record<string, number>;

  beforeAll(async () => {
    const previous = process.env.PREVIOUS_BUILD;
    if (!previous) throw new Error('PREVIOUS_BUILD is missing; run this suite with `npm run test:long -- upgrade`.');
    pushService = createServer((request, response) => {
      received.push(request.url ?? '');
      response.writeHead(201).end();
    }).listen(0, '127.0.0.1');
    await once(pushService, 'listening');
    database = await createTestDatabase();
    const port = await freePort();
    settings = {
      PORT: port,
      DATA_DIR: directory,
      SECRET_KEY: randomBytes(32).toString('base64url'),
      PUSH_ALLOW_INSECURE_ENDPOINTS: 'yes',
      SOS_STEP_SECONDS,
    };
    const program = join(previous, 'apps/standalone/dist/main.js');
    service = await TestService.startOn(database, settings, program);
    [familyWithData, familyWithQueuedWork] = [await FamilyFixture.create(service), await FamilyFixture.create(service)];
    await fillFamily();
    idempotent = await createChild(randomUUID());
    await waitUntilEventsProcessed(service);
    answersBefore = await readAnswers();
    queued = await queueWork();
    pending = await countPending();
    await service.stop();
    service = await TestService.startOn(database, settings);
  });

  afterAll(async () => {
    for (const fixture of [familyWithData, familyWithQueuedWork]) fixture.disconnectAll();
    await service.stop();
    await database.drop();
    pushService.close();
    rmSync(directory, { recursive: true });
  });

  /** Creates data of each context in the first family. */
  async function fillFamily(): Promise<void> {
    const { owner, watch, cid, familyId: cloudID } = familyWithData;
    const did = watch.did;
    const contact = { deviceId: did, name: 'Oma', phoneNumber: CONTACT_PHONE, areaCode: '+86' };
    await expectOk(owner.post('device/contacts/create', contact));
    await expectOk(owner.post('device/alarm-clock/create', { did, version: 0, hour: 7, minute: 30 }));
    const schoolTime = { did, version: 0, start: '08:00', end: '12:00', weekdays: [distantWeekday()] };
    await expectOk(owner.post('device/school-disable/create', schoolTime));
    const circle = { latitude: '31.2300', longitude: '121.4700', radius: 150 };
    await expectOk(owner.post('fence/create', { cid, name: 'School', circle }));
    const points = [0.02, 0].map((east, index) => ({
      latitude: '31.2300',
      longitude: (121.47 + east).toFixed(4),
      radius: 10,
      pointType: 1,
      positionTime: Date.now() - (60 - index * 20) * 1_000,
    }));
    await expectOk(watch.post(`${WATCH_PATH}location/report`, { points }));
    const { sosId } = await expectOk(watch.post<SosDto>(`${WATCH_PATH}sos/raise`, { time: Date.now() }));
    await expectOk(owner.post('sos/resolve', { cid, sosId }));
    await conversationIdsOf(familyWithData);
    storedFileId = await familyWithData.storeFile('kept.bin', Buffer.from('kept bytes'));
    const recycled = await familyWithData.storeFile('recycled.bin', Buffer.from('recycled bytes'));
    await expectOk(owner.post(`${CLOUD_PATH}deleteContents`, { cloudID, contentIDList: [recycled] }));
    await expectOk(owner.post(`${CLOUD_PATH}createCloudPhoto`, { cloudID, photoName: 'Summer' }));
  }

  /** Returns the answers of the operations that read the first family, without URLs and tickets, which expire. */
  async function readAnswers(): Promise<Record<string, unknown>> {
    const { owner, guardian, watch, cid, familyId } = familyWithData;
    const [did, cloudID] = [watch.did, familyId];
    const { items } = await expectOk(
      owner.get<{ items: { conversationId: string }[] }>(`${MESSAGE_PATH}conversation/list`),
    );
    const reads: [string, object][] = [
      ['account/profile/get', {}],
      ['account/consent/get', {}],
      ['family/list', {}],
      ['family/member/list', { familyId }],
      ['child/get', {}],
      ['child/detail', { cid }],
      ['device/list', {}],
      ['device/contacts/list', { deviceId: did }],
      ['device/alarm-clock/get', { did }],
      ['device/school-disable/get', { did }],
      ['device/reject-stranger/get', { did }],
      ['device/settings/get', { did }],
      ['fence/list', { cid }],
      ['fence/event/list', { cid }],
      ['location/track', { cid, from: Date.now() - 3_600_000, to: Date.now() }],
      ['sos/list', { cid }],
      [`${MESSAGE_PATH}conversation/list`, {}],
      [`${MESSAGE_PATH}center/list`, {}],
      ...items.map(({ conversationId }): [string, object] => [`${MESSAGE_PATH}history/get`, { conversationId }]),
    ];
    const answers: Record<string, unknown> = {};
    for (const reader of [owner, guardian]) {
      for (const [path, query] of reads) {
        const { status, body } = await reader.get(path, query as Record<string, string>);
        answers[`${reader.userId} ${path} ${'conversationId' in query ? String(query.conversationId) : ''}`] = {
          status,
          body,
        };
      }
      for (const operation of ['queryDiskInfo', 'queryContentList', 'queryRecycleList', 'queryCloudPhoto']) {
        const { status, body } = await reader.post(`${CLOUD_PATH}${operation}`, { cloudID });
        answers[`${reader.userId} ${operation}`] = { status, body };
      }
    }
    return JSON.parse(
      JSON.stringify(answers, (key, value: unknown) => (/URL$|^ticket$/.test(key) ? undefined : value)),
    ) as Record<string, unknown>;
  }

  async function createChild(key: string): Promise<{ key: string; text: string }> {
    const child = { name: 'Leo', phoneNumber: '13812345679', areaCode: '+86', appellation: 'Leo', gender: 3 };
    const body = { ...child, weight: 120, height: 125 };
    const { status, text } = await familyWithData.owner.post('child/create', body, { 'idempotency-key': key });
    if (status !== 200) throw new Error(text);
    return { key, text };
  }

  /** Makes the previous build accept work in the second family, and kills the build before it can do the work. */
  async function queueWork(): Promise<QueuedWork> {
    const { owner, guardian, watch, familyId: cloudID } = familyWithQueuedWork;
    const picture = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#468' } })
      .jpeg()
      .toBuffer();
    const pictureId = await familyWithQueuedWork.storeFile('photo.jpg', picture);
    const deletedIds = [
      await familyWithQueuedWork.storeFile('one.bin'),
      await familyWithQueuedWork.storeFile('two.bin'),
    ];
    const { conversationId } = await conversationIdsOf(familyWithQueuedWork);
    const { port } = pushService.address() as AddressInfo;
    await expectOk(
      guardian.post(`${MESSAGE_PATH}push-token/create`, {
        service: 'WEB_PUSH',
        token: `http://127.0.0.1:${port}/push`,
        keys: SUBSCRIPTION_KEYS,
      }),
    );
    await waitUntilEventsProcessed(service);
    const locks = new Client({ connectionString: database.adminUrl });
    await locks.connect();
    try {
      // Events wait for the inboxes, and the batch task waits for the files.
      await locks.query('BEGIN');
      await locks.query('LOCK TABLE gateway.inbox, mcdisk.inbox IN ACCESS EXCLUSIVE MODE');
      await locks.query('LOCK TABLE mcdisk.content IN SHARE MODE');
      const contactName = 'Opa';
      const contact = { deviceId: watch.did, name: contactName, phoneNumber: CONTACT_PHONE, areaCode: '+86' };
      await expectOk(owner.post('device/contacts/create', contact));
      const message = { kind: 'ChatTextMessage', clientMsgId: randomUUID(), conversationId, text: 'Queued' };
      await expectOk(owner.post(`${MESSAGE_PATH}send`, message));
      const { data } = await expectOk(
        owner.post<{ data: { taskID: string } }>(`${CLOUD_PATH}createBatchOprTask`, {
          cloudID,
          taskType: BATCH_TASK_TYPE.DELETE,
          contentIDList: deletedIds,
        }),
      );
      const { sosId } = await expectOk(watch.post<SosDto>(`${WATCH_PATH}sos/raise`, { time: Date.now() }));
      process.kill(service.processId, 'SIGKILL');
      // Resets the thumbnail only after the kill, because the running build would generate the thumbnail at once.
      await locks.query(
        `UPDATE mcdisk.rendition SET state = 'WAITING', blob_key = NULL, attempts = 0, due_at = 0, lease_holder = NULL`,
      );
      await locks.query('COMMIT');
      return { conversationId, taskId: data.taskID, deletedIds, pictureId, sosId, contactName };
    } finally {
      await locks.end();
    }
  }

  async function countThumbnails(): Promise<number> {
    const [counts] = await service.query<{ requested: number }>(
      `SELECT count(*)::int AS requested FROM mcdisk.rendition WHERE state = 'WAITING'`,
    );
    return counts?.requested ?? 0;
  }

  /** Counts the work of the second family that is not done. */
  async function countPending(): Promise<Record<string, number>> {
    const { guardian, watch } = familyWithQueuedWork;
    const [counts] = await service.query<Record<string, number>>(
      `SELECT
        (SELECT count(*)::int FROM mcdisk.batch_task WHERE task_id = $1 AND finished_at IS NULL) AS tasks,
        (SELECT count(*)::int FROM gateway.push_request WHERE user_id = $2) AS notifications,
        (SELECT count(*)::int FROM userctx.sos_step WHERE sos_id = $3 AND channel = 'SMS') AS "sentSms",
        (SELECT count(*)::int FROM gateway.mailbox_entry
          WHERE principal = $4 AND kind = 'ContactsChangeNoticeMessage') AS notices`,
      [queued.taskId, guardian.userId, queued.sosId, `watch:${watch.did}`],
    );
    return { ...counts, thumbnails: await countThumbnails() };
  }

  test('contains a batch task, a thumbnail and a notification that are not done, and a notice that is not stored', () => {
    expect(pending).toEqual({ tasks: 1, thumbnails: 1, notifications: 1, sentSms: 0, notices: 0 });
  });

  // A newer build may add fields to responses; it may not change or omit one.
  test('is read by the present build with the same answers', async () => {
    expect(await readAnswers()).toMatchObject(answersBefore);
  });

  test('keeps the bytes of files', async () => {
    expect(await (await fetch(service.url + (await familyWithData.linkTo(storedFileId)))).text()).toBe('kept bytes');
  });

  test('keeps the responses of requests with an idempotency key', async () => {
    expect((await createChild(idempotent.key)).text).toBe(idempotent.text);
  });

  test('delivers a message and a notice that were not delivered', async () => {
    const socket = await familyWithQueuedWork.watch.connect({ last: 0 });
    const texts = () =>
      socket.messagesOfKind('ChatTextMessage').map(({ payload }) => (payload as { text: string }).text);
    await socket.waitFor(() => texts().includes('Queued'), 'the message');
    await socket.waitFor(() => socket.messagesOfKind('ContactsChangeNoticeMessage').length > 0, 'the notice');
    const { body } = await familyWithQueuedWork.watch.get<{ items: { name: string }[] }>('device/contacts/list', {
      deviceId: familyWithQueuedWork.watch.did,
    });
    expect(body.items.map(({ name }) => name)).toContain(queued.contactName);
  });

  test('sends the notification of a message that was not acknowledged', async () => {
    await waitUntil('the notification', () => received.includes('/push'));
  });

  test('finishes a batch task', async () => {
    const { owner, familyId: cloudID } = familyWithQueuedWork;
    const detail = await waitUntilFound('the end of the task', async () => {
      const { data } = await expectOk(
        owner.post<{ data: { state: string } }>(`${CLOUD_PATH}queryBatchOprTaskDetail`, {
          cloudID,
          taskID: queued.taskId,
        }),
      );
      return /DONE|FAILED|CANCELLED|^[^01]$/.test(JSON.stringify(data)) ? data : undefined;
    });
    expect(JSON.stringify(detail)).toMatch(/DONE/);
    const { body } = await owner.post(`${CLOUD_PATH}queryRecycleList`, { cloudID });
    for (const id of queued.deletedIds) expect(JSON.stringify(body)).toContain(id);
  });

  test('generates a thumbnail that was requested', async () => {
    await waitUntil('the thumbnail', async () => {
      const { status } = await familyWithQueuedWork.owner.post(`${CLOUD_PATH}getFileDownLoadURL`, {
        cloudID: familyWithQueuedWork.familyId,
        contentID: queued.pictureId,
        variant: 2,
      });
      return status === 200;
    });
  });

  test('escalates an SOS that nobody has acknowledged', async () => {
    await waitUntilFound('the SMS to the members', async () => {
      const query = { cid: familyWithQueuedWork.cid };
      const { items } = await expectOk(familyWithQueuedWork.guardian.get<{ items: SosDto[] }>('sos/list', query));
      const sos = items.find(({ sosId }) => sosId === queued.sosId);
      return sos?.steps.some(({ channel }) => channel === 'SMS') ? sos : undefined;
    });
    await waitUntil('the SMS', () => service.sms.alertsTo(familyWithQueuedWork.owner.phoneNumber).length > 0);
  });
});
