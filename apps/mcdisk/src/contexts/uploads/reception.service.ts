import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { UploadReceiptDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskOutbox } from '../../infrastructure/mcdisk.outbox.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobDisposalService } from '../blobs/blob-disposal.service.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { BlobBrokenOffError, BlobStore, BlobTooLargeError } from '../blobs/blob-store.js';
import type { StagedBlob } from '../blobs/blob-store.js';
import { hashOf } from '../blobs/capability.js';
import { LinkHolderService } from '../blobs/link-holder.service.js';
import { mediaTypeOf } from '../blobs/media-type.js';
import type { MediaType } from '../blobs/media-type.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { ContentRepository } from '../contents/content.repository.js';
import { putDeadline } from './put-deadline.js';
import { receiptOf } from './upload-receipt.js';
import { UploadRepository } from './upload.repository.js';

/** Bytes on their way to a blob: the upload they belong to and the key of this attempt. */
interface Attempt {
  upload: UploadEntity;
  blobKey: string;
}

/** Takes the bytes of one PUT: staged, hashed, made lasting, and only then committed and acknowledged. */
@Injectable()
export class ReceptionService {
  constructor(
    private readonly uploads: UploadRepository,
    private readonly holders: LinkHolderService,
    private readonly blobs: BlobRepository,
    private readonly disposal: BlobDisposalService,
    private readonly store: BlobStore,
    private readonly contents: ContentRepository,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * @param announcedLength the request's Content-Length, if it has one
   * @throws ServiceError UPLOAD_NOT_FOUND, UPLOAD_STATE, BODY_TOO_LARGE or DIGEST_MISMATCH; the latter two end the upload
   */
  async receive(token: string, source: Readable, announcedLength?: number): Promise<UploadReceiptDto> {
    const upload = await this.findOpen(token);
    if (announcedLength !== undefined && announcedLength !== upload.size) {
      throw await this.refused(upload, announcedLength > upload.size ? 'BODY_TOO_LARGE' : 'DIGEST_MISMATCH');
    }
    const attempt = await this.begin(upload);
    try {
      const staged = await this.stage(attempt, source);
      const media = await mediaTypeOf(staged.head);
      await this.store.promote(attempt.blobKey);
      return await this.commit(attempt, staged, media);
    } catch (error) {
      await this.clearUp(attempt);
      throw error;
    }
  }

  private async findOpen(token: string): Promise<UploadEntity> {
    const upload = await this.uploads.findByTokenHash(hashOf(token));
    if (!upload || upload.expiresAt <= Date.now()) throw new ServiceError('UPLOAD_NOT_FOUND');
    await this.adding(upload);
    if (upload.state !== UPLOAD_STATE.PENDING) throw new ServiceError('UPLOAD_STATE');
    return upload;
  }

  private async begin(upload: UploadEntity): Promise<Attempt> {
    const blobKey = randomUUID();
    const now = Date.now();
    await this.unitOfWork.run(async () => {
      await this.blobs.insertStaged(upload.cloudId, blobKey, now);
      const begun = await this.uploads.begin(upload.contentId, {
        blobKey,
        now,
        expiresAt: putDeadline(upload.size, now),
      });
      if (!begun) throw new ServiceError('UPLOAD_STATE');
    });
    return { upload, blobKey };
  }

  private async stage({ upload, blobKey }: Attempt, source: Readable): Promise<StagedBlob> {
    const timer = setTimeout(
      () => source.destroy(new Error('The time of this upload is over')),
      putDeadline(upload.size, 0),
    );
    try {
      const staged = await this.store.stage(blobKey, source, upload.size);
      const genuine = staged.size === upload.size && (upload.digest ?? staged.digest) === staged.digest;
      if (!genuine) throw await this.refused(upload, 'DIGEST_MISMATCH');
      return staged;
    } catch (error) {
      if (error instanceof BlobTooLargeError) throw await this.refused(upload, 'BODY_TOO_LARGE');
      if (error instanceof BlobBrokenOffError) throw new ServiceError('MALFORMED_REQUEST', { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Everything that was true at the first byte must still be so now. */
  private async commit(
    { upload, blobKey }: Attempt,
    { digest, size }: StagedBlob,
    { mediaType, contentType }: MediaType,
  ): Promise<UploadReceiptDto> {
    const { contentId, cloudId } = upload;
    const now = Date.now();
    const actor = await this.adding(upload);
    await this.unitOfWork.run(async () => {
      const stillOurs = await this.uploads.complete(contentId, blobKey, { digest, now });
      if (!stillOurs || !(await this.blobs.makeLive(cloudId, blobKey, now))) throw new ServiceError('UPLOAD_STATE');
      await this.contents.insert({
        contentId,
        cloudId,
        parentCatalogId: upload.parentCatalogId,
        cid: actor.cid,
        blobKey,
        name: upload.name,
        size,
        digest,
        type: contentType,
        mediaType,
        uploader: upload.principal,
        state: CONTENT_STATE.ACTIVE,
        createdAt: now,
        updatedAt: now,
        recycledAt: null,
        purgeAt: null,
      });
      await this.clouds.settle(cloudId, size, now);
      await this.outbox.append({
        name: 'mcdisk.content.added',
        key: cloudId,
        payload: { cloudID: cloudId, contentIDs: [contentId], by: upload.principal },
      });
    });
    return receiptOf({ ...upload, digest, completedAt: now });
  }

  private async adding(upload: UploadEntity): Promise<CloudActor> {
    const actor = await this.holders.find(upload, CLOUD_RIGHT.ADD);
    if (!actor) throw new ServiceError('UPLOAD_NOT_FOUND');
    return actor;
  }

  /** A lie ends the upload and frees what was held for it. */
  private async refused(upload: UploadEntity, reason: 'BODY_TOO_LARGE' | 'DIGEST_MISMATCH'): Promise<ServiceError> {
    await this.unitOfWork.run(async () => {
      if (await this.uploads.end(upload.contentId, UPLOAD_STATE.REFUSED))
        await this.clouds.release(upload.cloudId, upload.size);
    });
    return new ServiceError(reason);
  }

  /**
   * After any failure the database says what the bytes are: if the commit went through although its answer was
   * lost, the blob is live and stays. What cannot be cleared up now is the janitor's.
   */
  private async clearUp({ upload, blobKey }: Attempt): Promise<void> {
    try {
      await this.disposal.giveUp(upload.cloudId, blobKey);
      await this.uploads.putBack(upload.contentId, blobKey, upload.expiresAt);
    } catch {
      // The first error is the one to tell.
    }
  }
}
