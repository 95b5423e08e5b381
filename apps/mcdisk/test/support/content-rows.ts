import { randomUUID } from 'node:crypto';
import { CONTENT_STATE, CONTENT_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import type { CloudServer } from './cloud-server.js';

const SHA256_OF_EMPTY_BLOB = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Inserts contents that share one empty blob, as if they had been uploaded. Returns their ids in the given order. */
export async function insertContents(
  server: CloudServer,
  cloudId: string,
  contents: readonly Partial<ContentEntity>[],
): Promise<string[]> {
  const now = Date.now();
  const blob = {
    blobKey: randomUUID(),
    cloudId,
    state: 'LIVE',
    stateSince: now,
    size: 0,
    digest: SHA256_OF_EMPTY_BLOB,
  } as const;
  const rows = contents.map((content) => ({
    contentId: randomUUID(),
    cloudId,
    parentFolderId: null,
    cid: null,
    blobKey: blob.blobKey,
    name: 'file',
    size: 0,
    digest: SHA256_OF_EMPTY_BLOB,
    type: CONTENT_TYPE.OTHER,
    mediaType: 'application/octet-stream',
    uploader: 'user:nobody' as const,
    state: CONTENT_STATE.ACTIVE,
    createdAt: now,
    updatedAt: now,
    capturedAt: null,
    recycledAt: null,
    purgeAt: null,
    ...content,
  }));
  const { manager } = server.unitOfWork;
  await manager.insert(BlobEntity, blob);
  await manager.insert(ContentEntity, rows);
  return rows.map(({ contentId }) => contentId);
}
