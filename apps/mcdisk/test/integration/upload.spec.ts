import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { CloudClient, putBytes } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import type { SampleFamily } from '../support/family.js';

const MINUTE = 60_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('uploads', () => {
  let server: CloudServer;
  let family: SampleFamily;
  let owner: CloudClient;
  let cloudID: string;

  beforeAll(async () => {
    server = await CloudServer.start();
    // The store makes its folders with the first file.
    await mkdir(join(server.dataDir, 'blobs'), { recursive: true });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
    owner = await CloudClient.of(server, family.owner);
  });

  const sizes = async () => {
    const { usedSize, reservedSize, recycleSize } = await server.sizesOf(cloudID);
    return { usedSize, reservedSize, recycleSize };
  };
  const NOTHING = { usedSize: 0, reservedSize: 0, recycleSize: 0 };

  const announce = async (contentSize: number, digest?: string) => {
    const { body } = await owner.announce(cloudID, { contentName: 'file', contentSize, digest });
    const { uploadTaskID, newContentIDList } = body.data.uploadResult;
    const [file] = newContentIDList;
    return { uploadTaskID, contentID: file!.contentID, uploadURL: file!.uploadURL };
  };

  /** Names of all files of the store. */
  const files = async () =>
    (await readdir(join(server.dataDir, 'blobs'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);

  const blobsIn = async (...states: string[]) => {
    const rows = await server.unitOfWork.executor.query<{ blob_key: string }>(
      'SELECT blob_key FROM mcdisk.blob WHERE cloud_id = $1 AND state = ANY($2)',
      [cloudID, states],
    );
    return rows.map(({ blob_key }) => blob_key);
  };

  /** A PUT that stays open: the head and some bytes are sent and have arrived, the rest is up to the test. */
  const openPut = async (url: string, length: number, first: Buffer) => {
    const { hostname, port, pathname } = new URL(url);
    const before = await files();
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
    socket.write(first);
    await waitFor(async () => expect(await files()).toHaveLength(before.length + 1));
    return socket;
  };
  const LARGE = 1_500_000;

  describe('lies', () => {
    test('a wrong digest', async () => {
      const { uploadURL, uploadTaskID } = await announce(5, sha256(Buffer.from('other')));
      expect(await sizes()).toEqual({ ...NOTHING, reservedSize: 5 });
      const put = await putBytes(uploadURL, Buffer.from('bytes'));
      expect([put.status, put.body.reason]).toEqual([400, 'DIGEST_MISMATCH']);
      await expectNothingLeft(uploadURL, uploadTaskID);
    });

    test.each([
      ['fewer bytes, honestly counted', 4, false, 400, 'DIGEST_MISMATCH'],
      ['more bytes, honestly counted', 6, false, 413, 'BODY_TOO_LARGE'],
      ['fewer bytes, not counted', 4, true, 400, 'DIGEST_MISMATCH'],
      ['more bytes, not counted', 6, true, 413, 'BODY_TOO_LARGE'],
      ['far more bytes, not counted', 400_000, true, 413, 'BODY_TOO_LARGE'],
      ['no bytes at all', 0, false, 400, 'DIGEST_MISMATCH'],
    ])('%s', async (_, length, chunked, status, reason) => {
      const { uploadURL, uploadTaskID } = await announce(5);
      const bytes = randomBytes(length);
      const put = await putBytes(uploadURL, chunked ? new Blob([bytes]).stream() : bytes);
      expect([put.status, put.body.reason]).toEqual([status, reason]);
      await expectNothingLeft(uploadURL, uploadTaskID);
    });

    /** The upload has ended, its quota is free, its bytes are gone. */
    async function expectNothingLeft(uploadURL: string, uploadTaskID: string): Promise<void> {
      expect(await sizes()).toEqual(NOTHING);
      expect(await blobsIn('STAGED', 'LIVE', 'DELETING')).toEqual([]);
      const gone = await blobsIn('GONE');
      expect((await files()).filter((file) => gone.includes(file))).toEqual([]);
      expect((await putBytes(uploadURL, Buffer.from('bytes'))).body.reason).toBe('UPLOAD_STATE');
      const complete = await owner.post('completeUpload', { cloudID, uploadTaskID });
      expect(complete.body.reason).toBe('UPLOAD_STATE');
      expect((await owner.list(cloudID)).totalCount).toBe(0);
    }

    test.each([{ fileCount: 2 }, { totalSize: 6 }])('announced %j', async (more) => {
      const uploadContentList = [{ contentName: 'x', contentSize: 5 }];
      const answer = await owner.post('getFileUploadURL', { cloudID, uploadContentList, ...more });
      expect([answer.status, answer.body.reason]).toEqual([400, 'VALIDATION_FAILED']);
      expect(await sizes()).toEqual(NOTHING);
    });
  });

  describe('a connection that breaks off', () => {
    test('leaves nothing of a small file, which can be sent again', async () => {
      const { uploadURL } = await announce(100);
      const before = await files();
      const socket = await openPut(uploadURL, 100, randomBytes(50));
      socket.destroy();
      await waitFor(async () => expect(await files()).toEqual(before));
      expect(await sizes()).toEqual({ ...NOTHING, reservedSize: 100 });
      expect((await putBytes(uploadURL, randomBytes(100))).status).toBe(200);
      expect(await sizes()).toEqual({ ...NOTHING, usedSize: 100 });
      expect(await blobsIn('LIVE')).toHaveLength(1);
    });

    test('keeps what came of a large file, and a PUT may begin anew', async () => {
      const { uploadURL, contentID } = await announce(LARGE);
      const socket = await openPut(uploadURL, LARGE, randomBytes(1_000_000));
      socket.destroy();
      await waitFor(async () => {
        const [row] = await server.unitOfWork.executor.query(
          'SELECT state, lock_holder FROM mcdisk.upload WHERE content_id = $1',
          [contentID],
        );
        expect(row).toEqual({ state: 'RECEIVING', lock_holder: null });
      });
      expect(await sizes()).toEqual({ ...NOTHING, reservedSize: LARGE });
      const bytes = randomBytes(LARGE);
      expect((await putBytes(uploadURL, bytes)).body.data.digest).toBe(sha256(bytes));
      expect(await sizes()).toEqual({ ...NOTHING, usedSize: LARGE });
      expect([await blobsIn('LIVE'), await blobsIn('STAGED')]).toMatchObject([{ length: 1 }, { length: 0 }]);
    });

    test('of two PUTs at once one wins, and the bytes of the other are gone', async () => {
      const { uploadURL, contentID } = await announce(100);
      const before = await files();
      const puts = await Promise.all([1, 2, 3].map(() => putBytes(uploadURL, randomBytes(100))));
      expect(puts.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
      const winner = puts.find(({ status }) => status === 200);
      const content = Buffer.from(await (await fetch(await owner.linkTo(cloudID, contentID))).arrayBuffer());
      expect(sha256(content)).toBe(winner?.body.data.digest);
      await waitFor(async () => expect(await files()).toHaveLength(before.length + 1));
      expect(await sizes()).toEqual({ ...NOTHING, usedSize: 100 });
    });
  });

  describe('abortUpload', () => {
    test.each([
      ['small', 100],
      ['large', LARGE],
    ])('frees the quota, also of a %s PUT that is under way, and the PUT fails', async (_, size) => {
      const { uploadURL, uploadTaskID } = await announce(size);
      const before = await files();
      const socket = await openPut(uploadURL, size, randomBytes(50));
      const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
      const abort = () => owner.post('abortUpload', { cloudID, uploadTaskID });
      expect((await abort()).body).toEqual({ code: 0, data: {}, msg: 'ok' });
      expect(await sizes()).toEqual(NOTHING);
      socket.write(randomBytes(size - 50));
      expect(await answered).toMatch(/^HTTP\/1.1 409 /);
      socket.destroy();
      expect((await abort()).status).toBe(200);
      await waitFor(async () => expect(await files()).toEqual(before));
      expect(await blobsIn('STAGED', 'LIVE', 'DELETING')).toEqual([]);
      expect((await owner.list(cloudID)).totalCount).toBe(0);
    });

    test('does nothing to what is complete', async () => {
      const { uploadURL, uploadTaskID } = await announce(3);
      await putBytes(uploadURL, randomBytes(3));
      const answer = await owner.post('abortUpload', { cloudID, uploadTaskID });
      expect([answer.status, answer.body.reason]).toEqual([409, 'UPLOAD_STATE']);
      expect(await sizes()).toEqual({ ...NOTHING, usedSize: 3 });
    });

    test.each(['abortUpload', 'completeUpload'])('%s: a task of somebody else is unknown', async (operation) => {
      const { uploadTaskID } = await announce(3);
      const guardian = await CloudClient.of(server, family.guardian);
      const texts = [uploadTaskID, randomUUID(), 'x'].map(
        async (id) => (await guardian.post(operation, { cloudID, uploadTaskID: id })).text,
      );
      expect(new Set(await Promise.all(texts)).size).toBe(1);
      expect((await sizes()).reservedSize).toBe(3);
    });

    test('completeUpload waits for all files', async () => {
      const { body } = await owner.announce(
        cloudID,
        { contentName: 'a', contentSize: 1 },
        { contentName: 'b', contentSize: 1 },
      );
      const { uploadTaskID, newContentIDList } = body.data.uploadResult;
      await putBytes(newContentIDList[0]!.uploadURL, Buffer.from('a'));
      const complete = () => owner.post('completeUpload', { cloudID, uploadTaskID });
      expect((await complete()).body.reason).toBe('UPLOAD_STATE');
      await putBytes(newContentIDList[1]!.uploadURL, Buffer.from('b'));
      expect((await complete()).body.data['contentList']).toHaveLength(2);
    });
  });

  describe('the janitor', () => {
    test('frees the quota of what never came, once', async () => {
      const { uploadURL } = await announce(7);
      await server.janitor.run(Date.now() + 4 * MINUTE);
      expect((await sizes()).reservedSize).toBe(7);
      await Promise.all([1, 2, 3].map(() => server.janitor.run(Date.now() + 6 * MINUTE)));
      expect(await sizes()).toEqual(NOTHING);
      expect((await putBytes(uploadURL, randomBytes(7))).body.reason).toBe('UPLOAD_STATE');
    });

    test('removes what a crash left, and no blob that a content refers to', async () => {
      const kept = await owner.store(cloudID, 'kept', Buffer.from('kept'));
      const { uploadURL } = await announce(LARGE);
      const socket = await openPut(uploadURL, LARGE, randomBytes(50));
      const [crashed] = await blobsIn('STAGED');
      await server.janitor.run();
      expect(await blobsIn('STAGED')).toEqual([crashed]);
      expect(await files()).toContain(crashed);
      // The process is gone: nobody will end this upload.
      await server.janitor.run(Date.now() + 25 * 60 * MINUTE);
      expect(await files()).not.toContain(crashed);
      expect(await blobsIn('GONE')).toEqual([crashed]);
      expect(await sizes()).toEqual({ ...NOTHING, usedSize: 4 });
      expect(await (await fetch(await owner.linkTo(cloudID, kept))).text()).toBe('kept');
      socket.destroy();
    });

    test('finishes a removal that a crash interrupted between database and disk', async () => {
      const { uploadURL } = await announce(LARGE);
      const socket = await openPut(uploadURL, LARGE, randomBytes(50));
      const [key] = await blobsIn('STAGED');
      await server.unitOfWork.executor.query(`UPDATE mcdisk.blob SET state = 'DELETING' WHERE blob_key = $1`, [key]);
      await server.janitor.run(Date.now() + 11 * MINUTE);
      expect(await files()).not.toContain(key);
      expect(await blobsIn('GONE')).toEqual([key]);
      socket.destroy();
    });

    test('a promoted file whose commit fails is removed, and the upload can be sent again', async () => {
      const { uploadURL } = await announce(4);
      const before = await files();
      await server.asOwner(`ALTER TABLE mcdisk.content ADD CONSTRAINT crash CHECK (size <> 4) NOT VALID`);
      const put = await putBytes(uploadURL, randomBytes(4));
      await server.asOwner(`ALTER TABLE mcdisk.content DROP CONSTRAINT crash`);
      expect(put.status).toBe(500);
      await waitFor(async () => expect(await files()).toEqual(before));
      expect((await putBytes(uploadURL, randomBytes(4))).status).toBe(200);
    });
  });

  test.each([
    ['small', 100],
    ['large', LARGE],
  ])('who was removed while sending a %s file gets no receipt, and its quota is free', async (_, size) => {
    const { uploadURL } = await announce(size);
    const before = await files();
    const socket = await openPut(uploadURL, size, randomBytes(50));
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    await server.familyChanged({ ...family.snapshot, version: 2, members: [] });
    socket.write(randomBytes(size - 50));
    // Their uploads end with the membership; whether that or the commit comes first is a race.
    expect(await answered).toMatch(/^HTTP\/1.1 40[49] /);
    await waitFor(async () => expect(await sizes()).toEqual(NOTHING));
    await waitFor(async () => expect(await files()).toEqual(before));
    expect(await blobsIn('LIVE', 'STAGED')).toEqual([]);
    socket.destroy();
  });

  test('who may only read what was shared adds nothing', async () => {
    const contact = await CloudClient.of(server, family.contact);
    const answer = await contact.announce(cloudID, { contentName: 'x', contentSize: 1 });
    expect([answer.status, answer.body.reason]).toEqual([403, 'PERMISSION_MISSING']);
  });
});
