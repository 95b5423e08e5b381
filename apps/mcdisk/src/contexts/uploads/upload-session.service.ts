import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import {
  CONTENT_STATE,
  SIGNED_URL_TTL_MS,
  MAX_PUT_BYTES,
  MAX_UPLOAD_BYTES,
} from '@family-watch/domain/family-cloud/contracts/content';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { GetFileUploadUrlDto, UploadContentDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { createCapabilityToken } from '@family-watch/platform/auth/capability-token';
import { McdiskOutbox } from '../../infrastructure/mcdisk.outbox.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { FolderLookupService } from '../folders/folder-lookup.service.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { assertSupportedTypes } from '../clouds/supported-types.js';
import { newContentId } from '../contents/content-id.js';
import { DeduplicationRepository } from './deduplication.repository.js';
import type { DuplicateContent } from './deduplication.repository.js';
import { LostBlobRepairService } from './lost-blob-repair.service.js';
import { UploadRepository } from './upload.repository.js';

/** An announced file and where its bytes go to. */
export interface CreatedUpload {
  contentID: string;
  contentName: string;
  /** The secret part of its addresses; `null` when the cloud has the bytes, and the content is there already. */
  token: string | null;
  /** False for what one request cannot carry. */
  isPutOffered: boolean;
}

interface Draft {
  upload: UploadEntity;
  token: string;
}

/** A file that has come without its bytes: the caller can read the same ones in this cloud. */
interface Shared {
  upload: UploadEntity;
  known: DuplicateContent;
}

/** Announcements of files: quota is held for every byte before the first one may come. */
@Injectable()
export class UploadSessionService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly catalogs: FolderLookupService,
    private readonly known: DeduplicationRepository,
    private readonly shared: LostBlobRepairService,
    private readonly uploads: UploadRepository,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** @throws ServiceError CATALOG_NOT_FOUND, BODY_TOO_LARGE (a file beyond the limit), QUOTA_EXCEEDED, LIMIT_REACHED: nothing is kept */
  async create(
    caller: Principal,
    request: GetFileUploadUrlDto,
  ): Promise<{ taskId: string; announced: CreatedUpload[] }> {
    assertSupportedTypes(request);
    const { cloudID: cloudId, uploadContentList: files } = request;
    const actor = await this.access.authorizeFor(cloudId, caller, CLOUD_RIGHT.ADD);
    if (files.some(({ contentSize }) => contentSize > MAX_UPLOAD_BYTES)) throw new ServiceError('BODY_TOO_LARGE');
    assertAnnouncedTotals(request);
    const taskId = randomUUID();
    const there = await this.keysInStore(actor, files);
    const { drafts, shared } = await this.unitOfWork.run(async () => {
      const named = { catalogID: request.parentCatalogID, path: request.path };
      const { folderId } = await this.catalogs.lockForShare(cloudId, named);
      const all = files.map((file) => draftUpload(caller, file, { taskId, cloudId, parentFolderId: folderId }));
      return { drafts: all, shared: await this.store(actor, all, there) };
    });
    return { taskId, announced: drafts.map((draft) => announcedOf(draft, shared.has(draft.upload.contentId))) };
  }

  /** @returns the ids of those that need no bytes */
  private async store(actor: CloudActor, drafts: readonly Draft[], there: ReadonlySet<string>): Promise<Set<string>> {
    const now = Date.now();
    const uploads = drafts.map(({ upload }) => upload);
    const shared = await this.share(actor, uploads, { there, now });
    const withoutBytes = new Set(shared.map(({ upload }) => upload.contentId));
    await this.uploads.insertMany(uploads);
    const used = sizeOf(shared.map(({ upload }) => upload));
    const reserved = sizeOf(uploads) - used;
    const full = await this.clouds.reserve(actor.cloudId, { count: uploads.length, reserved, used }, now);
    if (full) throw new ServiceError(full);
    if (shared.length > 0) {
      await this.outbox.append({
        name: 'mcdisk.content.added',
        key: actor.cloudId,
        payload: { cloudID: actor.cloudId, contentIDs: [...withoutBytes], by: actor.principal },
      });
    }
    return withoutBytes;
  }

  /** What the caller can read of the announced bytes and the store really has; looked at before the unit of work. */
  private async keysInStore(
    { cloudId, visibility, rights }: CloudActor,
    files: readonly UploadContentDto[],
  ): Promise<Set<string>> {
    const named = files.flatMap(({ contentSize: size, digest }) =>
      digest === undefined ? [] : [{ digest: digest.toLowerCase(), size }],
    );
    if (named.length === 0 || !rights.includes(CLOUD_RIGHT.READ)) return new Set();
    const keys = (await this.known.lockVisibleDuplicates(cloudId, visibility, named)).map(({ blobKey }) => blobKey);
    const there = await Promise.all(keys.map((key) => this.shared.exists(key)));
    return new Set(keys.filter((_, index) => there[index]));
  }

  /**
   * Makes contents of what the caller can read in this cloud already. Who only knows a digest learns nothing: what
   * they cannot see is asked for like what is not there.
   */
  private async share(
    actor: CloudActor,
    uploads: readonly UploadEntity[],
    { there, now }: { there: ReadonlySet<string>; now: number },
  ): Promise<Shared[]> {
    if (there.size === 0) return [];
    const named = uploads.flatMap(({ digest, size }) => (digest === null ? [] : [{ digest, size }]));
    const held = await this.known.lockVisibleDuplicates(actor.cloudId, actor.visibility, named);
    const known = new Map(
      held.filter(({ blobKey }) => there.has(blobKey)).map((one) => [`${one.digest} ${one.size}`, one]),
    );
    const shared = uploads.flatMap((upload): Shared[] => {
      const one = known.get(`${upload.digest} ${upload.size}`);
      return one ? [{ upload, known: one }] : [];
    });
    for (const { upload, known: one } of shared) {
      Object.assign(upload, {
        state: UPLOAD_STATE.COMPLETE,
        blobKey: one.blobKey,
        completedAt: now,
        receivedSize: upload.size,
      });
    }
    await this.known.revive(
      actor.cloudId,
      shared.map(({ known: one }) => one.blobKey),
      now,
    );
    await this.known.insertContents(shared.map((one) => contentOf(one, actor, now)));
    return shared;
  }
}

function contentOf({ upload, known }: Shared, actor: CloudActor, now: number) {
  return {
    contentId: upload.contentId,
    cloudId: upload.cloudId,
    parentFolderId: upload.parentFolderId,
    cid: actor.cid,
    blobKey: known.blobKey,
    name: upload.name,
    size: upload.size,
    digest: known.digest,
    type: known.type,
    mediaType: known.mediaType,
    uploader: actor.principal,
    state: CONTENT_STATE.ACTIVE,
    createdAt: now,
    updatedAt: now,
    capturedAt: known.capturedAt,
    recycledAt: null,
    purgeAt: null,
  };
}

function announcedOf({ upload, token }: Draft, isShared: boolean): CreatedUpload {
  return {
    contentID: upload.contentId,
    contentName: upload.name,
    token: isShared ? null : token,
    isPutOffered: upload.size <= MAX_PUT_BYTES,
  };
}

function draftUpload(
  caller: Principal,
  { contentName, contentSize, digest }: UploadContentDto,
  place: Pick<UploadEntity, 'taskId' | 'cloudId' | 'parentFolderId'>,
): Draft {
  const { token, hash } = createCapabilityToken();
  const now = Date.now();
  const upload: UploadEntity = {
    ...place,
    contentId: newContentId(place.cloudId),
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

function sizeOf(uploads: readonly UploadEntity[]): number {
  return uploads.reduce((sum, { size }) => sum + size, 0);
}

function assertAnnouncedTotals({ uploadContentList, fileCount, totalSize }: GetFileUploadUrlDto): void {
  const total = uploadContentList.reduce((sum, { contentSize }) => sum + contentSize, 0);
  const wrong = [
    ...((fileCount ?? uploadContentList.length) === uploadContentList.length ? [] : ['fileCount']),
    ...((totalSize ?? total) === total ? [] : ['totalSize']),
  ];
  if (wrong.length === 0) return;
  throw new ServiceError('VALIDATION_FAILED', {
    details: wrong.map((field) => ({ field, rule: 'sum', message: `${field} must fit uploadContentList` })),
  });
}
