import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { UploadReceiptDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  BlobSourceAbortedError,
  BlobStore,
  BlobTooLargeError,
  type StagedBlob,
} from '../../storage/blobs/blob-store.js';
import { detectMediaType } from '../../storage/blobs/media-type.js';
import { UploadAppendService } from './upload-append.service.js';
import { putDeadline } from './raw-body.js';
import { UploadCommitService } from './upload-commit.service.js';
import { UploadSessionService } from './upload-session.service.js';
import { UploadTerminationService } from './upload-termination.service.js';
import { UploadLeasesService, type UploadLease } from './upload-leases.service.js';

const { PENDING, RECEIVING } = UPLOAD_STATE;
/**
 * Maximum size of a small file, bytes. After an interruption a small file is sent again as a whole, so its progress is
 * not stored.
 */
const MAX_SMALL_FILE_BYTES = 1024 * 1024;

/**
 * Receives a file in one PUT. The file is hashed while it arrives, made durable, and then committed and acknowledged.
 */
@Injectable()
export class PutUploadService {
  constructor(
    private readonly sessions: UploadSessionService,
    private readonly store: BlobStore,
    private readonly commits: UploadCommitService,
    private readonly uploadTermination: UploadTerminationService,
    private readonly leases: UploadLeasesService,
    private readonly uploadAppend: UploadAppendService,
  ) {}

  /**
   * Receives a file.
   * @param source the request with an unread body; it is destroyed only at its deadline
   * @param announced the request's Content-Length, if it has one, and the address of the caller
   * @throws ServiceError UPLOAD_NOT_FOUND, UPLOAD_STATE, UPLOAD_LOCKED, STORE_FULL, STORE_UNAVAILABLE,
   * MALFORMED_REQUEST when the request was interrupted
   * @throws ServiceError BODY_TOO_LARGE or DIGEST_MISMATCH, which end the upload
   */
  async receive(
    token: string,
    source: IncomingMessage,
    { announcedLength, ip }: { announcedLength: number | undefined; ip: string },
  ): Promise<UploadReceiptDto> {
    const upload = await this.sessions.resolve(token, ip);
    if (upload.state !== PENDING && upload.state !== RECEIVING) throw new ServiceError('UPLOAD_STATE');
    if (announcedLength !== undefined && announcedLength !== upload.size) {
      throw await this.reject(upload, announcedLength > upload.size ? 'BODY_TOO_LARGE' : 'DIGEST_MISMATCH');
    }
    return canSkipLease(upload) ? this.receiveWithoutLease(upload, source) : this.receiveUnderLease(upload, source);
  }

  /**
   * Receives a small file without a lease. The database is not written before all bytes have arrived; exactly one of
   * several concurrent requests commits.
   */
  private async receiveWithoutLease(upload: UploadEntity, source: IncomingMessage): Promise<UploadReceiptDto> {
    const blobKey = randomUUID();
    const { digest, firstBytes } = await this.storeBytes(upload, blobKey, source);
    try {
      const media = await detectMediaType(firstBytes, this.store.toRandomAccess(blobKey, upload.size));
      return await this.commits.commit({ upload, blobKey, digest, media, leaseHolder: null });
    } catch (error) {
      // The right to add has ended since the first byte, so the upload ends and its URL becomes invalid.
      if (error instanceof ServiceError && error.reason === 'UPLOAD_NOT_FOUND')
        await this.uploadTermination.reject(upload.contentId);
      throw error;
    }
  }

  /**
   * Stores the bytes and deletes them on failure. After a crash the bytes have no row, and garbage collection deletes
   * them.
   */
  private async storeBytes(upload: UploadEntity, blobKey: string, source: IncomingMessage): Promise<StagedBlob> {
    const timer = setTimeout(
      () => source.destroy(new Error('The upload exceeded its deadline')),
      putDeadline(upload.size, 0),
    );
    try {
      const stored = await this.store.put(blobKey, source, upload.size);
      const isAsAnnounced = stored.size === upload.size && (upload.digest ?? stored.digest) === stored.digest;
      if (!isAsAnnounced) throw await this.reject(upload, 'DIGEST_MISMATCH');
      return stored;
    } catch (error) {
      await this.store.discard(blobKey).catch(() => undefined);
      if (error instanceof BlobTooLargeError) throw await this.reject(upload, 'BODY_TOO_LARGE');
      if (error instanceof BlobSourceAbortedError) throw new ServiceError('MALFORMED_REQUEST', { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Receives a file from its first byte on, even if an earlier request has stored a part of the file. An interrupted
   * upload can be resumed by tus.
   */
  private async receiveUnderLease(upload: UploadEntity, source: IncomingMessage): Promise<UploadReceiptDto> {
    const lease = await this.leases.acquire(upload.contentId);
    try {
      const { state } = lease.upload;
      if (state !== PENDING && state !== RECEIVING) throw new ServiceError('UPLOAD_STATE');
      lease.upload.receivedSize = 0;
      await this.uploadAppend.append(lease, source);
      if (!this.uploadAppend.isComplete(lease)) throw await this.incompleteError(lease, source);
      return await this.uploadAppend.finish(lease);
    } finally {
      await this.leases.release(lease);
    }
  }

  private async incompleteError(lease: UploadLease, source: IncomingMessage): Promise<ServiceError> {
    if (source.complete && !lease.signal.aborted) return this.reject(lease.upload, 'DIGEST_MISMATCH', lease.holder);
    return new ServiceError(lease.signal.aborted ? 'UPLOAD_STATE' : 'MALFORMED_REQUEST');
  }

  /** Rejects an upload that differs from its announcement, and releases its reserved quota. */
  private async reject(
    { contentId }: Pick<UploadEntity, 'contentId'>,
    reason: 'BODY_TOO_LARGE' | 'DIGEST_MISMATCH',
    holder?: string,
  ): Promise<ServiceError> {
    await this.uploadTermination.reject(contentId, holder);
    return new ServiceError(reason);
  }
}

/**
 * Returns whether the upload can be received without a lease: it is small, expires after the deadline of the PUT, and
 * no other request has started it.
 */
function canSkipLease({ state, size, expiresAt }: UploadEntity): boolean {
  return state === PENDING && size <= MAX_SMALL_FILE_BYTES && putDeadline(size, Date.now()) <= expiresAt;
}
