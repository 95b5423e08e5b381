import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DataExportDto } from '@family-watch/domain/privacy/dto/data-export.dto';
import { readZip, recordsOf } from '@family-watch/testing/archives/read-zip';
import { waitFor, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { describeOneDeployment } from '../support/deployments.js';
import { FamilyFixture, waitForConversation } from '../support/family-fixture.js';
import { CLOUD_PATH, expectOk } from '../support/http-client.js';
import type { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const MESSAGE_PATH = '/apis/v2/message/';
/** `EXPORT_ROWS=100000 EXPORT_FILES=1000 npm run test:all -- standalone/test/e2e/data-export` exports a large family. */
const ROWS = Number(process.env['EXPORT_ROWS'] ?? 2_000);
const FILES = Number(process.env['EXPORT_FILES'] ?? 10);
/** Size of a large file. */
const FILE_BYTES = 100_000;

interface AccessLogEntry {
  viewer: { type: string; id: string };
  kind: string;
}

describeOneDeployment('the data of a family', 'distributed', (deployment) => {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    fixture = await FamilyFixture.create(service);
  });
  afterAll(async () => {
    fixture.disconnectAll();
    await service.stop();
  });

  const latestExport = async (person: Parent) =>
    (await expectOk(person.get<{ export: DataExportDto | null }>('account/data/export/get'))).export;
  const download = (url: string, headers = {}) => {
    const { pathname, search } = new URL(url);
    return fetch(`${service.url}${pathname}${search}`, { headers });
  };

  test('is exported to a person who asks for it, and the access log shows who saw it', async () => {
    const { owner, guardian, watch, cid, familyId } = fixture;
    const socket = await guardian.connect();
    const point = { latitude: '31.2304', longitude: '121.4737', positionTime: Date.now(), radius: 9, pointType: 1 };
    await expectOk(watch.post(`${WATCH_PATH}location/report`, { points: [point] }));
    await socket.waitFor(() => socket.messagesOfKind('LocationPointChangeMessage').length > 0, 'the location');
    const contentID = await fixture.storeFile('school play.jpg', Buffer.from('a picture of the school play'));
    const conversationId = await waitForConversation(watch, 'DIRECT', owner);
    const text = `see you at noon ${randomUUID()}`;
    await expectOk(
      owner.post(`${MESSAGE_PATH}send`, {
        kind: 'ChatTextMessage',
        clientMsgId: randomUUID(),
        conversationId,
        text,
      }),
    );

    const stepUp = await owner.stepUp();
    const requested = await expectOk(owner.post<DataExportDto>('account/data/export', { stepUp }));
    const ready = await waitUntilFound('the archive', async () => {
      const latest = await latestExport(owner);
      return latest?.state === 'READY' ? latest : undefined;
    });
    expect(ready).toMatchObject({ exportId: requested.exportId, files: 1 });
    const response = await download(ready.downloadURL ?? '');
    expect(response.status).toBe(200);
    const archive = Buffer.from(await response.arrayBuffer());
    expect(archive).toHaveLength(ready.size ?? 0);
    const second = await latestExport(owner);
    const range = await download(second?.downloadURL ?? '', { range: 'bytes=100-199' });
    expect(range.status).toBe(206);
    expect(Buffer.from(await range.arrayBuffer()).equals(archive.subarray(100, 200))).toBe(true);

    const entries = await readZip(archive);
    expect(recordsOf(entries, 'account/profile.json')).toMatchObject([{ userId: owner.userId }]);
    expect(recordsOf(entries, `families/${familyId}/members.json`)).toHaveLength(2);
    expect(recordsOf(entries, `children/${cid}/locations.json`)).toMatchObject([{ latitude: '31.2304' }]);
    expect(recordsOf(entries, `children/${cid}/watch.json`)).toMatchObject([{ did: watch.did }]);
    expect(JSON.stringify(recordsOf(entries, `messages/${conversationId}.json`))).toContain(text);
    expect(recordsOf(entries, 'account/message-center.json').length).toBeGreaterThan(0);
    const [content] = recordsOf<{ contentID: string; path: string }>(
      entries,
      `families/${familyId}/cloud/contents.json`,
    );
    expect(content?.contentID).toBe(contentID);
    expect(String(entries.get(`families/${familyId}/cloud/${content?.path}`))).toBe('a picture of the school play');

    await waitFor(async () => {
      const { items } = await expectOk(
        owner.get<{ items: { type: string; params: object }[] }>(`${MESSAGE_PATH}center/list`, { category: 'SIGN_IN' }),
      );
      expect(items.filter(({ type }) => type === 'DATA_EXPORT_CHANGED')).toMatchObject([
        { params: { exportId: ready.exportId } },
      ]);
    });
    const hasSeen = (log: AccessLogEntry[], { userId }: Parent, kind: string) =>
      log.some((entry) => entry.kind === kind && entry.viewer.id === userId);
    await waitUntilFound('the entries of the access log', async () => {
      const log = await expectOk(
        guardian.get<{ items: AccessLogEntry[] }>('account/access-log/get', { cid, limit: 200 }),
      );
      const isComplete = hasSeen(log.items, guardian, 'LIVE_LOCATION') && hasSeen(log.items, owner, 'TRACK');
      return isComplete || undefined;
    });
  });

  test('includes who saw messages and files of the child', async () => {
    const { owner, guardian, watch, cid, familyId } = fixture;
    const announced = await expectOk(
      watch.post<{ data: { uploadResult: { newContentIDList: { contentID: string; uploadURL: string }[] } } }>(
        `${CLOUD_PATH}getFileUploadURL`,
        { cloudID: familyId, uploadContentList: [{ contentName: 'bee.jpg', contentSize: 5 }] },
      ),
    );
    const [file] = announced.data.uploadResult.newContentIDList;
    await watch.send('PUT', new URL(file?.uploadURL ?? '').pathname, { body: Buffer.from('a bee') });
    const link = `${service.url}${await fixture.linkTo(file?.contentID ?? '', guardian)}`;
    expect(await (await download(link)).text()).toBe('a bee');
    const conversationId = await waitForConversation(watch, 'DIRECT', guardian);
    const socket = await watch.connect();
    await socket.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text: 'hello' });
    await waitUntilFound('the message', async () => {
      const history = await expectOk(
        guardian.get<{ items: object[] }>(`${MESSAGE_PATH}history/get`, { conversationId: conversationId ?? '' }),
      );
      return history.items[0];
    });
    await waitUntilFound('the entries of the access log', async () => {
      const log = await expectOk(owner.get<{ items: AccessLogEntry[] }>('account/access-log/get', { cid, limit: 200 }));
      const kinds = log.items.filter(({ viewer }) => viewer.id === guardian.userId).map(({ kind }) => kind);
      return (kinds.includes('MEDIA') && kinds.includes('CHAT')) || undefined;
    });
  });

  test('of a child with a long history is exported completely', async () => {
    const large = await FamilyFixture.create(service);
    const { owner, watch, cid, familyId } = large;
    await service.query(
      `INSERT INTO userctx.location_point
         (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at)
       SELECT $1, $2, $3::bigint - n * 20000, 1, 31.2304, 121.4737, 9, 0, $3::bigint - n * 20000
         FROM generate_series(1, $4::int) AS n`,
      [cid, watch.did, Date.now(), ROWS],
    );
    for (let index = 0; index < FILES; index += 1)
      await large.storeFile(`picture ${index}.jpg`, randomBytes(FILE_BYTES));
    const stepUp = await owner.stepUp();
    const startedAt = performance.now();
    await expectOk(owner.post<DataExportDto>('account/data/export', { stepUp }));
    const ready = await waitUntilFound('the archive', async () => {
      const latest = await latestExport(owner);
      return latest?.state === 'READY' ? latest : undefined;
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    if (process.env['EXPORT_ROWS'])
      process.stderr.write(`${deployment}: ${ROWS} rows, ${FILES} files: ${seconds.toFixed(1)} s\n`);
    const archive = Buffer.from(await (await download(ready.downloadURL ?? '')).arrayBuffer());
    const entries = await readZip(archive);
    expect(recordsOf(entries, `children/${cid}/locations.json`)).toHaveLength(ROWS);
    const contents = recordsOf<{ path: string }>(entries, `families/${familyId}/cloud/contents.json`);
    expect(contents).toHaveLength(FILES);
    for (const { path } of contents) expect(entries.get(`families/${familyId}/cloud/${path}`)).toHaveLength(FILE_BYTES);
    large.disconnectAll();
  });
});
