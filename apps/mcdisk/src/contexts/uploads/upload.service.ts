import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { UploadReceiptDto, UploadTaskDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { assertSupportedTypes } from '../clouds/supported-types.js';
import { UploadTerminationService } from './upload-termination.service.js';
import { toUploadReceipt } from './upload-receipt.js';
import { UploadRepository } from './upload.repository.js';
import type { UploadTaskKey } from './upload.repository.js';

const { COMPLETE, ABORTED } = UPLOAD_STATE;

/** Upload tasks after their announcement: receipts, and ways to give up. */
@Injectable()
export class UploadService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly uploads: UploadRepository,
    private readonly ending: UploadTerminationService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Changes nothing: what carried all bytes is complete by itself. */
  async complete(caller: Principal, request: UploadTaskDto): Promise<UploadReceiptDto[]> {
    const task = await this.taskOf(caller, request);
    const uploads = await this.uploads.findByTask(task);
    if (uploads.length === 0) throw new ServiceError('UPLOAD_NOT_FOUND');
    if (uploads.some(({ state }) => state !== COMPLETE)) throw new ServiceError('UPLOAD_STATE');
    return uploads.map(toUploadReceipt);
  }

  /** Ends what is still open of a task; what is complete stays. A second time changes nothing. */
  async abort(caller: Principal, request: UploadTaskDto): Promise<void> {
    const task = await this.taskOf(caller, request);
    const ended = await this.unitOfWork.run(async () => {
      const uploads = await this.uploads.lockByTask(task);
      if (uploads.length === 0) throw new ServiceError('UPLOAD_NOT_FOUND');
      if (uploads.every(({ state }) => state === COMPLETE)) throw new ServiceError('UPLOAD_STATE');
      return this.ending.terminate(
        uploads.map(({ contentId }) => contentId),
        ABORTED,
      );
    });
    await this.ending.cleanUp(ended);
  }

  /** Ends what a session has announced and not sent; inside of the caller's unit of work. */
  async abortOfSession(principal: PrincipalKey, sessionId: string): Promise<void> {
    const open = await this.uploads.lockOpenOfSession(principal, sessionId);
    await this.ending.terminate(
      open.map(({ contentId }) => contentId),
      ABORTED,
    );
  }

  private async taskOf(caller: Principal, request: UploadTaskDto): Promise<UploadTaskKey> {
    assertSupportedTypes(request);
    const { cloudId: cloudId, principal } = await this.access.authorizeFor(request.cloudID, caller, CLOUD_RIGHT.ADD);
    if (!isUuid(request.uploadTaskID)) throw new ServiceError('UPLOAD_NOT_FOUND');
    return { taskId: request.uploadTaskID, cloudId, principal };
  }
}
