import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { S3BlobStore } from '../../src/contexts/blobs/s3/s3-blob-store.js';
import type { PieceSizes } from '../../src/contexts/blobs/s3/s3-blob-store.js';
import { hasSwift, SwiftServer } from '../support/swift-server.js';
import { blobAppendContract } from './blob-append.contract.js';
import { blobStoreContract } from './blob-store.contract.js';

/** Debian's packages swift-proxy, swift-account, swift-container, swift-object; elsewhere this is skipped, by name. */
const describeWithSwift = hasSwift ? describe : describe.skip;

/** Small, so that a short test sees many pieces, and ones that are too short to stay. */
const SMALL: PieceSizes = { pieceBytes: 64 * 1024, minPartBytes: 40 * 1024 };

describeWithSwift.each([
  ['pieces as in production', undefined],
  ['small pieces', SMALL],
])(hasSwift ? 'Swift’s S3, %s' : 'Swift’s S3, %s: not installed, not run', (_, sizes) => {
  let swift: SwiftServer;
  beforeAll(async () => {
    swift = await SwiftServer.start(sizes);
  }, 270_000);
  afterAll(() => swift.stop());

  const open = async () => {
    const store = new S3BlobStore({ ...(await swift.bucket(`b-${randomUUID()}`)), prefix: 'files/' }, sizes);
    return { store, countBlobs: () => count(store.list()), close: () => Promise.resolve() };
  };
  if (!sizes) blobStoreContract('S3', open);
  blobAppendContract('S3', open, { runs: 8, ...sizes });
});

async function count(things: AsyncIterable<unknown>): Promise<number> {
  let number = 0;
  for await (const thing of things) number += thing === undefined ? 0 : 1;
  return number;
}
