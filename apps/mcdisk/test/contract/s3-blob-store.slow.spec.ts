import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { isLongRun } from '@family-watch/testing/properties/property-runs';
import { S3BlobStore, type SegmentSizes } from '../../src/storage/blobs/s3/s3-blob-store.js';
import { SwiftServer } from '../support/swift-server.js';
import { blobAppendContract } from './blob-append.contract.js';
import { blobStoreContract } from './blob-store.contract.js';
import { s3StartContract } from './s3-start.contract.js';
import { needs } from '@family-watch/testing/requirements/needs';

/**
 * The segments are small, so that a short test covers many segments, some of them smaller than the minimum size of a
 * part.
 */
const SMALL_SIZES: SegmentSizes = { segmentBytes: 64 * 1024, minPartBytes: 40 * 1024 };

needs('swift').describe('Swift’s S3', () => {
  let swift: SwiftServer;
  beforeAll(async () => {
    swift = await SwiftServer.start(SMALL_SIZES);
  }, 270_000);
  afterAll(() => swift.stop());

  const opener = (sizes?: SegmentSizes) => async () => {
    const store = new S3BlobStore({ ...(await swift.createBucket(`b-${randomUUID()}`)), prefix: 'files/' }, sizes);
    return { store, countBlobs: () => countItems(store.list()), close: () => Promise.resolve() };
  };
  blobStoreContract('S3', opener());
  blobAppendContract('S3, small segments', opener(SMALL_SIZES), { runs: 4, ...SMALL_SIZES });
  // Only the long run tests segments of production size, which take long to fill and use the same code.
  if (isLongRun()) blobAppendContract('S3, segments of production size', opener(), { runs: 8 });
  s3StartContract(() => swift);
});

async function countItems(items: AsyncIterable<unknown>): Promise<number> {
  let total = 0;
  for await (const item of items) total += item === undefined ? 0 : 1;
  return total;
}
