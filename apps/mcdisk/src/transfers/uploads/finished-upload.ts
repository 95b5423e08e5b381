import { BLOB_STATE, UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { UploadReceiptDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import type { MediaType } from '../../storage/blobs/media-type.js';
import type { BlobFingerprint, LockedBlob, BlobStateChange } from './upload-commit.repository.js';

const { STAGED, LIVE, CONDEMNED, DELETING } = BLOB_STATE;

/** An upload whose bytes are durable in the store and verified; no content refers to these bytes yet. */
export interface FinishedUpload {
  upload: Pick<UploadEntity, 'contentId' | 'cloudId' | 'parentFolderId' | 'size'>;
  blobKey: string;
  /** SHA-256 of the received bytes, lower-case hex. */
  digest: string;
  media: MediaType;
  /** Holder of the lease under which the bytes arrived, or `null` for a single request without a lease. */
  leaseHolder: string | null;
}

/**
 * Returns whether the upload's row still has the state that it had when the bytes were sent. Returns false when a
 * concurrent sender has committed the upload first or has taken over its lease.
 */
export function isUnchanged({ leaseHolder, blobKey }: FinishedUpload, row: UploadEntity): boolean {
  if (leaseHolder === null) return row.state === UPLOAD_STATE.PENDING;
  return row.state === UPLOAD_STATE.RECEIVING && row.leaseHolder === leaseHolder && row.blobKey === blobKey;
}

/**
 * Assigns a blob to each finished upload of one commit: the blob of the upload itself, or an existing blob of the
 * family with the same bytes. The caller passes the locked rows to the constructor, calls `assign` for the uploads in
 * order, and then writes `stateChanges`.
 */
export class BlobAssignment {
  private readonly blobsByKey: ReadonlyMap<string, LockedBlob>;
  private readonly reusableKeys = new Map<string, string>();
  readonly stateChanges: BlobStateChange[] = [];

  constructor(locked: readonly LockedBlob[]) {
    this.blobsByKey = new Map(locked.map((blob) => [blob.blobKey, blob]));
    for (const { blobKey, cloudId, state, digest, size } of locked) {
      if (digest === null || size === null) continue;
      if (state === LIVE || state === CONDEMNED) this.reusableKeys.set(keyOf({ cloudId, digest, size }), blobKey);
    }
  }

  /**
   * @returns the key of the blob that the content refers to, or `undefined` when the bytes were deleted in the meantime
   */
  assign(finished: FinishedUpload): string | undefined {
    const { blobKey, leaseHolder, upload } = finished;
    if (leaseHolder !== null && this.blobsByKey.get(blobKey)?.state !== STAGED) return undefined;
    const bytes = fingerprintOf(finished);
    const duplicate = this.reusableKeys.get(keyOf(bytes));
    if (duplicate === undefined) {
      this.stateChanges.push({ ...bytes, blobKey, state: LIVE });
      this.reusableKeys.set(keyOf(bytes), blobKey);
      return blobKey;
    }
    if (
      this.blobsByKey.get(duplicate)?.state === CONDEMNED &&
      !this.stateChanges.some((blob) => blob.blobKey === duplicate)
    ) {
      this.stateChanges.push({ ...bytes, blobKey: duplicate, state: LIVE });
    }
    // Uploads without a lease have no blob row; the sender of the request deletes their bytes.
    if (leaseHolder !== null) this.stateChanges.push({ ...bytes, cloudId: upload.cloudId, blobKey, state: DELETING });
    return duplicate;
  }
}

export function fingerprintOf({ upload, digest }: FinishedUpload): BlobFingerprint {
  return { cloudId: upload.cloudId, digest, size: upload.size };
}

function keyOf({ cloudId, digest, size }: BlobFingerprint): string {
  return `${digest} ${size} ${cloudId}`;
}

/**
 * Returns the receipt of a committed upload.
 * @throws TypeError when the upload is not complete
 */
export function toUploadReceipt({ contentId, size, digest, completedAt }: UploadEntity): UploadReceiptDto {
  if (digest === null || completedAt === null) throw new TypeError('A receipt needs a complete upload');
  return {
    contentID: contentId,
    contentSize: size,
    digest,
    receipt: `sha256=${digest};size=${size};time=${completedAt}`,
  };
}
