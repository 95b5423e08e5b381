import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { LINK_LIFETIME_MS, MAX_PUT_BYTES } from '@family-watch/domain/family-cloud/contracts/content';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type {
  GetFileUploadUrlDto,
  UploadContentDto,
  UploadReceiptDto,
  UploadTaskDto,
} from '@family-watch/domain/family-cloud/dto/upload.dto';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { mintCapability } from '../blobs/capability.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { assertSupported } from '../clouds/supported-types.js';
import { assertRootCatalog } from '../contents/root-catalog.js';
import { receiptOf } from './upload-receipt.js';
import { UploadRepository } from './upload.repository.js';
import type { TaskOf } from './upload.repository.js';

const { PENDING, RECEIVING, COMPLETE, ABORTED } = UPLOAD_STATE;

/** An announced file and the secret part of its address. */
export interface AnnouncedUpload {
  contentID: string;
  contentName: string;
  token: string;
}

/** Upload tasks, from the announcement to the receipts. */
@Injectable()
export class UploadService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly uploads: UploadRepository,
    private readonly clouds: CloudRepository,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Holds quota for every announced byte before the first one may come. */
  async announce(
    caller: Principal,
    request: GetFileUploadUrlDto,
  ): Promise<{ taskId: string; announced: AnnouncedUpload[] }> {
    assertSupported(request);
    const { cloudID, uploadContentList: files } = request;
    await this.access.admitWith(cloudID, caller, CLOUD_RIGHT.ADD);
    assertRootCatalog({ catalogID: request.parentCatalogID, path: request.path });
    const total = totalOf(files);
    assertAnnouncedTotals(request, total);
    const taskId = randomUUID();
    const drafts = files.map((file) => draftUpload(caller, file, { taskId, cloudId: cloudID }));
    const uploads = drafts.map(({ upload }) => upload);
    await this.unitOfWork.run(async () => {
      await this.uploads.insertMany(uploads);
      if (!(await this.clouds.reserve(cloudID, total))) throw new ServiceError('QUOTA_EXCEEDED');
    });
    const announced = drafts.map(({ upload, token }) => ({
      contentID: upload.contentId,
      contentName: upload.name,
      token,
    }));
    return { taskId, announced };
  }

  /** Changes nothing: a PUT that carried all bytes is complete by itself. */
  async complete(caller: Principal, request: UploadTaskDto): Promise<UploadReceiptDto[]> {
    const task = await this.taskOf(caller, request);
    const uploads = await this.uploads.findByTask(task);
    if (uploads.length === 0) throw new ServiceError('UPLOAD_NOT_FOUND');
    if (uploads.some(({ state }) => state !== COMPLETE)) throw new ServiceError('UPLOAD_STATE');
    return uploads.map(receiptOf);
  }

  /** Ends what is still open of a task; what is complete stays. A second time changes nothing. */
  async abort(caller: Principal, request: UploadTaskDto): Promise<void> {
    const task = await this.taskOf(caller, request);
    await this.unitOfWork.run(async () => {
      const uploads = await this.uploads.lockByTask(task);
      if (uploads.length === 0) throw new ServiceError('UPLOAD_NOT_FOUND');
      if (uploads.every(({ state }) => state === COMPLETE)) throw new ServiceError('UPLOAD_STATE');
      const open = uploads.filter(({ state }) => state === PENDING || state === RECEIVING);
      for (const { contentId } of open) await this.uploads.end(contentId, ABORTED);
      const bytes = open.reduce((sum, { size }) => sum + size, 0);
      if (bytes > 0) await this.clouds.release(task.cloudId, bytes);
    });
  }

  private async taskOf(caller: Principal, request: UploadTaskDto): Promise<TaskOf> {
    assertSupported(request);
    const { cloudID: cloudId, principal } = await this.access.admitWith(request.cloudID, caller, CLOUD_RIGHT.ADD);
    if (!isUuid(request.uploadTaskID)) throw new ServiceError('UPLOAD_NOT_FOUND');
    return { taskId: request.uploadTaskID, cloudId, principal };
  }
}

function draftUpload(
  caller: Principal,
  { contentName, contentSize, digest }: UploadContentDto,
  task: Pick<UploadEntity, 'taskId' | 'cloudId'>,
): { upload: UploadEntity; token: string } {
  const { token, hash } = mintCapability();
  const now = Date.now();
  const upload: UploadEntity = {
    ...task,
    contentId: randomUUID(),
    principal: principalKey(caller),
    sessionId: caller.sessionId,
    parentCatalogId: null,
    tokenHash: hash,
    name: contentName,
    size: contentSize,
    digest: digest?.toLowerCase() ?? null,
    state: PENDING,
    blobKey: null,
    createdAt: now,
    expiresAt: now + LINK_LIFETIME_MS,
    completedAt: null,
  };
  return { upload, token };
}

function totalOf(files: readonly UploadContentDto[]): number {
  if (files.some(({ contentSize }) => contentSize > MAX_PUT_BYTES)) throw new ServiceError('BODY_TOO_LARGE');
  return files.reduce((sum, { contentSize }) => sum + contentSize, 0);
}

function assertAnnouncedTotals({ uploadContentList, fileCount, totalSize }: GetFileUploadUrlDto, total: number): void {
  const wrong = [
    ...((fileCount ?? uploadContentList.length) === uploadContentList.length ? [] : ['fileCount']),
    ...((totalSize ?? total) === total ? [] : ['totalSize']),
  ];
  if (wrong.length === 0) return;
  throw new ServiceError('VALIDATION_FAILED', {
    details: wrong.map((field) => ({ field, rule: 'sum', message: `${field} must fit uploadContentList` })),
  });
}
