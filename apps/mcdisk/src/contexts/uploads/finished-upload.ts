import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { MediaType } from '../blobs/media-type.js';
import type { BlobFingerprint, LockedBlob, BlobDecision } from './upload-commit.repository.js';

const { STAGED, LIVE, CONDEMNED, DELETING } = BLOB_STATE;

/** All bytes of an upload, lasting in the store and checked; no row refers to them yet. */
export interface FinishedUpload {
  upload: Pick<UploadEntity, 'contentId' | 'cloudId' | 'parentFolderId' | 'size'>;
  blobKey: string;
  /** SHA-256 of what arrived, lower-case hex. */
  digest: string;
  media: MediaType;
  /** Whose lease the bytes came under; `null` for one request that brought them all and asked nobody before. */
  holder: string | null;
}

/** Is the row still the one that the bytes were sent for? Of two who sent them, one is late. */
export function isStillOwned({ holder, blobKey }: FinishedUpload, row: UploadEntity): boolean {
  if (holder === null) return row.state === UPLOAD_STATE.PENDING;
  return row.state === UPLOAD_STATE.RECEIVING && row.leaseHolder === holder && row.blobKey === blobKey;
}

/**
 * Gives every finished upload of one commit its blob: its own, or one with the same bytes that the family has.
 * Fill it with the locked rows, place the uploads in order, and write what it says.
 */
export class BlobAssignment {
  private readonly byKey: ReadonlyMap<string, LockedBlob>;
  private readonly shared = new Map<string, string>();
  readonly decisions: BlobDecision[] = [];

  constructor(locked: readonly LockedBlob[]) {
    this.byKey = new Map(locked.map((blob) => [blob.blobKey, blob]));
    for (const { blobKey, cloudId, state, digest, size } of locked) {
      if (digest === null || size === null) continue;
      if (state === LIVE || state === CONDEMNED) this.shared.set(keyOf({ cloudId, digest, size }), blobKey);
    }
  }

  /**
   * @returns the key of the blob that the content is to refer to, or `undefined` when the bytes were given up
   * meanwhile
   */
  assign(finished: FinishedUpload): string | undefined {
    const { blobKey, holder, upload } = finished;
    if (holder !== null && this.byKey.get(blobKey)?.state !== STAGED) return undefined;
    const bytes = fingerprintOf(finished);
    const equal = this.shared.get(keyOf(bytes));
    if (equal === undefined) {
      this.decisions.push({ ...bytes, blobKey, state: LIVE });
      this.shared.set(keyOf(bytes), blobKey);
      return blobKey;
    }
    if (this.byKey.get(equal)?.state === CONDEMNED && !this.decisions.some((blob) => blob.blobKey === equal)) {
      this.decisions.push({ ...bytes, blobKey: equal, state: LIVE });
    }
    // Only what has a row of its own; the others are files that nobody knows.
    if (holder !== null) this.decisions.push({ ...bytes, cloudId: upload.cloudId, blobKey, state: DELETING });
    return equal;
  }
}

export function fingerprintOf({ upload, digest }: FinishedUpload): BlobFingerprint {
  return { cloudId: upload.cloudId, digest, size: upload.size };
}

function keyOf({ cloudId, digest, size }: BlobFingerprint): string {
  return `${digest} ${size} ${cloudId}`;
}
