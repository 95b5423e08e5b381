import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { hashCapabilityToken } from '@family-watch/platform/auth/capability-token';
import { Batcher } from '@family-watch/platform/process/batcher';
import { UrlHolderService } from '../blobs/url-holder.service.js';
import { UploadRepository } from './upload.repository.js';
import type { UploadWithFamily } from './upload.repository.js';

/** How long a look waits for the one under way, milliseconds. */
const PATIENCE_MS = 50;

/** Lets in who comes with the address of an upload, as long as the one it was made for still may add. */
@Injectable()
export class UploadAccessService {
  /** Those who come at the same time are looked up together: most of what one costs is the way to the database. */
  private readonly lookups = new Batcher<Buffer, UploadWithFamily | undefined>({
    process: async (hashes) => {
      const found = await this.uploads.findWithFamily(hashes);
      const byHash = new Map(found.map((upload) => [upload.tokenHash.toString('base64'), upload]));
      return hashes.map((hash) => byHash.get(hash.toString('base64')));
    },
    maxBatch: 32,
    maxConcurrentBatches: 2,
    laneWaitMs: PATIENCE_MS,
    maxWaiting: 10_000,
  });

  constructor(
    private readonly uploads: UploadRepository,
    private readonly holders: UrlHolderService,
  ) {}

  /**
   * The upload of an address, whatever its state.
   * @throws ServiceError UPLOAD_NOT_FOUND for guesses, after its time, and when membership, right or session have ended
   */
  async resolve(token: string): Promise<UploadEntity> {
    const upload = await this.lookups.submit(hashCapabilityToken(token));
    if (!upload || upload.expiresAt <= Date.now()) throw new ServiceError('UPLOAD_NOT_FOUND');
    if (!this.holders.check(upload, upload.family, CLOUD_RIGHT.ADD)) throw new ServiceError('UPLOAD_NOT_FOUND');
    return upload;
  }
}
