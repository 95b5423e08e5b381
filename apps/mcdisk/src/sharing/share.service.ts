import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { MAX_SHARES_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/content';
import type {
  AuthorizationDto,
  AuthorizationListDto,
  AuthorizedDto,
  AuthorizeDto,
  QueryAuthorizationDto,
  RevokeAuthorizationDto,
} from '@family-watch/domain/family-cloud/dto/authorization.dto';
import type { ShareEntity } from '@family-watch/domain/family-cloud/entities/share.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { parsePrincipalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { hasRight, resolveActor, type CloudActor } from '../clouds/cloud-actor.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { FamilyProjectionRepository } from '../clouds/family-projection.repository.js';
import { toLimitOffset, assertSupportedTypes } from '../clouds/cloud-request.js';
import { mayKeepMetadata } from '../renditions/rendition-plan.js';
import { MediaGrantRepository } from './media-grant.repository.js';
import { ShareRepository, type ShareWithVisibility } from './share.repository.js';
import type { PresentedContent } from '../clouds/content-columns.js';

const EXPIRY_BATCH_SIZE = 1_000;

/** Creates, lists and revokes shares. */
@Injectable()
export class ShareService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly families: FamilyProjectionRepository,
    private readonly shares: ShareRepository,
    private readonly grants: MediaGrantRepository,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Creates a share of all requested contents or of none. A content that is not visible to the caller counts as not
   * found.
   * @throws ServiceError VALIDATION_FAILED, PERMISSION_MISSING, MEMBER_NOT_FOUND, CONTENT_NOT_FOUND, CATALOG_NOT_FOUND,
   * ALBUM_NOT_FOUND; LIMIT_REACHED in a cloud with `MAX_SHARES_PER_CLOUD` shares
   */
  async authorize(caller: Principal, request: AuthorizeDto): Promise<AuthorizedDto> {
    assertSupportedTypes(request);
    const now = Date.now();
    assertValid(request, now);
    const { cloudID, userId, catalogID, photoID, expireTime } = request;
    const actor = await this.access.authorizeFor(cloudID, caller, CLOUD_RIGHT.DELETE);
    if (!(await this.access.find(cloudID, { type: 'user', id: userId }))) throw new ServiceError('MEMBER_NOT_FOUND');
    const share: ShareEntity = {
      shareId: randomUUID(),
      cloudId: cloudID,
      grantee: `user:${userId}`,
      createdBy: actor.principal,
      folderId: catalogID ?? null,
      albumId: photoID ?? null,
      createdAt: now,
      expiresAt: expireTime ?? null,
    };
    const contentIds = await this.unitOfWork.run(async () => {
      const locked = await this.lockSharedContents(actor, request);
      if (!(await this.shares.insertWithinLimit(MAX_SHARES_PER_CLOUD, share, locked)))
        throw new ServiceError('LIMIT_REACHED');
      return locked;
    });
    // The media types are read after the commit, because reading the contents of a whole folder would keep the cloud's
    // row locked for too long. After a failure `metadataRemoved` is false and no error is thrown, because the share
    // exists.
    const shareWithVisibility = { ...share, visibility: actor.visibility };
    const metadataRemoved = await this.shares.findMediaTypes(cloudID, shareWithVisibility).then(
      (mediaTypes) => !mediaTypes.some(mayKeepMetadata),
      () => false,
    );
    return { ...toDto(share, contentIds), metadataRemoved };
  }

  /** Lists all shares for callers who may share, and for other callers the shares that they received. */
  async list(caller: Principal, request: QueryAuthorizationDto): Promise<AuthorizationListDto> {
    assertSupportedTypes(request);
    const { cloudID, pageInfo } = request;
    const actor = await this.access.authorize(cloudID, caller);
    const { shares, visible } = await this.findVisibleShares(actor);
    const { limit, offset } = toLimitOffset(pageInfo);
    const page = shares.slice(offset, offset + limit);
    const onPage = new Set(page.map(({ shareId }) => shareId));
    const contentIdsByShare = await this.shares.findIndividualContents(
      cloudID,
      visible.filter(({ shareId }) => onPage.has(shareId)),
    );
    return {
      totalCount: shares.length,
      authorizationList: page.map((share) => toDto(share, contentIdsByShare.get(share.shareId) ?? [])),
    };
  }

  /**
   * Revokes a share, effective immediately on every node.
   * @throws ServiceError PERMISSION_MISSING, AUTHORIZATION_NOT_FOUND
   */
  async revoke(caller: Principal, request: RevokeAuthorizationDto): Promise<void> {
    assertSupportedTypes(request);
    const { cloudID, authorizationID } = request;
    await this.access.authorizeFor(cloudID, caller, CLOUD_RIGHT.DELETE);
    if (!isUuid(authorizationID) || !(await this.shares.delete(cloudID, authorizationID)))
      throw new ServiceError('AUTHORIZATION_NOT_FOUND');
  }

  /**
   * Deletes expired shares and grants, which are already ineffective. Replicas process different rows.
   * @param now Unix milliseconds
   */
  @OnJob('mcdisk.sharing.delete-expired', { intervalMs: 10 * 60_000 })
  async deleteExpired(now: number): Promise<void> {
    await this.shares.deleteOrphaned();
    while ((await this.shares.deleteExpired(now, EXPIRY_BATCH_SIZE)) === EXPIRY_BATCH_SIZE);
    while ((await this.grants.deleteExpired(now, EXPIRY_BATCH_SIZE)) === EXPIRY_BATCH_SIZE);
  }

  /** Returns whether this active content is shared with the actor; always false for watches. */
  async isShared(actor: CloudActor, contentId: string): Promise<boolean> {
    if (!isUuid(contentId)) return false;
    const shares = await this.findReceivedShares(actor);
    return shares.length > 0 && this.shares.containsContent(actor.cloudId, shares, contentId);
  }

  /** Lists each shared content once, newest first, without its folder. */
  async listContents(
    actor: CloudActor,
    page: { limit: number; offset: number },
  ): Promise<{ totalCount: number; contents: PresentedContent[] }> {
    const shares = await this.findReceivedShares(actor);
    if (shares.length === 0) return { totalCount: 0, contents: [] };
    const contents = await this.shares.findContentPage(actor.cloudId, shares, page);
    return {
      totalCount: await this.shares.countContents(actor.cloudId, shares),
      contents: contents.map((content) => ({ ...content, parentFolderId: null })),
    };
  }

  private async findVisibleShares(
    actor: CloudActor,
  ): Promise<{ shares: ShareEntity[]; visible: ShareWithVisibility[] }> {
    const { cloudId, principal, visibility } = actor;
    if (hasRight(actor, CLOUD_RIGHT.DELETE)) {
      const all = await this.shares.findUnexpired(cloudId, null, Date.now());
      return { shares: all, visible: all.map(({ shareId }) => ({ shareId, visibility })) };
    }
    const own = await this.shares.findUnexpired(cloudId, principal, Date.now());
    const family = await this.families.findWithCloud(cloudId);
    const visible = family ? filterActiveShares(own, family) : [];
    const ids = new Set(visible.map(({ shareId }) => shareId));
    return { shares: own.filter(({ shareId }) => ids.has(shareId)), visible };
  }

  /**
   * Locks the shared contents, folder or album until the share is inserted.
   * @returns ids of the contents that are shared individually
   */
  private async lockSharedContents({ cloudId, visibility }: CloudActor, request: AuthorizeDto): Promise<string[]> {
    const { contentIDList, catalogID = '', photoID = '' } = request;
    if (contentIDList) {
      const ids = [...new Set(contentIDList)];
      const locked = new Set(await this.shares.lockContents(cloudId, ids.filter(isUuid), visibility));
      if (locked.size < ids.length) throw new ServiceError('CONTENT_NOT_FOUND');
      return ids;
    }
    if (catalogID !== '') {
      const isLocked = isUuid(catalogID) && (await this.shares.lockFolder(cloudId, catalogID));
      if (!isLocked) throw new ServiceError('CATALOG_NOT_FOUND');
      return [];
    }
    const isLocked = isUuid(photoID) && (await this.shares.lockAlbum(cloudId, photoID, visibility));
    if (!isLocked) throw new ServiceError('ALBUM_NOT_FOUND');
    return [];
  }

  private async findReceivedShares({ cloudId, principal, cid }: CloudActor): Promise<ShareWithVisibility[]> {
    if (cid !== null) return [];
    const shares = await this.shares.findUnexpired(cloudId, principal, Date.now());
    const family = shares.length === 0 ? undefined : await this.families.findWithCloud(cloudId);
    return family ? filterActiveShares(shares, family) : [];
  }
}

function assertValid({ contentIDList, catalogID, photoID, expireTime }: AuthorizeDto, now: number): void {
  const subjects = [contentIDList, catalogID, photoID].filter((subject) => subject !== undefined);
  const details = [
    ...(subjects.length === 1
      ? []
      : [
          {
            field: 'contentIDList',
            rule: 'either',
            message: 'send exactly one of contentIDList, catalogID and photoID',
          },
        ]),
    ...(expireTime === undefined || expireTime > now
      ? []
      : [{ field: 'expireTime', rule: 'future', message: 'expireTime must be in the future' }]),
  ];
  if (details.length > 0) throw new ServiceError('VALIDATION_FAILED', { details });
}

function toDto(share: ShareEntity, contentIDList: string[]): AuthorizationDto {
  const { shareId, grantee, createdBy, folderId, albumId, createdAt, expiresAt } = share;
  return {
    authorizationID: shareId,
    userId: parsePrincipalKey(grantee).id,
    authorizerUserId: parsePrincipalKey(createdBy).id,
    contentIDList,
    catalogID: folderId ?? '',
    photoID: albumId ?? '',
    createTime: createdAt,
    expireTime: expiresAt,
  };
}

/**
 * Returns the active shares with the current visibility of their creators. A share is active while its creator may
 * share. A share shows only contents that its creator may see now.
 */
function filterActiveShares(shares: readonly ShareEntity[], family: FamilySnapshot): ShareWithVisibility[] {
  return shares.flatMap(({ shareId, createdBy }) => {
    const creator = resolveActor(family, { type: 'user', id: parsePrincipalKey(createdBy).id });
    return creator && hasRight(creator, CLOUD_RIGHT.DELETE) ? [{ shareId, visibility: creator.visibility }] : [];
  });
}
