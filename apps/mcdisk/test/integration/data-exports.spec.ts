import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateKeyPair } from 'jose';
import {
  DATA_EXPORT_PATH,
  DATA_EXPORT_TICKET,
  type DataExportEvents,
  type DataExportSource,
  type ExportPageRequest,
} from '@family-watch/domain/privacy/contracts/data-export';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { readZip, recordsOf } from '@family-watch/testing/archives/read-zip';
import { waitFor, waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { ExportArchiveRepository } from '../../src/archives/data-exports/export-archive.repository.js';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { GarbageCollectionService } from '../../src/storage/garbage-collection/garbage-collection.service.js';
import { CloudServer, type TicketForgery } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { findStoredKeys, storeContent, type StoredContent } from '../support/stored-content.js';

const HOUR_MS = 3_600_000;
const sha256 = (bytes?: Buffer) => createHash('sha256').update(bytes!).digest('hex');

type Progress = DataExportEvents['mcdisk.data-export.progressed'];

/** `EXPORT_ROWS=100000 EXPORT_FILES=1000 npm test -- mcdisk/test/integration/data-exports` exports a large family. */
const ROWS = Number(process.env['EXPORT_ROWS'] ?? 1_200);
const FILES = Number(process.env['EXPORT_FILES'] ?? 50);
const PAGE_SIZE = 500;

/** Acts as userctx: supplies a document with ROWS records, and one that the person may not read. */
class TestSource implements DataExportSource {
  /** Called before each page. */
  beforePage: (request: ExportPageRequest) => Promise<void> = () => Promise.resolve();

  /** Calls `work` once, before the next page. */
  beforeNextPage(work: () => Promise<void>): void {
    this.beforePage = () => {
      this.beforePage = () => Promise.resolve();
      return work();
    };
  }

  /** Blocks the next page. Returns a promise that resolves when it is requested, and a function that releases it. */
  blockNextPage(): { reached: Promise<void>; release: () => void } {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.beforeNextPage(() => {
      reached.resolve();
      return released.promise;
    });
    return { reached: reached.promise, release: released.resolve };
  }

  async listDocuments() {
    return [
      { path: 'account/rows.json', section: 'rows', id: '' },
      { path: 'account/forbidden.json', section: 'forbidden', id: '' },
      { path: 'account/empty.json', section: 'empty', id: '' },
    ];
  }

  async readPage(request: ExportPageRequest) {
    await this.beforePage(request);
    if (request.section === 'forbidden') return null;
    if (request.section === 'empty') return { records: [], nextCursor: null };
    const start = Number(request.cursor ?? 0);
    const end = Math.min(ROWS, start + PAGE_SIZE);
    const records = Array.from({ length: end - start }, (_, index) => ({ row: start + index, user: request.userId }));
    return { records, nextCursor: end < ROWS ? String(end) : null };
  }
}

// Uses separate servers, because a test stops one and the others need a source of exports and a small storage.
describe('archives of exports', () => {
  let { family } = {} as TestCloud;
  let server: CloudServer;
  let source: TestSource;

  beforeAll(async () => {
    source = new TestSource();
    server = await CloudServer.start({ DATA_EXPORT_STORAGE: 200 + FILES }, source);
  });
  afterAll(() => server.stop());
  afterEach(() => {
    source.beforePage = () => Promise.resolve();
  });
  beforeEach(async () => {
    ({ family } = await createCloud(server));
  });

  const publishChange = (exportId: string, userId: string, state: 'WAITING' | 'ENDED') =>
    server.publish('userctx', {
      name: 'userctx.data-export.changed',
      key: `user:${userId}`,
      payload: { exportId, userId, state, time: Date.now() },
    });

  async function request({ id }: Principal): Promise<string> {
    const exportId = randomUUID();
    await publishChange(exportId, id, 'WAITING');
    return exportId;
  }

  const progressOf = async (exportId: string): Promise<Progress[]> => {
    const rows = await server.query<{ payload: Progress }>(
      `SELECT payload FROM mcdisk.outbox WHERE name = 'mcdisk.data-export.progressed' AND key = $1 ORDER BY position`,
      [exportId],
    );
    return rows.map(({ payload }) => payload);
  };
  const statesOf = async (exportId: string) => (await progressOf(exportId)).map(({ state }) => state);
  const waitForState = (exportId: string, state: Progress['state'], times = 1) =>
    waitUntil(`the state ${state}`, async () => {
      return (await statesOf(exportId)).filter((each) => each === state).length >= times;
    });
  const assemble = (node = server) => node.get(JobScheduler).trigger('mcdisk.data-exports.assemble');
  const outcomeOf = (exportId: string) =>
    waitUntilFound('the end of the export', async () =>
      (await progressOf(exportId)).find(({ state }) => state !== 'RUNNING'),
    );

  async function urlFor(exportId: string, { id, sessionId }: Principal, forge: TicketForgery = {}): Promise<string> {
    const claims = { exportId, sub: `user:${id}`, sid: sessionId };
    return `${server.url}${DATA_EXPORT_PATH}?ticket=${await server.signTicket(DATA_EXPORT_TICKET, claims, forge)}`;
  }

  async function download(exportId: string, person: Principal): Promise<ReadonlyMap<string, Buffer>> {
    const response = await fetch(await urlFor(exportId, person));
    expect(response.status).toBe(200);
    return readZip(Buffer.from(await response.arrayBuffer()));
  }

  const store = (fields?: Parameters<typeof storeContent>[2]) => storeContent(server, family.cloudID, fields);
  const setSize = ({ contentID }: StoredContent, size: number) =>
    server.query('UPDATE mcdisk.content SET size = $2 WHERE content_id = $1', [contentID, size]);

  const blobKeys = () => findStoredKeys(server);

  test('contain all records and files that the person may see', async () => {
    const contents = await Promise.all(Array.from({ length: FILES }, () => store()));
    const exportId = await request(family.guardian);
    const outcome = await outcomeOf(exportId);
    expect(outcome).toMatchObject({ state: 'READY', files: FILES, bytes: FILES * 50, records: ROWS + FILES });
    const entries = await download(exportId, family.guardian);
    const rows = recordsOf<{ row: number; user: string }>(entries, 'account/rows.json');
    expect(rows).toHaveLength(ROWS);
    expect(rows.at(-1)).toEqual({ row: ROWS - 1, user: family.guardian.id });
    expect(recordsOf(entries, 'account/empty.json')).toEqual([]);
    expect(entries.has('account/forbidden.json')).toBe(false);
    const directory = `families/${family.cloudID}/cloud`;
    const listed = recordsOf<{ contentID: string; digest: string; path: string }>(
      entries,
      `${directory}/contents.json`,
    );
    const idsOf = (list: { contentID: string }[]) => list.map(({ contentID }) => contentID).toSorted();
    expect(idsOf(listed)).toEqual(idsOf(contents));
    for (const { digest, path } of listed) expect(sha256(entries.get(`${directory}/${path}`))).toBe(digest);
    expect(recordsOf(entries, `${directory}/albums.json`)).toEqual([]);
  });

  test('list files that are damaged or lost, and contain the others', async () => {
    const [whole, damaged, lost] = [await store(), await store(), await store()];
    await setSize(damaged, 57);
    await server.get(BlobStore).discard(lost.key);
    const exportId = await request(family.owner);
    expect(await outcomeOf(exportId)).toMatchObject({ state: 'READY', files: 2, bytes: 100 });
    const entries = await download(exportId, family.owner);
    const directory = `families/${family.cloudID}/cloud`;
    const incomplete = recordsOf<{ contentID: string }>(entries, `${directory}/incomplete-files.json`);
    expect(incomplete).toHaveLength(2);
    expect(incomplete).toContainEqual({
      contentID: damaged.contentID,
      contentSize: 57,
      exportedSize: 50,
      path: expect.stringContaining(damaged.contentID),
    });
    expect(incomplete).toContainEqual({ contentID: lost.contentID, contentSize: 50, exportedSize: null, path: null });
    expect([...entries.keys()].join('\n')).toContain(whole.contentID);
  });

  test('contain no files of children whose files the person may not see, nor of other families', async () => {
    const [caregiver, cid] = [family.caregiver, family.cids[0]];
    const members = family.snapshot.members.map((member) =>
      member.userId === caregiver.id ? { ...member, childPermissions: { [cid]: [] } } : member,
    );
    await server.publishFamily({ ...family.snapshot, version: 2, members });
    const other = await createCloud(server);
    await storeContent(server, other.cloudID);
    const [hidden, visible] = [await store({ cid }), await store({ cid: family.cids[1] })];
    const exportId = await request(caregiver);
    expect(await outcomeOf(exportId)).toMatchObject({ state: 'READY', files: 1 });
    const paths = [...(await download(exportId, caregiver)).keys()].join('\n');
    expect(paths).toContain(visible.contentID);
    expect(paths).not.toContain(hidden.contentID);
    expect(paths).not.toContain(other.cloudID);
  });

  test('are sent in ranges with the same ETag for each ticket, only to the person and only while the session lasts', async () => {
    const exportId = await request(family.owner);
    const { size } = await outcomeOf(exportId);
    const whole = await fetch(await urlFor(exportId, family.owner));
    expect(whole.headers.get('content-type')).toBe('application/octet-stream');
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(bytes).toHaveLength(size);
    const etag = whole.headers.get('etag') ?? '';
    // A download continues with a new ticket.
    const rest = await fetch(await urlFor(exportId, family.owner), {
      headers: { range: `bytes=${size - 100}-`, 'if-range': etag },
    });
    expect([rest.status, rest.headers.get('etag')]).toEqual([206, etag]);
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(size - 100))).toBe(true);

    const statusOf = async (url: string) => (await fetch(url)).status;
    expect(await statusOf(await urlFor(exportId, family.guardian))).toBe(404);
    expect(await statusOf(await urlFor(randomUUID(), family.owner))).toBe(404);
    expect(await statusOf(await urlFor(exportId, family.owner, { audience: 'family-watch/mcdisk' }))).toBe(403);
    expect(await statusOf(await urlFor(exportId, family.owner, { expiresAt: 1_000_000_000 }))).toBe(403);
    const { privateKey: key } = await generateKeyPair(DATA_EXPORT_TICKET.algorithm);
    expect(await statusOf(await urlFor(exportId, family.owner, { key }))).toBe(403);
    expect(await statusOf(`${server.url}${DATA_EXPORT_PATH}`)).toBe(403);

    const url = await urlFor(exportId, family.owner);
    server.revokeSession(family.owner.sessionId);
    expect(await statusOf(url)).toBe(404);
    expect(server.logs.filter((line) => line.includes('ticket='))).toEqual([]);
  });

  test('survive garbage collection', async () => {
    const exportId = await request(family.guardian);
    await outcomeOf(exportId);
    const garbageCollection = server.app.get(GarbageCollectionService, { strict: false });
    // The second run deletes bytes that the first one found without a reference.
    for (const days of [9, 18]) await garbageCollection.run(Date.now() + days * 24 * HOUR_MS);
    expect((await download(exportId, family.guardian)).has('account/rows.json')).toBe(true);
  });

  test('are deleted with their bytes when the export ends, also while they are assembled', async () => {
    const before = await blobKeys();
    const exportId = await request(family.owner);
    await outcomeOf(exportId);
    expect((await blobKeys()).length).toBe(before.length + 1);
    await publishChange(exportId, family.owner.id, 'ENDED');
    await waitUntil('the archive is deleted', async () => (await blobKeys()).length === before.length);
    expect((await fetch(await urlFor(exportId, family.owner))).status).toBe(404);

    const endedEarly = randomUUID();
    source.beforeNextPage(() => publishChange(endedEarly, family.owner.id, 'ENDED'));
    await publishChange(endedEarly, family.owner.id, 'WAITING');
    const next = await request(family.guardian);
    await outcomeOf(next);
    expect((await progressOf(endedEarly)).map(({ state }) => state)).toEqual(['RUNNING']);
    await publishChange(next, family.guardian.id, 'ENDED');
    await waitUntil('no bytes remain', async () => (await blobKeys()).length === before.length);
  });

  test('of an erased account are deleted', async () => {
    const person = family.guardian;
    const exportId = await request(person);
    await outcomeOf(exportId);
    const before = await blobKeys();
    const subjects = { userId: person.id, familyIds: [], cids: [], dids: [] };
    const payload = { receiptId: randomUUID(), ...subjects, time: Date.now() };
    await server.publish('userctx', { name: 'userctx.account.erased', key: principalKey(person), payload });
    await waitUntil('the archive is deleted', async () => (await blobKeys()).length === before.length - 1);
  });

  /** Stores a complete archive of another person. Returns its id. */
  async function occupy(bytes: number): Promise<string> {
    const key = randomUUID();
    await server.unitOfWork.run(async () => {
      await server.query(
        `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since, size, digest)
         VALUES ($1, NULL, 'LIVE', 0, $2, 'x')`,
        [key, bytes],
      );
      await server.query(
        `INSERT INTO mcdisk.export_archive (export_id, user_id, due_at, blob_key, completed_at) VALUES ($1, $1, 0, $1, 0)`,
        [key],
      );
    });
    return key;
  }
  const inOrderOfCompletion = async (...exportIds: string[]) => {
    const rows = await server.query<{ id: string }>(
      'SELECT export_id AS id FROM mcdisk.export_archive WHERE export_id = ANY ($1) ORDER BY completed_at',
      [exportIds],
    );
    return rows.map(({ id }) => id);
  };
  const makeDue = (exportId: string) =>
    server.query('UPDATE mcdisk.export_archive SET due_at = 0 WHERE export_id = $1', [exportId]);
  const STORAGE = (200 + FILES) * 2 ** 20;

  test('A39 that do not fit beside those of others leave no bytes, wait, and are complete when space is available', async () => {
    const before = await blobKeys();
    const occupied = await occupy(STORAGE - 1_000);
    const exportId = await request(family.owner);
    await waitForState(exportId, 'WAITING');
    // The bytes are discarded after the postponement has been stored.
    await waitFor(async () => expect(await blobKeys()).toEqual(before));
    expect(await statesOf(exportId)).toEqual(['RUNNING', 'WAITING']);
    await publishChange(occupied, occupied, 'ENDED');
    await waitForState(exportId, 'READY');
    expect(await statesOf(exportId)).not.toContain('FAILED');
    expect(recordsOf(await download(exportId, family.owner), 'account/rows.json')).toHaveLength(ROWS);
  });

  test('A39 that wait do not fail after five attempts, and are assembled before those that were requested later', async () => {
    const occupied = await occupy(STORAGE - 1_000);
    const exportId = await request(family.owner);
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await waitForState(exportId, 'WAITING', attempt);
      await makeDue(exportId);
      assemble();
    }
    const later = await request(family.guardian);
    await waitForState(later, 'WAITING');
    await publishChange(occupied, occupied, 'ENDED');
    await waitForState(later, 'READY');
    expect(await inOrderOfCompletion(later, exportId)).toEqual([exportId, later]);
  });

  test('A39 that have waited for an hour get free space before archives that were requested later', async () => {
    const occupied = await occupy(STORAGE - 1_000);
    const waiting = await request(family.owner);
    await waitForState(waiting, 'WAITING');
    const setRequestTime = (requestedAt: number) =>
      server.query(
        'UPDATE mcdisk.export_archive SET requested_at = $2, expected_size = $3, due_at = $4 WHERE export_id = $1',
        [waiting, requestedAt, 30 * 2 ** 20, Date.now() + HOUR_MS],
      );
    await setRequestTime(Date.now() - 2 * HOUR_MS);
    await server.query('UPDATE mcdisk.blob SET size = $2 WHERE blob_key = $1', [occupied, STORAGE - 20 * 2 ** 20]);
    const later = await request(family.guardian);
    await waitForState(later, 'WAITING');
    await setRequestTime(Date.now());
    await makeDue(later);
    assemble();
    await waitForState(later, 'READY');
    await publishChange(occupied, occupied, 'ENDED');
    await waitForState(waiting, 'READY');
  });

  test('A39 that exceed the share of a person fail at once, with this reason', async () => {
    await setSize(await store(), STORAGE / 4 + 1);
    const exportId = await request(family.owner);
    expect(await outcomeOf(exportId)).toMatchObject({ state: 'FAILED', failureReason: 'TOO_LARGE', size: 0 });
    expect(await statesOf(exportId)).toEqual(['FAILED']);
  });

  test('A39 contain the bytes of a copied file once, and the list of contents names their place for each copy', async () => {
    const bytes = randomBytes(10_000);
    const [original, other] = [await store({ bytes }), await store()];
    await server.query(
      `INSERT INTO mcdisk.content (content_id, cloud_id, cid, blob_key, name, size, digest, type, media_type, uploader,
                                   state, created_at, updated_at)
       SELECT gen_random_uuid(), cloud_id, cid, blob_key, 'copy', size, digest, type, media_type, uploader, state,
              created_at, updated_at
         FROM mcdisk.content, generate_series(1, 1200) WHERE content_id = $1`,
      [original.contentID],
    );
    const exportId = await request(family.owner);
    expect(await outcomeOf(exportId)).toMatchObject({ state: 'READY', files: 2, bytes: 10_050 });
    const entries = await download(exportId, family.owner);
    const directory = `families/${family.cloudID}/cloud`;
    const listed = recordsOf<{ contentID: string; contentName: string; path: string; digest: string }>(
      entries,
      `${directory}/contents.json`,
    );
    expect(listed).toHaveLength(1_202);
    expect(new Set(listed.map(({ contentID }) => contentID)).size).toBe(1_202);
    const isWrong = ({ contentID, path }: { contentID: string; path: string }) =>
      !entries.get(`${directory}/${path}`)?.equals(contentID === other.contentID ? other.bytes : bytes);
    expect(listed.filter(isWrong)).toEqual([]);
    expect(entries.has(`${directory}/incomplete-files.json`)).toBe(false);
  });

  test('A39 of few files do not wait for large ones that were requested shortly before', async () => {
    const { reached, release } = source.blockNextPage();
    const running = await request(family.caregiver);
    await reached;
    await setSize(await store(), STORAGE / 4 - 2 ** 20);
    const large = await request(family.owner);
    const small = await request((await createCloud(server)).family.owner);
    release();
    await outcomeOf(running);
    await outcomeOf(large);
    expect(await inOrderOfCompletion(large, small)).toEqual([small, large]);
  });

  test('are assembled by another process when their process is stopped', async () => {
    const blocked = new TestSource();
    let isReached = false;
    void blocked.blockNextPage().reached.then(() => (isReached = true));
    const node = await CloudServer.startSecondNode(server, blocked);
    const exportId = randomUUID();
    await waitUntil('the other process claims the archive', async () => {
      await server.query(
        `INSERT INTO mcdisk.export_archive (export_id, user_id, due_at) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING`,
        [exportId, family.owner.id],
      );
      assemble(node);
      return isReached;
    });
    await node.stop();
    assemble();
    expect(await outcomeOf(exportId)).toMatchObject({ state: 'READY', records: ROWS });
  });

  test('are assembled by another process when their process does not report any more', async () => {
    const { reached, release } = source.blockNextPage();
    const exportId = await request(family.owner);
    await reached;
    const node = await CloudServer.startSecondNode(server, new TestSource());
    const outcome = await waitUntilFound('the end of the export', async () => {
      // As if the claim of a killed process had ended.
      const sql = 'UPDATE mcdisk.export_archive SET due_at = 0 WHERE export_id = $1 AND attempts = 1';
      await server.query(sql, [exportId]);
      assemble(node);
      return (await progressOf(exportId)).find(({ state }) => state !== 'RUNNING');
    }).finally(release);
    expect(outcome).toMatchObject({ state: 'READY' });
    await node.stop();
    const next = await request(family.guardian);
    expect(await outcomeOf(next)).toMatchObject({ state: 'READY' });
    const rows = recordsOf(await download(exportId, family.owner), 'account/rows.json');
    expect(rows).toHaveLength(ROWS);
    expect((await progressOf(exportId)).filter(({ state }) => state === 'READY')).toHaveLength(1);
  });

  test('are given up after five processes that ended while they assembled the archive', async () => {
    const exportId = randomUUID();
    await server.query(
      `INSERT INTO mcdisk.export_archive (export_id, user_id, due_at, attempts, staged_key) VALUES ($1, $2, 0, 5, $3)`,
      [exportId, family.owner.id, randomUUID()],
    );
    assemble();
    expect(await outcomeOf(exportId)).toMatchObject({ state: 'FAILED', records: 0 });
  });

  test('are kept when the database has stored them and only its confirmation was lost', async () => {
    const { unitOfWork } = server;
    const archives = server.get(ExportArchiveRepository);
    const [run, complete] = [unitOfWork.run.bind(unitOfWork), archives.complete.bind(archives)];
    let isCompleting = false;
    archives.complete = (...parameters) => {
      isCompleting = true;
      return complete(...parameters);
    };
    unitOfWork.run = async (work) => {
      const result = await run(work);
      if (!isCompleting) return result;
      isCompleting = false;
      throw new Error('the connection was lost');
    };
    const exportId = await request(family.owner);
    const outcome = await outcomeOf(exportId).finally(() => Object.assign(archives, { complete }));
    // The next archive is assembled after everything that concerns this one.
    await outcomeOf(await request(family.guardian)).finally(() => Object.assign(unitOfWork, { run }));
    expect(outcome).toMatchObject({ state: 'READY' });
    expect(recordsOf(await download(exportId, family.owner), 'account/rows.json')).toHaveLength(ROWS);
  });

  test('are written again after a failure of the source', async () => {
    let failures = 0;
    source.beforePage = async ({ cursor }) => {
      if (cursor !== null && failures === 0) {
        failures += 1;
        throw new Error('userctx does not respond');
      }
    };
    const exportId = await request(family.owner);
    await waitUntil('the failure', async () => failures === 1);
    await waitUntil('the retry is scheduled', async () => {
      const sql = 'UPDATE mcdisk.export_archive SET due_at = 0 WHERE export_id = $1 AND due_at < $2 RETURNING 1';
      return (await server.query(sql, [exportId, Date.now() + 30_000])).length === 1;
    });
    assemble();
    expect(await outcomeOf(exportId)).toMatchObject({ state: 'READY', records: ROWS });
  });
});
