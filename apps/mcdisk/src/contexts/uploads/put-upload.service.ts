import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { UploadReceiptDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { BlobSourceAbortedError, BlobStore, BlobTooLargeError } from '../blobs/blob-store.js';
import type { StagedBlob } from '../blobs/blob-store.js';
import { detectMediaType } from '../blobs/media-type.js';
import { UploadAppendService } from './upload-append.service.js';
import { putDeadline } from './put-deadline.js';
import { UploadCommitService } from './upload-commit.service.js';
import { UploadAccessService } from './upload-access.service.js';
import { UploadTerminationService } from './upload-termination.service.js';
import type { UploadLease } from './upload-lease.js';
import { UploadLeasesService } from './upload-leases.service.js';

const { PENDING, RECEIVING } = UPLOAD_STATE;

/** Bytes of a file that is sent again as a whole when it breaks off, so that no row has to say where it stands. */
const MAX_SMALL_BYTES = 1024 * 1024;

/** Takes a file in one PUT: hashed on the way, made lasting, and only then committed and acknowledged. */
@Injectable()
export class PutUploadService {
  constructor(
    private readonly door: UploadAccessService,
    private readonly store: BlobStore,
    private readonly commits: UploadCommitService,
    private readonly ending: UploadTerminationService,
    private readonly leases: UploadLeasesService,
    private readonly appending: UploadAppendService,
  ) {}

  /**
   * @param source the request, whose body nobody has read; it is not destroyed unless its time is over
   * @param announcedLength the request's Content-Length, if it has one
   * @throws ServiceError UPLOAD_NOT_FOUND, UPLOAD_STATE, UPLOAD_LOCKED, STORE_FULL, STORE_UNAVAILABLE,
   * MALFORMED_REQUEST (broken off), or BODY_TOO_LARGE and DIGEST_MISMATCH, which end the upload
   */
  async receive(token: string, source: IncomingMessage, announcedLength?: number): Promise<UploadReceiptDto> {
    const upload = await this.door.resolve(token);
    if (upload.state !== PENDING && upload.state !== RECEIVING) throw new ServiceError('UPLOAD_STATE');
    if (announcedLength !== undefined && announcedLength !== upload.size) {
      throw await this.refused(upload, announcedLength > upload.size ? 'BODY_TOO_LARGE' : 'DIGEST_MISMATCH');
    }
    return isQuick(upload) ? this.receiveQuickly(upload, source) : this.receiveUnderLease(upload, source);
  }

  /** Nothing is written to the database before the bytes are there: of two who do this at once, one commits. */
  private async receiveQuickly(upload: UploadEntity, source: IncomingMessage): Promise<UploadReceiptDto> {
    const blobKey = randomUUID();
    const staged = await this.stage(upload, blobKey, source);
    try {
      const media = await detectMediaType(staged.head);
      await this.store.promote(blobKey);
      return await this.commits.commit({ upload, blobKey, digest: staged.digest, media, holder: null });
    } catch (error) {
      // The right has ended since the first byte; the address will not work again.
      if (error instanceof ServiceError && error.reason === 'UPLOAD_NOT_FOUND')
        await this.ending.refuse(upload.contentId);
      throw error;
    }
  }

  /** Leaves no bytes behind when it fails; what a crash leaves has no row and is the collector's. */
  private async stage(upload: UploadEntity, blobKey: string, source: IncomingMessage): Promise<StagedBlob> {
    const timer = setTimeout(
      () => source.destroy(new Error('The time of this upload is over')),
      putDeadline(upload.size, 0),
    );
    try {
      const staged = await this.store.stage(blobKey, source, upload.size);
      const isGenuine = staged.size === upload.size && (upload.digest ?? staged.digest) === staged.digest;
      if (!isGenuine) throw await this.refused(upload, 'DIGEST_MISMATCH');
      return staged;
    } catch (error) {
      await this.store.discard(blobKey).catch(() => undefined);
      if (error instanceof BlobTooLargeError) throw await this.refused(upload, 'BODY_TOO_LARGE');
      if (error instanceof BlobSourceAbortedError) throw new ServiceError('MALFORMED_REQUEST', { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A PUT begins anew, whatever an earlier one has left; where it breaks off it can be resumed. */
  private async receiveUnderLease(upload: UploadEntity, source: IncomingMessage): Promise<UploadReceiptDto> {
    const lease = await this.leases.acquire(upload.contentId);
    try {
      const { state } = lease.upload;
      if (state !== PENDING && state !== RECEIVING) throw new ServiceError('UPLOAD_STATE');
      lease.upload.receivedSize = 0;
      await this.appending.append(lease, source);
      if (!this.appending.isComplete(lease)) throw await this.short(lease, source);
      return await this.appending.finish(lease);
    } finally {
      await this.leases.release(lease);
    }
  }

  private async short(lease: UploadLease, source: IncomingMessage): Promise<ServiceError> {
    if (source.complete && !lease.signal.aborted) return this.refused(lease.upload, 'DIGEST_MISMATCH', lease.holder);
    return new ServiceError(lease.signal.aborted ? 'UPLOAD_STATE' : 'MALFORMED_REQUEST');
  }

  /** A lie ends the upload and frees what was held for it. */
  private async refused(
    { contentId }: Pick<UploadEntity, 'contentId'>,
    reason: 'BODY_TOO_LARGE' | 'DIGEST_MISMATCH',
    holder?: string,
  ): Promise<ServiceError> {
    await this.ending.refuse(contentId, holder);
    return new ServiceError(reason);
  }
}

/** Small enough to be sent again, announced so lately that its time does not end meanwhile, and not begun otherwise. */
function isQuick({ state, size, expiresAt }: UploadEntity): boolean {
  return state === PENDING && size <= MAX_SMALL_BYTES && putDeadline(size, Date.now()) <= expiresAt;
}
