import { randomBytes, randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { isLongRun } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { BlobMissingError, BlobStore, StoreUnavailableError } from '../../src/storage/blobs/blob-store.js';
import { RendererProcess } from '../../src/renditions/renderer/renderer-process.js';
import { RenditionJob } from '../../src/renditions/rendition.job.js';
import { CloudServer } from '../support/cloud-server.js';
import { MediaLibrary } from '../support/media-library.js';
import { createCornersPicture, createNoisePicture } from '../support/pictures.js';
import { watchRenderers } from '../support/renderers.js';

const MINUTE_MS = 60_000;
/** Delay of the second attempt after the first attempt has failed. */
const FIRST_BACKOFF_MS = 5_000;
/**
 * Maximum of the median event loop delay. The limit applies to the median, because on a loaded machine single delays
 * may be longer.
 */
const MAX_MEDIAN_DELAY_MS = 200;

let library: MediaLibrary;
/** Finds the renderers that are not those of the shared server. */
let ownRenderers: () => Promise<number[]>;

beforeAll(async () => {
  ownRenderers = await watchRenderers();
  library = await MediaLibrary.open();
});

afterAll(() => library.close());

const blobStore = () => library.server.get(BlobStore);
const renditionJob = () => library.server.get(RenditionJob);
const queryDatabase = <Row>(sql: string, parameters: unknown[]) => library.server.query<Row>(sql, parameters);

/** Creates a picture whose bytes equal no other picture. */
async function createPicture(width = 64, height = 48): Promise<Buffer> {
  return Buffer.concat([await createCornersPicture(width, height).jpeg().toBuffer(), randomBytes(16)]);
}

async function findRenditionRow(blobKey: string) {
  const [row] = await queryDatabase<{
    attempts: number;
    lease_holder: string | null;
    blob_key: string | null;
    state: string;
    due_at: number;
  }>(
    `SELECT attempts, lease_holder, blob_key, state, due_at FROM mcdisk.rendition WHERE source_key = $1 AND kind = 'THUMBNAIL'`,
    [blobKey],
  );
  return row;
}

async function findBlobState(blobKey: string): Promise<string | undefined> {
  const [row] = await queryDatabase<{ state: string }>('SELECT state FROM mcdisk.blob WHERE blob_key = $1', [blobKey]);
  return row?.state;
}

/**
 * Changes a rendition to the state that a killed process leaves: claimed, with staged or promoted bytes. Returns the
 * key of these bytes.
 */
async function createUnfinishedRendition(
  sourceKey: string,
  options: { attempts: number; isPromoted: boolean },
): Promise<string> {
  const derived = randomUUID();
  await library.server.unitOfWork.run(async () => {
    await queryDatabase(
      `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since) VALUES ($1, $2, 'STAGED', $3)`,
      [derived, library.cloudID, Date.now()],
    );
    await queryDatabase(
      `UPDATE mcdisk.rendition SET state = 'WAITING', blob_key = $2, attempts = $3, due_at = $4, lease_holder = $5
        WHERE source_key = $1 AND kind = 'THUMBNAIL'`,
      [sourceKey, derived, options.attempts, Date.now() - MINUTE_MS, randomUUID()],
    );
  });
  await blobStore().stage(derived, Readable.from([Buffer.from('half generated')]), 100);
  if (options.isPromoted) await blobStore().promote(derived);
  return derived;
}

describe('crashed and slow processes', () => {
  test('when a renderer crashes while rendering a picture, the second attempt generates the rendition', async () => {
    await library.waitForThumbnail(await library.uploadFile('first.jpg', await createPicture()));
    const [pid = 0] = await ownRenderers();
    process.kill(pid, 'SIGSTOP');
    const render = jest.spyOn(RendererProcess.prototype, 'render');
    const key = await library.uploadFile('second.jpg', await createPicture());
    // The test waits until the renderer has the picture, because the exit of a renderer without a picture does not
    // count as an attempt.
    await waitUntil('the renderer to get the picture', async () => render.mock.calls.length > 0);
    render.mockRestore();
    const crashedAt = Date.now();
    process.kill(pid, 'SIGKILL');
    await waitUntil('the rendition to be requeued', async () => (await findRenditionRow(key))?.lease_holder === null);
    expect(await findRenditionRow(key)).toMatchObject({ attempts: 1, state: 'WAITING' });
    expect((await findRenditionRow(key))?.due_at).toBeGreaterThanOrEqual(crashedAt + FIRST_BACKOFF_MS);
    await queryDatabase(`UPDATE mcdisk.rendition SET due_at = $2 WHERE source_key = $1`, [key, Date.now()]);
    // The periodic run of the job starts the second attempt.
    expect((await library.waitForThumbnail(key)).bytes.length).toBeGreaterThan(0);
    expect(await findRenditionRow(key)).toMatchObject({ attempts: 2, state: 'READY' });
  });

  test.each([
    ['before its bytes became readable in the store', false],
    ['between the promotion of its bytes and the commit', true],
  ])(
    'a rendition whose process crashed %s is generated again, and the bytes of the first attempt are deleted',
    async (_, isPromoted) => {
      const key = await library.uploadFile('killed.jpg', await createPicture());
      const first = await library.waitForThumbnail(key);
      const derived = await createUnfinishedRendition(key, { attempts: 1, isPromoted });
      await renditionJob().run();
      const regenerated = await library.waitForThumbnail(key);
      expect(regenerated.bytes).toEqual(first.bytes);
      expect(regenerated.blobKey).not.toBe(derived);
      await waitUntil('the leftover blob to be deleted', async () => {
        await library.server.uploadTermination.expire(Date.now());
        return (await findBlobState(derived)) === 'GONE';
      });
      await expect(library.readBytes(derived)).rejects.toThrow(BlobMissingError);
      expect(await findBlobState(regenerated.blobKey)).toBe('LIVE');
    },
  );

  test('a rendition fails after the service has crashed three times while generating the rendition', async () => {
    const key = await library.uploadFile('poison.jpg', await createPicture());
    await library.waitForState(key, 'THUMBNAIL');
    await createUnfinishedRendition(key, { attempts: 3, isPromoted: false });
    // A renderer that is free before the job runs must not attempt the rendition a fourth time.
    await library.waitForThumbnail(await library.uploadFile('other.jpg', await createPicture()));
    await renditionJob().run();
    expect(await library.findState(key, 'THUMBNAIL')).toBe('FAILED');
    expect(await library.renditions.find(key, 'THUMBNAIL')).toBeUndefined();
  });

  test('a process whose lease expired discards its rendition when another process has generated it', async () => {
    const key = await library.uploadFile('slow.jpg', await createPicture());
    await library.waitForState(key, 'THUMBNAIL');
    const [pid = 0] = await ownRenderers();
    process.kill(pid, 'SIGSTOP');
    const next = await library.uploadFile('slower.jpg', await createPicture());
    await waitUntil('the lease to be acquired', async () => (await findRenditionRow(next))?.lease_holder !== null);
    await queryDatabase(`UPDATE mcdisk.rendition SET due_at = 0 WHERE source_key = $1`, [next]);
    const other = await CloudServer.startSecondNode(library.server);
    await other.get(RenditionJob).run();
    const generated = await library.waitForThumbnail(next);
    await other.stop();
    process.kill(pid, 'SIGCONT');
    // The renderer finishes this picture before it starts a later one.
    await library.waitForThumbnail(await library.uploadFile('after.jpg', await createPicture()));
    expect((await library.waitForThumbnail(next)).blobKey).toBe(generated.blobKey);
    await waitUntil('no blob to be staged', async () => {
      await library.server.uploadTermination.expire(Date.now());
      return (await queryDatabase(`SELECT FROM mcdisk.blob WHERE state = 'STAGED'`, [])).length === 0;
    });
  });
});

test('a service that stops requeues its current rendition and counts no attempt', async () => {
  const stopping = await MediaLibrary.open();
  try {
    const stoppingRenderers = await watchRenderers();
    await stopping.waitForThumbnail(await stopping.uploadFile('first.jpg', await createPicture()));
    const [pid = 0] = await stoppingRenderers();
    process.kill(pid, 'SIGSTOP');
    const key = await stopping.uploadFile('second.jpg', await createPicture());
    const rowOf = async () => {
      const [row] = await stopping.server.query<{ state: string; attempts: number; lease: string }>(
        'SELECT state, attempts, lease_holder AS lease FROM mcdisk.rendition WHERE source_key = $1',
        [key],
      );
      return row;
    };
    await waitUntil('the lease to be acquired', async () => (await rowOf())?.lease !== null);
    await stopping.server.get(RenditionJob).onModuleDestroy();
    expect(await rowOf()).toEqual({ state: 'WAITING', attempts: 0, lease: null });
  } finally {
    await stopping.close();
  }
});

describe('store failure', () => {
  test('a failure of the store requeues the rendition and counts no attempt', async () => {
    const key = await library.uploadFile('outage.jpg', await createPicture());
    await library.waitForState(key, 'THUMBNAIL');
    const failing = jest.spyOn(blobStore(), 'promote').mockRejectedValueOnce(new StoreUnavailableError());
    await createUnfinishedRendition(key, { attempts: 0, isPromoted: false });
    await renditionJob().run();
    expect(failing).toHaveBeenCalledTimes(1);
    failing.mockRestore();
    expect(await findRenditionRow(key)).toMatchObject({
      attempts: 0,
      state: 'WAITING',
      lease_holder: null,
      blob_key: null,
    });
    await queryDatabase(`UPDATE mcdisk.rendition SET due_at = 0 WHERE source_key = $1`, [key]);
    await renditionJob().run();
    expect(await library.waitForState(key, 'THUMBNAIL')).toBe('READY');
  });
});

test('concurrent callers of findOrGenerate all get the same shared copy', async () => {
  const key = await library.uploadFile('asked.jpg', await createPicture());
  const generated = await Promise.all(Array.from({ length: 20 }, () => library.waitForSharedCopy(key)));
  const shared = await library.waitForSharedCopy(key);
  for (const rendition of generated) expect(rendition).toMatchObject({ blobKey: shared.blobKey });
});

test('findOrGenerate returns undefined for an unknown blob', async () => {
  expect(await library.renditions.findOrGenerate(randomUUID(), 'SHARED')).toBeUndefined();
});

test('many large pictures do not block the event loop', async () => {
  const pictureCount = isLongRun() ? 50 : 8;
  const large = await createNoisePicture(4_000, 3_000).jpeg({ quality: 50 }).toBuffer();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const keys: string[] = [];
  // Five phones upload the pictures while the first thumbnails are generated.
  const phones = Array.from({ length: 5 }, async () => {
    while (keys.length < pictureCount)
      keys.push(await library.uploadFile('large.jpg', Buffer.concat([large, randomBytes(16)])));
  });
  await Promise.all(phones);
  delay.enable();
  for (const key of keys) expect(await library.waitForState(key, 'THUMBNAIL')).toBe('READY');
  delay.disable();
  expect(delay.percentile(50) / 1e6).toBeLessThan(MAX_MEDIAN_DELAY_MS);
});
