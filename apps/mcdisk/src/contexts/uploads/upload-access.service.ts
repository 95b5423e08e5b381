import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { hashCapabilityToken } from '@family-watch/platform/auth/random-codes';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { Batcher } from '@family-watch/platform/process/batcher';
import { UrlHolderService } from '../clouds/url-holder.service.js';
import { UploadRepository } from './upload.repository.js';
import type { UploadWithFamily } from './upload.repository.js';

/** How long a batch of lookups runs before the next batch starts concurrently, milliseconds. */
const NEXT_BATCH_DELAY_MS = 50;

/** Resolves the capability URL of an upload, as long as the creator of the upload may add contents. */
@Injectable()
export class UploadAccessService {
  /** Concurrent lookups share a query, because most of the cost of a query is its round trip to the database. */
  private readonly lookupBatcher = new Batcher<Buffer, UploadWithFamily | undefined>({
    process: async (hashes) => {
      const found = await this.uploads.findWithFamily(hashes);
      const byHash = new Map(found.map((upload) => [upload.tokenHash.toString('base64'), upload]));
      return hashes.map((hash) => byHash.get(hash.toString('base64')));
    },
    maxBatchSize: 32,
    maxConcurrentBatches: 2,
    concurrentBatchDelayMs: NEXT_BATCH_DELAY_MS,
    maxWaitingItems: 10_000,
  });

  constructor(
    private readonly uploads: UploadRepository,
    private readonly holders: UrlHolderService,
    private readonly limiter: RequestLimiter,
  ) {}

  /**
   * Returns the upload of a URL, whatever its state.
   * @param ip address of the caller
   * @throws ServiceError RATE_LIMITED
   * @throws ServiceError UPLOAD_NOT_FOUND for unknown and expired URLs, and when the creator's membership, right to add
   * or session has ended
   */
  async resolve(token: string, ip: string): Promise<UploadEntity> {
    const upload = await this.lookupBatcher.submit(hashCapabilityToken(token));
    await this.limiter.consumeFileLink(upload?.principal, ip);
    if (!upload || upload.expiresAt <= Date.now()) throw new ServiceError('UPLOAD_NOT_FOUND');
    if (!this.holders.findInFamily(upload, upload.family, CLOUD_RIGHT.ADD)) throw new ServiceError('UPLOAD_NOT_FOUND');
    return upload;
  }
}
