import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import {
  CONTENT_STATE,
  SIGNED_URL_TTL_MS,
  MAX_PUT_BYTES,
  MAX_UPLOAD_BYTES,
} from '@family-watch/domain/family-cloud/contracts/content';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type {
  GetFileUploadUrlDto,
  UploadContentDto,
  UploadReceiptDto,
  UploadTaskDto,
} from '@family-watch/domain/family-cloud/dto/upload.dto';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { createCapabilityToken, hashCapabilityToken } from '@family-watch/platform/auth/random-codes';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { McdiskOutbox, McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { FolderService } from '../../files/folders/folder.service.js';
import type { CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import { assertSupportedTypes } from '../../clouds/cloud-request.js';
import { newContentId } from '../../files/contents/content-id.js';
import { UploadCommitRepository, type DuplicateContent } from './upload-commit.repository.js';
import { LostBlobRepairService } from './lost-blob-repair.service.js';
import { toUploadReceipt } from './finished-upload.js';
import { UploadTerminationService } from './upload-termination.service.js';
import { UploadRepository, type UploadTaskKey, type UploadWithFamily } from './upload.repository.js';

const { COMPLETE, ABORTED } = UPLOAD_STATE;
/** How long a batch of lookups runs before the next batch starts concurrently, milliseconds. */
const NEXT_BATCH_DELAY_MS = 50;

/** An announced file and the token of the URLs to which its bytes are sent. */
export interface CreatedUpload {
  contentID: string;
  contentName: string;
  /**
   * Secret part of the upload URLs, or `null` when the cloud already has the bytes, so that the content was created
   * without an upload.
   */
  token: string | null;
  /** Whether the file may be sent in a single PUT; false for files that are too large. */
  isPutOffered: boolean;
}

/** A new upload, and the secret token of its URLs. */
interface UploadDraft {
  upload: UploadEntity;
  token: string;
}

/** A file that needs no upload: the caller can read a content with the same bytes in this cloud. */
interface DeduplicatedUpload {
  upload: UploadEntity;
  duplicate: DuplicateContent;
}

/**
 * Creates, completes and aborts upload sessions, and finds the upload of a URL. Quota is reserved for every byte before
 * the first byte is received.
 */
@Injectable()
export class UploadSessionService {
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
    private readonly folders: FolderService,
    private readonly duplicates: UploadCommitRepository,
    private readonly lostBlobs: LostBlobRepairService,
    private readonly uploads: UploadRepository,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly uploadTermination: UploadTerminationService,
    private readonly limiter: RequestLimiter,
  ) {}

  /**
   * Creates an upload session for all of the files, or fails and creates no session.
   * @throws ServiceError CATALOG_NOT_FOUND, FILE_TOO_LARGE when a file exceeds the limit, QUOTA_EXCEEDED, LIMIT_REACHED
   */
  async create(caller: Principal, request: GetFileUploadUrlDto): Promise<{ taskId: string; files: CreatedUpload[] }> {
    assertSupportedTypes(request);
    const { cloudID: cloudId, uploadContentList: files } = request;
    const actor = await this.access.authorizeFor(cloudId, caller, CLOUD_RIGHT.ADD);
    if (files.some(({ contentSize }) => contentSize > MAX_UPLOAD_BYTES)) throw new ServiceError('FILE_TOO_LARGE');
    assertAnnouncedTotals(request);
    const taskId = randomUUID();
    const reusableKeys = await this.findReusableBlobKeys(actor, files);
    const { drafts, deduplicated } = await this.unitOfWork.run(async () => {
      const reference = { catalogID: request.parentCatalogID, path: request.path };
      const { folderId } = await this.folders.lockForShare(cloudId, reference);
      const drafts = files.map((file) => createDraft(caller, file, { taskId, cloudId, parentFolderId: folderId }));
      return { drafts, deduplicated: await this.insert(actor, drafts, reusableKeys) };
    });
    return { taskId, files: drafts.map((draft) => toCreatedUpload(draft, deduplicated.has(draft.upload.contentId))) };
  }

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
   * Returns the upload of a URL, in any state.
   * @param ip address of the caller
   * @throws ServiceError RATE_LIMITED
   * @throws ServiceError UPLOAD_NOT_FOUND for unknown and expired URLs, and when the creator's membership, right to add
   * or session has ended
   */
  async resolve(token: string, ip: string): Promise<UploadEntity> {
    const upload = await this.lookupBatcher.submit(hashCapabilityToken(token));
    this.limiter.consumeFileLink(upload?.principal, ip);
    if (!upload || upload.expiresAt <= Date.now()) throw new ServiceError('UPLOAD_NOT_FOUND');
    if (!this.access.resolveHolder(upload, upload.family, CLOUD_RIGHT.ADD)) throw new ServiceError('UPLOAD_NOT_FOUND');
    return upload;
  }

  /** @returns ids of the uploads that need no bytes */
  private async insert(
    actor: CloudActor,
    drafts: readonly UploadDraft[],
    reusableKeys: ReadonlySet<string>,
  ): Promise<Set<string>> {
    const now = Date.now();
    const uploads = drafts.map(({ upload }) => upload);
    const deduplicated = await this.deduplicate(actor, uploads, { reusableKeys, now });
    const withoutBytes = new Set(deduplicated.map(({ upload }) => upload.contentId));
    await this.uploads.insertMany(uploads);
    const used = sumSizes(deduplicated.map(({ upload }) => upload));
    const reserved = sumSizes(uploads) - used;
    const failure = await this.clouds.reserve(actor.cloudId, { count: uploads.length, reserved, used }, now);
    if (failure) throw new ServiceError(failure);
    if (deduplicated.length > 0) {
      await this.outbox.append({
        name: 'mcdisk.content.added',
        key: actor.cloudId,
        payload: { cloudID: actor.cloudId, contentIDs: [...withoutBytes], by: actor.principal },
      });
    }
    return withoutBytes;
  }

  /**
   * Returns the keys of the blobs that have the announced bytes, are readable by the caller and exist in the store.
   * Must be called before the transaction that creates the uploads, because that transaction must not wait for the
   * store. Outside a transaction, the rows are locked only while they are read.
   */
  private async findReusableBlobKeys(
    { cloudId, visibility, rights }: CloudActor,
    files: readonly UploadContentDto[],
  ): Promise<Set<string>> {
    const digests = files.flatMap(({ contentSize: size, digest }) =>
      digest === undefined ? [] : [{ digest: digest.toLowerCase(), size }],
    );
    if (digests.length === 0 || !rights.includes(CLOUD_RIGHT.READ)) return new Set();
    const keys = (await this.duplicates.lockVisibleDuplicates(cloudId, visibility, digests)).map(
      ({ blobKey }) => blobKey,
    );
    const existsInStore = await Promise.all(keys.map((key) => this.lostBlobs.exists(key)));
    return new Set(keys.filter((_, index) => existsInStore[index]));
  }

  /**
   * Creates contents for files whose bytes the caller can already read in this cloud. Files that are not visible to the
   * caller are treated as missing, so that the response does not reveal whether a file with the digest exists.
   */
  private async deduplicate(
    actor: CloudActor,
    uploads: readonly UploadEntity[],
    { reusableKeys, now }: { reusableKeys: ReadonlySet<string>; now: number },
  ): Promise<DeduplicatedUpload[]> {
    if (reusableKeys.size === 0) return [];
    const digests = uploads.flatMap(({ digest, size }) => (digest === null ? [] : [{ digest, size }]));
    const locked = await this.duplicates.lockVisibleDuplicates(actor.cloudId, actor.visibility, digests);
    const byDigest = new Map(
      locked
        .filter(({ blobKey }) => reusableKeys.has(blobKey))
        .map((duplicate) => [`${duplicate.digest} ${duplicate.size}`, duplicate]),
    );
    const deduplicated = uploads.flatMap((upload): DeduplicatedUpload[] => {
      const duplicate = byDigest.get(`${upload.digest} ${upload.size}`);
      return duplicate ? [{ upload, duplicate }] : [];
    });
    for (const { upload, duplicate } of deduplicated) {
      Object.assign(upload, {
        state: UPLOAD_STATE.COMPLETE,
        blobKey: duplicate.blobKey,
        completedAt: now,
        receivedSize: upload.size,
      });
    }
    await this.duplicates.makeLive(
      actor.cloudId,
      deduplicated.map(({ duplicate }) => duplicate.blobKey),
      now,
    );
    await this.duplicates.insertContents(deduplicated.map((item) => contentOf(item, actor, now)));
    return deduplicated;
  }

  private async taskOf(caller: Principal, request: UploadTaskDto): Promise<UploadTaskKey> {
    assertSupportedTypes(request);
    const { cloudId, principal } = await this.access.authorizeFor(request.cloudID, caller, CLOUD_RIGHT.ADD);
    if (!isUuid(request.uploadTaskID)) throw new ServiceError('UPLOAD_NOT_FOUND');
    return { taskId: request.uploadTaskID, cloudId, principal };
  }
}

function contentOf({ upload, duplicate }: DeduplicatedUpload, actor: CloudActor, now: number) {
  return {
    contentId: upload.contentId,
    cloudId: upload.cloudId,
    parentFolderId: upload.parentFolderId,
    cid: actor.cid,
    blobKey: duplicate.blobKey,
    name: upload.name,
    size: upload.size,
    digest: duplicate.digest,
    type: duplicate.type,
    mediaType: duplicate.mediaType,
    uploader: actor.principal,
    state: CONTENT_STATE.ACTIVE,
    createdAt: now,
    updatedAt: now,
    capturedAt: duplicate.capturedAt,
    recycledAt: null,
    purgeAt: null,
  };
}

function toCreatedUpload({ upload, token }: UploadDraft, isDeduplicated: boolean): CreatedUpload {
  return {
    contentID: upload.contentId,
    contentName: upload.name,
    token: isDeduplicated ? null : token,
    isPutOffered: upload.size <= MAX_PUT_BYTES,
  };
}

function createDraft(
  caller: Principal,
  { contentName, contentSize, digest }: UploadContentDto,
  target: Pick<UploadEntity, 'taskId' | 'cloudId' | 'parentFolderId'>,
): UploadDraft {
  const { token, hash } = createCapabilityToken();
  const now = Date.now();
  const upload: UploadEntity = {
    ...target,
    contentId: newContentId(target.cloudId),
    principal: principalKey(caller),
    sessionId: caller.sessionId,
    tokenHash: hash,
    name: contentName,
    size: contentSize,
    digest: digest?.toLowerCase() ?? null,
    state: UPLOAD_STATE.PENDING,
    blobKey: null,
    createdAt: now,
    expiresAt: now + SIGNED_URL_TTL_MS,
    completedAt: null,
    receivedSize: 0,
    leaseHolder: null,
    leaseExpiresAt: null,
    leaseRequested: false,
  };
  return { upload, token };
}

function sumSizes(uploads: readonly UploadEntity[]): number {
  return uploads.reduce((sum, { size }) => sum + size, 0);
}

function assertAnnouncedTotals({ uploadContentList, fileCount, totalSize }: GetFileUploadUrlDto): void {
  const total = uploadContentList.reduce((sum, { contentSize }) => sum + contentSize, 0);
  const mismatchedFields = [
    ...((fileCount ?? uploadContentList.length) === uploadContentList.length ? [] : ['fileCount']),
    ...((totalSize ?? total) === total ? [] : ['totalSize']),
  ];
  if (mismatchedFields.length === 0) return;
  throw new ServiceError('VALIDATION_FAILED', {
    details: mismatchedFields.map((field) => ({
      field,
      rule: 'sum',
      message: `${field} must match uploadContentList`,
    })),
  });
}
