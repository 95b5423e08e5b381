import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { StoredBlob } from '../blob-store.js';
import { resolveChain, parseSegment } from './segment-chain.js';
import type { Segment } from './segment-chain.js';
import type { S3Bucket } from './s3-bucket.js';
import type { S3Layout } from './s3-layout.js';

/** Every blob of the bucket; what is not named like one is not the store's. */
export async function* listS3Blobs(bucket: S3Bucket, layout: S3Layout): AsyncGenerator<StoredBlob> {
  const unfinished = await unfinishedKeys(bucket, layout);
  for await (const blob of listStaged(bucket, layout)) {
    unfinished.delete(blob.key);
    yield blob;
  }
  for await (const { name, size, changedAt } of bucket.list(layout.live)) {
    const key = name.slice(layout.live.length);
    if (isUuid(key)) yield { key, staged: false, size, changedAt };
  }
  for (const [key, changedAt] of unfinished) yield { key, staged: true, size: 0, changedAt };
}

/** Blobs that somebody began to compose, and when. */
async function unfinishedKeys(bucket: S3Bucket, layout: S3Layout): Promise<Map<string, number>> {
  const keys = new Map<string, number>();
  for await (const { name, changedAt } of bucket.listUnfinished(layout.live)) {
    const key = name.slice(layout.live.length);
    if (isUuid(key)) keys.set(key, changedAt);
  }
  return keys;
}

/** Names come in their order, so the pieces of one blob come one after the other. */
async function* listStaged(bucket: S3Bucket, layout: S3Layout): AsyncGenerator<StoredBlob> {
  let current = { key: '', pieces: [] as Segment[], changedAt: 0 };
  for await (const object of bucket.list(layout.staging)) {
    const piece = parseSegment(object);
    const key = object.name.slice(layout.staging.length).split('/')[0] ?? '';
    if (!piece || !isUuid(key)) continue;
    if (key !== current.key) {
      yield* stagedBlob(current);
      current = { key, pieces: [], changedAt: 0 };
    }
    current.pieces.push(piece);
    current.changedAt = Math.max(current.changedAt, object.changedAt);
  }
  yield* stagedBlob(current);
}

function stagedBlob({ key, pieces, changedAt }: { key: string; pieces: Segment[]; changedAt: number }): StoredBlob[] {
  return pieces.length > 0 ? [{ key, staged: true, size: resolveChain(pieces).size, changedAt }] : [];
}
