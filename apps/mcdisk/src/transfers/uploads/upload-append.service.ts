import { randomUUID, createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { UPLOAD_IDLE_TIMEOUT_MS } from '@family-watch/domain/family-cloud/contracts/content';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { UploadReceiptDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { entryLimit } from '@family-watch/platform/concurrency/entry-limit';
import { BlobMissingError, BlobStore, BlobTooLargeError, SIGNATURE_BYTES } from '../../storage/blobs/blob-store.js';
import { BlobDeletionService } from '../../storage/blobs/blob-deletion.service.js';
import { detectMediaType, type MediaType } from '../../storage/blobs/media-type.js';
import { putDeadline } from './raw-body.js';
import { UploadCommitService } from './upload-commit.service.js';
import { UploadTerminationService } from './upload-termination.service.js';
import type { UploadLease } from './upload-leases.service.js';
import { UploadRepository } from './upload.repository.js';

/** A lease whose upload has a blob. */
type StartedLease = UploadLease & { upload: { blobKey: string } };

/** Maximum number of cached hashes. For an upload without a cached hash the received bytes are read again. */
const MAX_CACHED_HASHES = 2_000;

interface PartialHash {
  offset: number;
  hash: Hash;
}

/**
 * Appends bytes to an upload under a lease, and commits the upload as a content when it is complete. When a request
 * fails, the bytes received so far are retained.
 */
@Injectable()
export class UploadAppendService {
  private readonly hashCache = new LRUCache<string, PartialHash>(entryLimit(MAX_CACHED_HASHES));

  constructor(
    private readonly uploads: UploadRepository,
    private readonly store: BlobStore,
    private readonly commits: UploadCommitService,
    private readonly uploadTermination: UploadTerminationService,
    private readonly blobDeletion: BlobDeletionService,
  ) {}

  /**
   * Appends the bytes of the source until it ends or the lease's signal aborts. Updates `lease.upload.receivedSize`.
   * @throws ServiceError BODY_TOO_LARGE, which ends the upload
   * @throws ServiceError UPLOAD_OFFSET when the store has lost bytes and the upload restarts
   * @throws ServiceError UPLOAD_STATE, UPLOAD_LOCKED, STORE_FULL, STORE_UNAVAILABLE
   */
  async append(lease: UploadLease, source: Readable): Promise<void> {
    if (lease.upload.receivedSize === 0) await this.restart(lease);
    const timer = setTimeout(() => lease.stop(), putDeadline(lease.upload.size - lease.upload.receivedSize, 0));
    try {
      await this.replaceWriter(lease);
      await this.receiveBytes(lease as StartedLease, source);
    } catch (error) {
      if (error instanceof BlobTooLargeError) {
        await this.uploadTermination.reject(lease.contentId, lease.holder);
        throw new ServiceError('BODY_TOO_LARGE', { cause: error });
      }
      if (!(error instanceof BlobMissingError)) throw error;
      await this.restart(lease);
      throw new ServiceError('UPLOAD_OFFSET', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Restarts the upload at the first byte, with a new blob key, so that an earlier request that still writes cannot
   * change the new bytes.
   */
  async restart(lease: UploadLease): Promise<void> {
    const { upload } = lease;
    const previousKey = upload.blobKey;
    const blobKey = randomUUID();
    const now = Date.now();
    const expiresAt = now + UPLOAD_IDLE_TIMEOUT_MS;
    if (!(await this.uploads.startReceiving(lease, blobKey, { now, expiresAt })))
      throw await this.lostLeaseError(lease);
    Object.assign(upload, { state: UPLOAD_STATE.RECEIVING, blobKey, receivedSize: 0, expiresAt, expiredHolder: null });
    if (previousKey !== null) await this.blobDeletion.deleteStaged(upload.cloudId, previousKey);
  }

  /** Returns true when all bytes have been received and the upload is not committed yet. */
  isComplete({ upload }: UploadLease): boolean {
    return upload.receivedSize === upload.size && upload.state === UPLOAD_STATE.RECEIVING;
  }

  /**
   * Verifies the digest of the bytes, promotes the blob and commits it as a content. After a failure, the caller may
   * call the method again.
   * @throws ServiceError DIGEST_MISMATCH, or UPLOAD_NOT_FOUND when the right to add has ended; both end the upload
   */
  async finish(lease: UploadLease): Promise<UploadReceiptDto> {
    const { upload, holder } = lease as StartedLease;
    const { blobKey } = upload;
    const hash = await this.claimHash(blobKey, upload.size);
    const digest = hash.copy().digest('hex');
    if ((upload.digest ?? digest) !== digest) {
      await this.uploadTermination.reject(upload.contentId, holder);
      throw new ServiceError('DIGEST_MISMATCH');
    }
    this.saveHash(blobKey, upload.size, hash);
    await this.store.promote(blobKey, upload.size);
    try {
      const media = await this.detectType(blobKey, upload.size);
      const receipt = await this.commits.commit({ upload, blobKey, digest, media, leaseHolder: holder });
      upload.state = UPLOAD_STATE.COMPLETE;
      return receipt;
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'UPLOAD_NOT_FOUND') {
        await this.uploadTermination.reject(upload.contentId, holder);
      }
      throw error;
    }
  }

  /**
   * Removes the hash of the first `offset` bytes from the cache and returns the hash, so that only the caller updates
   * it.
   * @throws BlobMissingError when the store has fewer bytes
   */
  async claimHash(blobKey: string, offset: number): Promise<Hash> {
    const partial = this.hashCache.get(blobKey);
    this.hashCache.delete(blobKey);
    if (partial?.offset === offset) return partial.hash;
    const hash = createHash('sha256');
    return offset === 0 ? hash : this.hashReceived(blobKey, offset, hash);
  }

  saveHash(blobKey: string, offset: number, hash: Hash): void {
    this.hashCache.set(blobKey, { offset, hash });
  }

  /**
   * Takes over the staged bytes after a lease expired. The former holder may only be slow, and the bytes that it still
   * writes must have no effect.
   */
  private async replaceWriter({ upload }: UploadLease): Promise<void> {
    if (upload.expiredHolder === null || upload.blobKey === null) return;
    await this.store.replaceWriter(upload.blobKey, upload.receivedSize);
    upload.expiredHolder = null;
  }

  private async receiveBytes(lease: StartedLease, source: Readable): Promise<void> {
    const { upload, signal } = lease;
    const { blobKey, receivedSize: offset } = upload;
    const hash = await this.claimHash(blobKey, offset);
    const received = await this.store.append(blobKey, source, {
      offset,
      maxBytes: upload.size - offset,
      hash,
      signal,
      onDurable: (size) => this.recordProgress(lease, size),
    });
    // Until the upload's row contains the new size, another holder may overwrite the received bytes.
    await this.recordProgress(lease, received);
    this.saveHash(blobKey, received, hash);
  }

  private async recordProgress(lease: UploadLease, receivedSize: number): Promise<void> {
    const expiresAt = Date.now() + UPLOAD_IDLE_TIMEOUT_MS;
    if (!(await this.uploads.recordProgress(lease, { receivedSize, expiresAt })))
      throw await this.lostLeaseError(lease);
    Object.assign(lease.upload, { receivedSize, expiresAt });
  }

  /**
   * Returns the error to throw after the lease was lost, because another request has the lease or the upload has ended.
   * Deletes the bytes of an ended upload.
   */
  private async lostLeaseError({ upload }: UploadLease): Promise<ServiceError> {
    if (await this.uploads.isOpen(upload.contentId)) return new ServiceError('UPLOAD_LOCKED', { retryAfter: 2 });
    if (upload.blobKey !== null) await this.blobDeletion.deleteStaged(upload.cloudId, upload.blobKey);
    return new ServiceError('UPLOAD_STATE');
  }

  private async detectType(blobKey: string, size: number): Promise<MediaType> {
    const file = this.store.toRandomAccess(blobKey, size);
    return detectMediaType(await file.read(0, Math.min(SIGNATURE_BYTES, size)), file);
  }

  private async hashReceived(blobKey: string, bytes: number, hash: Hash): Promise<Hash> {
    const source = await this.openReceived(blobKey);
    let left = bytes;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk.subarray(0, left));
      left -= Math.min(left, chunk.length);
      if (left === 0) break;
    }
    if (left > 0) throw new BlobMissingError('The store has fewer bytes than expected');
    return hash;
  }

  /** Opens the staged blob, or the promoted blob if a process has crashed between promotion and commit. */
  private async openReceived(blobKey: string): Promise<Readable> {
    try {
      return await this.store.openStaged(blobKey);
    } catch (error) {
      if (error instanceof BlobMissingError) return this.store.open(blobKey);
      throw error;
    }
  }
}
