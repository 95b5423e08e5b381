import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { putBytes } from '../support/cloud-client.js';
import { CloudServer, NO_USAGE } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';

const MINUTE_MS = 60_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('uploads', () => {
  let { family, cloudID, owner } = {} as TestCloud;
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
    // The store creates its directories only with the first file, but the tests list the directories before a file
    // exists.
    await mkdir(join(server.dataDir, 'blobs'), { recursive: true });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ family, cloudID, owner } = await createCloud(server));
  });

  const sizes = () => server.findUsage(cloudID);

  const announce = (size: number, digest?: string) => owner.announceFile(cloudID, size, digest);

  /** Returns the names of all files in the directory of the blob store. */
  const files = async () =>
    (await readdir(join(server.dataDir, 'blobs'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);

  const blobsIn = async (...states: string[]) => {
    const rows = await server.query<{ blob_key: string }>(
      'SELECT blob_key FROM mcdisk.blob WHERE cloud_id = $1 AND state = ANY($2)',
      [cloudID, states],
    );
    return rows.map(({ blob_key }) => blob_key);
  };

  /** Opens a PUT and waits until its head and first bytes are received. The test sends the remaining bytes. */
  const openPut = async (url: string, length: number, first: Buffer) => {
    const { hostname, port, pathname } = new URL(url);
    const filesBefore = await files();
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
    socket.write(first);
    await waitFor(async () => expect(await files()).toHaveLength(filesBefore.length + 1));
    const head = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    return { filesBefore, socket, head };
  };
  const LARGE = 1_500_000;

  describe('PUT with wrong data', () => {
    test('rejects bytes with another digest than announced and deletes them', async () => {
      const { uploadURL, uploadTaskID } = await announce(5, sha256(Buffer.from('other')));
      expect(await sizes()).toEqual({ ...NO_USAGE, reservedSize: 5 });
      const put = await putBytes(uploadURL, Buffer.from('bytes'));
      expect([put.status, put.body.reason]).toEqual([400, 'DIGEST_MISMATCH']);
      await expectUploadDeleted(uploadURL, uploadTaskID);
    });

    test.each([
      ['fewer bytes with Content-Length', 4, false, 400, 'DIGEST_MISMATCH'],
      ['more bytes with Content-Length', 6, false, 413, 'BODY_TOO_LARGE'],
      ['fewer bytes, chunked', 4, true, 400, 'DIGEST_MISMATCH'],
      ['more bytes, chunked', 6, true, 413, 'BODY_TOO_LARGE'],
      ['far more bytes, chunked', 400_000, true, 413, 'BODY_TOO_LARGE'],
      ['an empty body', 0, false, 400, 'DIGEST_MISMATCH'],
    ])('rejects %s when five bytes are announced, and deletes them', async (_, length, chunked, status, reason) => {
      const { uploadURL, uploadTaskID } = await announce(5);
      const bytes = randomBytes(length);
      const put = await putBytes(uploadURL, chunked ? new Blob([bytes]).stream() : bytes);
      expect([put.status, put.body.reason]).toEqual([status, reason]);
      await expectUploadDeleted(uploadURL, uploadTaskID);
    });

    /** Checks that the upload has ended, its quota is released and its bytes are deleted. */
    async function expectUploadDeleted(uploadURL: string, uploadTaskID: string): Promise<void> {
      expect(await sizes()).toEqual(NO_USAGE);
      expect(await blobsIn('STAGED', 'LIVE', 'DELETING')).toEqual([]);
      const gone = await blobsIn('GONE');
      expect((await files()).filter((file) => gone.includes(file))).toEqual([]);
      expect((await putBytes(uploadURL, Buffer.from('bytes'))).body.reason).toBe('UPLOAD_STATE');
      const complete = await owner.post('completeUpload', { cloudID, uploadTaskID });
      expect(complete.body.reason).toBe('UPLOAD_STATE');
      expect((await owner.list(cloudID)).totalCount).toBe(0);
    }

    test.each([{ fileCount: 2 }, { totalSize: 6 }])('rejects an announcement with the wrong %j', async (extra) => {
      const uploadContentList = [{ contentName: 'x', contentSize: 5 }];
      const response = await owner.post('getFileUploadURL', { cloudID, uploadContentList, ...extra });
      expect([response.status, response.body.reason]).toEqual([400, 'VALIDATION_FAILED']);
      expect(await sizes()).toEqual(NO_USAGE);
    });
  });

  describe('interrupted connection', () => {
    test('deletes the received bytes of a small file, which can be sent again', async () => {
      const { uploadURL } = await announce(100);
      const { filesBefore, socket } = await openPut(uploadURL, 100, randomBytes(50));
      socket.destroy();
      await waitFor(async () => expect(await files()).toEqual(filesBefore));
      expect(await sizes()).toEqual({ ...NO_USAGE, reservedSize: 100 });
      expect((await putBytes(uploadURL, randomBytes(100))).status).toBe(200);
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 100 });
      expect(await blobsIn('LIVE')).toHaveLength(1);
    });

    test('keeps the received bytes of a large file, and allows a new PUT', async () => {
      const { uploadURL, contentID } = await announce(LARGE);
      const { socket } = await openPut(uploadURL, LARGE, randomBytes(1_000_000));
      socket.destroy();
      await waitFor(async () => {
        const [row] = await server.query('SELECT state, lock_holder FROM mcdisk.upload WHERE content_id = $1', [
          contentID,
        ]);
        expect(row).toEqual({ state: 'RECEIVING', lock_holder: null });
      });
      expect(await sizes()).toEqual({ ...NO_USAGE, reservedSize: LARGE });
      const bytes = randomBytes(LARGE);
      expect((await putBytes(uploadURL, bytes)).body.data.digest).toBe(sha256(bytes));
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: LARGE });
      expect([await blobsIn('LIVE'), await blobsIn('STAGED')]).toMatchObject([{ length: 1 }, { length: 0 }]);
    });

    test('exactly one of several concurrent PUTs succeeds, and the bytes of the others are deleted', async () => {
      const { uploadURL, contentID } = await announce(100);
      const filesBefore = await files();
      const puts = await Promise.all([1, 2, 3].map(() => putBytes(uploadURL, randomBytes(100))));
      expect(puts.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
      const winner = puts.find(({ status }) => status === 200);
      const content = await owner.download(cloudID, contentID);
      expect(sha256(content)).toBe(winner?.body.data.digest);
      await waitFor(async () => expect(await files()).toHaveLength(filesBefore.length + 1));
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 100 });
    });
  });

  test('completeUpload fails until all files are uploaded', async () => {
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

  describe('abortUpload', () => {
    test.each([
      ['small', 100],
      ['large', LARGE],
    ])('releases the quota of a %s file whose PUT is in progress; the PUT fails', async (_, size) => {
      const { uploadURL, uploadTaskID } = await announce(size);
      const { filesBefore, socket, head } = await openPut(uploadURL, size, randomBytes(50));
      const abort = () => owner.post('abortUpload', { cloudID, uploadTaskID });
      expect((await abort()).body).toEqual({ code: 0, data: {}, msg: 'ok' });
      expect(await sizes()).toEqual(NO_USAGE);
      socket.write(randomBytes(size - 50));
      expect(await head).toMatch(/^HTTP\/1.1 409 /);
      socket.destroy();
      expect((await abort()).status).toBe(200);
      await waitFor(async () => expect(await files()).toEqual(filesBefore));
      expect(await blobsIn('STAGED', 'LIVE', 'DELETING')).toEqual([]);
      expect((await owner.list(cloudID)).totalCount).toBe(0);
    });

    test('returns 409 for a complete upload and changes nothing', async () => {
      const { uploadURL, uploadTaskID } = await announce(3);
      await putBytes(uploadURL, randomBytes(3));
      const response = await owner.post('abortUpload', { cloudID, uploadTaskID });
      expect([response.status, response.body.reason]).toEqual([409, 'UPLOAD_STATE']);
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 3 });
    });

    test.each(['abortUpload', 'completeUpload'])(
      '%s returns the same response for the upload session of another principal as for an unknown session',
      async (operation) => {
        const { uploadTaskID } = await announce(3);
        const guardian = await server.as(family.guardian);
        const texts = [uploadTaskID, randomUUID(), 'x'].map(
          async (id) => (await guardian.post(operation, { cloudID, uploadTaskID: id })).text,
        );
        expect(new Set(await Promise.all(texts)).size).toBe(1);
        expect((await sizes()).reservedSize).toBe(3);
      },
    );
  });

  describe('upload expiry job', () => {
    test('releases the quota of an unused upload once', async () => {
      const { uploadURL } = await announce(7);
      await server.uploadTermination.expire(Date.now() + 4 * MINUTE_MS);
      expect((await sizes()).reservedSize).toBe(7);
      await Promise.all([1, 2, 3].map(() => server.uploadTermination.expire(Date.now() + 6 * MINUTE_MS)));
      expect(await sizes()).toEqual(NO_USAGE);
      expect((await putBytes(uploadURL, randomBytes(7))).body.reason).toBe('UPLOAD_STATE');
    });

    test('deletes all terminated uploads after a week, also more than one batch', async () => {
      await announce(7);
      await server.uploadTermination.expire(Date.now() + 6 * MINUTE_MS);
      await server.runAsSchemaOwner(
        `INSERT INTO mcdisk.upload
         SELECT (jsonb_populate_record(upload, jsonb_build_object('content_id', id, 'token_hash', '\\x' || replace(id::text, '-', '')))).*
           FROM mcdisk.upload, (SELECT gen_random_uuid() AS id FROM generate_series(1, 450)) AS copy WHERE cloud_id = '${cloudID}'`,
      );
      await server.uploadTermination.expire(Date.now() + 8 * 24 * 60 * MINUTE_MS);
      const rows = await server.query('SELECT FROM mcdisk.upload WHERE cloud_id = $1', [cloudID]);
      expect(rows).toHaveLength(0);
    });

    test('deletes the bytes of a crashed upload after a day, and no referenced blob', async () => {
      const keptId = await owner.uploadFile(cloudID, 'kept', Buffer.from('kept'));
      const { uploadURL } = await announce(LARGE);
      const { socket } = await openPut(uploadURL, LARGE, randomBytes(50));
      const [crashed] = await blobsIn('STAGED');
      await server.uploadTermination.expire(Date.now());
      expect(await blobsIn('STAGED')).toEqual([crashed]);
      expect(await files()).toContain(crashed);
      // No request has ended this upload, as after a crash of the process.
      await server.uploadTermination.expire(Date.now() + 25 * 60 * MINUTE_MS);
      expect(await files()).not.toContain(crashed);
      expect(await blobsIn('GONE')).toEqual([crashed]);
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 4 });
      expect(String(await owner.download(cloudID, keptId))).toBe('kept');
      socket.destroy();
    });

    test('deletes the file when a crash happened after the blob was marked DELETING', async () => {
      const { uploadURL } = await announce(LARGE);
      const { socket } = await openPut(uploadURL, LARGE, randomBytes(50));
      const [key] = await blobsIn('STAGED');
      await server.query(`UPDATE mcdisk.blob SET state = 'DELETING' WHERE blob_key = $1`, [key]);
      await server.uploadTermination.expire(Date.now() + 11 * MINUTE_MS);
      expect(await files()).not.toContain(key);
      expect(await blobsIn('GONE')).toEqual([key]);
      socket.destroy();
    });
  });

  test('a PUT whose commit fails deletes the promoted file and can be repeated', async () => {
    const { uploadURL } = await announce(4);
    const filesBefore = await files();
    await server.runAsSchemaOwner(`ALTER TABLE mcdisk.content ADD CONSTRAINT crash CHECK (size <> 4) NOT VALID`);
    const put = await putBytes(uploadURL, randomBytes(4));
    await server.runAsSchemaOwner(`ALTER TABLE mcdisk.content DROP CONSTRAINT crash`);
    expect(put.status).toBe(500);
    await waitFor(async () => expect(await files()).toEqual(filesBefore));
    expect((await putBytes(uploadURL, randomBytes(4))).status).toBe(200);
  });

  test.each([
    ['small', 100],
    ['large', LARGE],
  ])('returns no receipt for a %s file whose sender is removed during PUT, and frees its quota', async (_, size) => {
    const { uploadURL } = await announce(size);
    const { filesBefore, socket, head } = await openPut(uploadURL, size, randomBytes(50));
    await server.publishFamily({ ...family.snapshot, version: 2, members: [] });
    socket.write(randomBytes(size - 50));
    // The removal of the member terminates the upload. The status depends on whether the termination or the commit
    // comes first.
    expect(await head).toMatch(/^HTTP\/1.1 40[49] /);
    await waitFor(async () => expect(await sizes()).toEqual(NO_USAGE));
    await waitFor(async () => expect(await files()).toEqual(filesBefore));
    expect(await blobsIn('LIVE', 'STAGED')).toEqual([]);
    socket.destroy();
  });

  test('rejects announcements of a member who can only read shared contents', async () => {
    const contact = await server.as(family.contact);
    const response = await contact.announce(cloudID, { contentName: 'x', contentSize: 1 });
    expect([response.status, response.body.reason]).toEqual([403, 'PERMISSION_MISSING']);
  });
});
