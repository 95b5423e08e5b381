import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { StoredBlob } from '../blob-store.js';
import { resolveChain, parseSegment, type Segment } from './segments.js';
import type { S3Bucket } from './s3-bucket.js';

/** Names of the objects in which blobs are stored. */
export class S3Layout {
  /** Prefix of the segments of all staged blobs. */
  readonly stagingPrefix: string;
  /** Prefix of all promoted blobs. */
  readonly livePrefix: string;

  /** @param prefix empty, or ending in a slash */
  constructor(prefix: string) {
    this.stagingPrefix = `${prefix}staging/`;
    this.livePrefix = `${prefix}live/`;
  }

  /** Returns the prefix of the segments of one staged blob. */
  stagedPrefix(key: string): string {
    return `${this.stagingPrefix}${assertKey(key)}/`;
  }

  promotedName(key: string): string {
    return `${this.livePrefix}${assertKey(key)}`;
  }
}

/**
 * Checks that a key is a UUID. The service generates all keys, so any other key is a bug and must not become part of an
 * object's name.
 */
function assertKey(key: string): string {
  if (!isUuid(key)) throw new TypeError('A blob key must be a UUID');
  return key;
}

/** Lists every blob of the bucket; objects whose name contains no blob key are skipped. */
export async function* listS3Blobs(bucket: S3Bucket, layout: S3Layout): AsyncGenerator<StoredBlob> {
  const unfinished = await findUnfinishedKeys(bucket, layout);
  for await (const blob of listStaged(bucket, layout)) {
    unfinished.delete(blob.key);
    yield blob;
  }
  for await (const { name, size, changedAt } of bucket.list(layout.livePrefix)) {
    const key = name.slice(layout.livePrefix.length);
    if (isUuid(key)) yield { key, staged: false, size, changedAt };
  }
  for (const [key, changedAt] of unfinished) yield { key, staged: true, size: 0, changedAt };
}

/** Returns the keys of blobs with an unfinished multipart upload, and the time at which each upload began. */
async function findUnfinishedKeys(bucket: S3Bucket, layout: S3Layout): Promise<Map<string, number>> {
  const keys = new Map<string, number>();
  for await (const { name, changedAt } of bucket.listUnfinishedUploads(layout.livePrefix)) {
    const key = name.slice(layout.livePrefix.length);
    if (isUuid(key)) keys.set(key, changedAt);
  }
  return keys;
}

/** Lists staged blobs. The store lists names in lexical order, so the segments of one blob are adjacent. */
async function* listStaged(bucket: S3Bucket, layout: S3Layout): AsyncGenerator<StoredBlob> {
  let current = { key: '', segments: [] as Segment[], changedAt: 0 };
  for await (const object of bucket.list(layout.stagingPrefix)) {
    const segment = parseSegment(object);
    const key = object.name.slice(layout.stagingPrefix.length).split('/')[0] ?? '';
    if (!segment || !isUuid(key)) continue;
    if (key !== current.key) {
      yield* toStagedBlob(current);
      current = { key, segments: [], changedAt: 0 };
    }
    current.segments.push(segment);
    current.changedAt = Math.max(current.changedAt, object.changedAt);
  }
  yield* toStagedBlob(current);
}

function toStagedBlob({
  key,
  segments,
  changedAt,
}: {
  key: string;
  segments: Segment[];
  changedAt: number;
}): StoredBlob[] {
  return segments.length > 0 ? [{ key, staged: true, size: resolveChain(segments).size, changedAt }] : [];
}
