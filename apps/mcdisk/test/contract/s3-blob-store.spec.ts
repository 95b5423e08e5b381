import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { isLongRun } from '@family-watch/testing/properties/property-runs';
import { S3BlobStore } from '../../src/contexts/blobs/s3/s3-blob-store.js';
import type { SegmentSizes } from '../../src/contexts/blobs/s3/s3-blob-store.js';
import { hasSwift, SwiftServer } from '../support/swift-server.js';
import { blobAppendContract } from './blob-append.contract.js';
import { blobStoreContract } from './blob-store.contract.js';
import { s3StartContract } from './s3-start.contract.js';

/** Debian's packages swift-proxy, swift-account, swift-container, swift-object; elsewhere this is skipped, by name. */
const describeWithSwift = hasSwift ? describe : describe.skip;

/** Small, so that a short test sees many pieces, and ones that are too short to stay. */
const SMALL: SegmentSizes = { segmentBytes: 64 * 1024, minPartBytes: 40 * 1024 };

describeWithSwift(hasSwift ? 'Swift’s S3' : 'Swift’s S3: not installed, not run', () => {
  let swift: SwiftServer;
  beforeAll(async () => {
    swift = await SwiftServer.start(SMALL);
  }, 270_000);
  afterAll(() => swift.stop());

  const opener = (sizes?: SegmentSizes) => async () => {
    const store = new S3BlobStore({ ...(await swift.bucket(`b-${randomUUID()}`)), prefix: 'files/' }, sizes);
    return { store, countBlobs: () => count(store.list()), close: () => Promise.resolve() };
  };
  blobStoreContract('S3', opener());
  blobAppendContract('S3, small pieces', opener(SMALL), { runs: 4, ...SMALL });
  // Pieces as in production take long to fill; the code is the same.
  if (isLongRun()) blobAppendContract('S3, pieces as in production', opener(), { runs: 8 });
  s3StartContract(() => swift);
});

async function count(things: AsyncIterable<unknown>): Promise<number> {
  let number = 0;
  for await (const thing of things) number += thing === undefined ? 0 : 1;
  return number;
}
