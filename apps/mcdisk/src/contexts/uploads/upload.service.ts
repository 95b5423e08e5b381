import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { UploadReceiptDto, UploadTaskDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { hashCapabilityToken } from '@family-watch/platform/auth/random-codes';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { Batcher } from '@family-watch/platform/process/batcher';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { assertSupportedTypes } from '../clouds/cloud-request.js';
import { UploadTerminationService } from './upload-termination.service.js';
import { toUploadReceipt } from './finished-upload.js';
import { UploadRepository } from './upload.repository.js';
import type { UploadTaskKey, UploadWithFamily } from './upload.repository.js';

const { COMPLETE, ABORTED } = UPLOAD_STATE;
/** How long a batch of lookups runs before the next batch starts concurrently, milliseconds. */
const NEXT_BATCH_DELAY_MS = 50;

/** Returns the receipts of upload sessions, and aborts sessions. */
@Injectable()
export class UploadService {
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
    private readonly access: CloudAccessService,
    private readonly uploads: UploadRepository,
    private readonly uploadTermination: UploadTerminationService,
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly limiter: RequestLimiter,
  ) {}

  /**
   * Returns the receipts of a complete session. `completeUpload` changes nothing, because each file is complete as soon
   * as its last byte is committed.
   */
  async complete(caller: Principal, request: UploadTaskDto): Promise<UploadReceiptDto[]> {
    const task = await this.taskOf(caller, request);
    const uploads = await this.uploads.findByTask(task);
    if (uploads.length === 0) throw new ServiceError('UPLOAD_NOT_FOUND');
    if (uploads.some(({ state }) => state !== COMPLETE)) throw new ServiceError('UPLOAD_STATE');
    return uploads.map(toUploadReceipt);
  }

  /** Aborts the open uploads of an upload session and keeps the complete ones. Idempotent. */
  async abort(caller: Principal, request: UploadTaskDto): Promise<void> {
    const task = await this.taskOf(caller, request);
    const terminated = await this.unitOfWork.run(async () => {
      const uploads = await this.uploads.lockByTask(task);
      if (uploads.length === 0) throw new ServiceError('UPLOAD_NOT_FOUND');
      if (uploads.every(({ state }) => state === COMPLETE)) throw new ServiceError('UPLOAD_STATE');
      return this.uploadTermination.terminate(
        uploads.map(({ contentId }) => contentId),
        ABORTED,
      );
    });
    await this.uploadTermination.cleanUp(terminated);
  }

  /** Aborts the open uploads of a sign-in session that has ended, in the current transaction. */
  async abortBySession(principal: PrincipalKey, sessionId: string): Promise<void> {
    const open = await this.uploads.lockOpenBySession(principal, sessionId);
    await this.uploadTermination.terminate(
      open.map(({ contentId }) => contentId),
      ABORTED,
    );
  }

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
    if (!this.access.findInFamily(upload, upload.family, CLOUD_RIGHT.ADD)) throw new ServiceError('UPLOAD_NOT_FOUND');
    return upload;
  }

  private async taskOf(caller: Principal, request: UploadTaskDto): Promise<UploadTaskKey> {
    assertSupportedTypes(request);
    const { cloudId, principal } = await this.access.authorizeFor(request.cloudID, caller, CLOUD_RIGHT.ADD);
    if (!isUuid(request.uploadTaskID)) throw new ServiceError('UPLOAD_NOT_FOUND');
    return { taskId: request.uploadTaskID, cloudId, principal };
  }
}
