import { Injectable } from '@nestjs/common';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { BlobEntity, StoredFirmwareImageEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';

/** A blob whose bytes are complete. */
interface CompleteBlob {
  blobKey: string;
  /** Bytes. */
  size: number;
  /** SHA-256, lower-case hex. */
  digest: string;
}

/** Stores which blobs have the bytes of firmware images. Times are Unix milliseconds. */
@Injectable()
export class FirmwareImageRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  find(imageId: string): Promise<StoredFirmwareImageEntity | null> {
    return this.images.findOneBy({ imageId });
  }

  /**
   * Adds the image with its blob. Must be called in a transaction, which must be rolled back if the result is false: the
   * image has bytes already, or was withdrawn.
   */
  async add(imageId: string, { blobKey, size, digest }: CompleteBlob, now: number): Promise<boolean> {
    await this.unitOfWork.manager.insert(BlobEntity, {
      blobKey,
      cloudId: null,
      state: BLOB_STATE.LIVE,
      stateSince: now,
      size,
      digest,
    });
    return insertIfAbsent(this.images, { imageId, blobKey, storedAt: now });
  }

  /**
   * Records that the image was withdrawn. Must be called in a transaction.
   * @returns the key of the blob that the image no longer references, or null
   */
  async withdraw(imageId: string, now: number): Promise<string | null> {
    if (await insertIfAbsent(this.images, { imageId, blobKey: null, storedAt: now })) return null;
    const image = await this.images.findOneOrFail({ where: { imageId }, lock: { mode: 'for_no_key_update' } });
    await this.images.update({ imageId }, { blobKey: null });
    return image.blobKey;
  }

  private get images() {
    return this.unitOfWork.manager.getRepository(StoredFirmwareImageEntity);
  }
}
