import { Injectable } from '@nestjs/common';
import { Any, IsNull, MoreThan } from 'typeorm';
import { FOLDER_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { ShareContentEntity, ShareEntity } from '@family-watch/domain/family-cloud/entities/share.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import type { Visibility } from '../clouds/cloud-actor.js';
import { visibilityParameters } from '../clouds/visibility-condition.js';
import type { PresentedContent } from '../clouds/content-columns.js';
import {
  DELETE_EMPTY_SHARES,
  DELETE_EXPIRED_SHARES,
  DELETE_ORPHANED_SHARES,
  DELETE_SHARE_CONTENTS_OF_CHILD,
  DELETE_SHARES_OF_FORMER_MEMBERS,
  FIND_UNEXPIRED_SHARES,
  INSERT_SHARE_CONTENTS,
  LOCK_VISIBLE_ALBUM,
  LOCK_VISIBLE_CONTENTS,
  COUNT_SHARED_CONTENTS,
  FIND_INDIVIDUAL_CONTENTS,
  FIND_SHARED_CONTENT,
  FIND_SHARED_MEDIA_TYPES,
  LIST_SHARED_CONTENTS,
} from './share.sql.js';

/** A share and the visibility that limits its contents. */
export interface ShareWithVisibility {
  shareId: string;
  visibility: Visibility;
}

/** Stores shares. A transaction must lock shares after contents, folders and albums, and before the cloud's row. */
@Injectable()
export class ShareRepository {
  constructor(
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly clouds: CloudRepository,
  ) {}

  /** Returns which of the contents are active and visible, locked for share until the transaction ends. */
  async lockContents(cloudId: string, contentIds: readonly string[], visibility: Visibility): Promise<string[]> {
    const parameters = [cloudId, contentIds, ...visibilityParameters(visibility)];
    const rows = await this.unitOfWork.executor.query<{ contentId: string }>(LOCK_VISIBLE_CONTENTS, parameters);
    return rows.map(({ contentId }) => contentId);
  }

  /** Returns whether the folder is active, and locks it for share until the transaction ends. */
  async lockFolder(cloudId: string, folderId: string): Promise<boolean> {
    const folder = await this.unitOfWork.manager.findOne(FolderEntity, {
      select: { folderId: true },
      where: { cloudId, folderId, state: FOLDER_STATE.ACTIVE },
      lock: { mode: 'pessimistic_read' },
    });
    return folder !== null;
  }

  /** Returns whether the album exists and is visible, and locks it for share until the transaction ends. */
  async lockAlbum(cloudId: string, albumId: string, visibility: Visibility): Promise<boolean> {
    const parameters = [cloudId, albumId, ...visibilityParameters(visibility)];
    const rows = await this.unitOfWork.executor.query(LOCK_VISIBLE_ALBUM, parameters);
    return rows.length > 0;
  }

  /** Inserts a share unless the cloud has `limit` unexpired shares. Returns false when the limit is reached. */
  async insertWithinLimit(limit: number, share: ShareEntity, contentIds: readonly string[]): Promise<boolean> {
    const { shareId, cloudId, createdAt } = share;
    const countedRows = [
      { cloudId, expiresAt: IsNull() },
      { cloudId, expiresAt: MoreThan(createdAt) },
    ];
    if (!(await this.clouds.insertWithinLimit(ShareEntity, share, { limit, countedRows }))) return false;
    await this.unitOfWork.executor.query(INSERT_SHARE_CONTENTS, [shareId, contentIds]);
    return true;
  }

  /**
   * Returns the unexpired shares of a cloud, newest first.
   * @param grantee `null` for all grantees
   */
  findUnexpired(cloudId: string, grantee: PrincipalKey | null, now: number): Promise<ShareEntity[]> {
    return this.unitOfWork.executor.query<ShareEntity>(FIND_UNEXPIRED_SHARES, [cloudId, grantee, now]);
  }

  /** Returns false when the share does not exist. */
  async delete(cloudId: string, shareId: string): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.delete(ShareEntity, { cloudId, shareId });
    return affected === 1;
  }

  /**
   * Deletes shares whose grantee or creator is not among the members.
   * @param version version of the family with these members; nothing is deleted when a newer version is stored
   */
  async deleteByFormerMembers(cloudId: string, version: number, members: readonly PrincipalKey[]): Promise<void> {
    await this.unitOfWork.executor.query(DELETE_SHARES_OF_FORMER_MEMBERS, [cloudId, members, version]);
  }

  /**
   * Deletes shares that were created after their grantee or creator had left the family, but before the family's event
   * was received. These shares show no contents.
   */
  async deleteOrphaned(): Promise<void> {
    await this.unitOfWork.executor.query(DELETE_ORPHANED_SHARES);
  }

  /** Removes purged contents from shares; deletes shares that become empty. */
  async removeContents(cloudId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.delete(ShareContentEntity, { contentId: Any(contentIds) });
    await this.deleteEmpty(cloudId);
  }

  /** Removes from shares all contents that a child's watch added; deletes shares that become empty. */
  async removeChildContents(cloudId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query(DELETE_SHARE_CONTENTS_OF_CHILD, [cloudId, cid]);
    await this.deleteEmpty(cloudId);
  }

  /** Deletes up to `limit` expired shares and returns their number. */
  async deleteExpired(now: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(DELETE_EXPIRED_SHARES, [now, limit]);
    return rows.length;
  }

  async containsContent(cloudId: string, shares: readonly ShareWithVisibility[], contentId: string): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(FIND_SHARED_CONTENT, [cloudId, toJson(shares), contentId]);
    return rows.length > 0;
  }

  /** Returns one page of the shared contents, newest first. Each content occurs once, even in several shares. */
  findContentPage(
    cloudId: string,
    shares: readonly ShareWithVisibility[],
    { limit, offset }: { limit: number; offset: number },
  ): Promise<PresentedContent[]> {
    const parameters = [cloudId, toJson(shares), limit, offset];
    return this.unitOfWork.executor.query<PresentedContent>(LIST_SHARED_CONTENTS, parameters);
  }

  async countContents(cloudId: string, shares: readonly ShareWithVisibility[]): Promise<number> {
    const parameters = [cloudId, toJson(shares)];
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(COUNT_SHARED_CONTENTS, parameters);
    return row?.count ?? 0;
  }

  /** Returns the distinct media types of the contents that a share shows. */
  async findMediaTypes(cloudId: string, share: ShareWithVisibility): Promise<string[]> {
    const parameters = [cloudId, toJson([share])];
    const rows = await this.unitOfWork.executor.query<{ mediaType: string }>(FIND_SHARED_MEDIA_TYPES, parameters);
    return rows.map(({ mediaType }) => mediaType);
  }

  /** Returns the active and visible contents that are shared individually, by share. */
  async findIndividualContents(
    cloudId: string,
    shares: readonly ShareWithVisibility[],
  ): Promise<Map<string, string[]>> {
    const rows = await this.unitOfWork.executor.query<{ shareId: string; contentId: string }>(
      FIND_INDIVIDUAL_CONTENTS,
      [cloudId, toJson(shares)],
    );
    const byShare = Map.groupBy(rows, ({ shareId }) => shareId);
    return new Map([...byShare].map(([id, contents]) => [id, contents.map(({ contentId }) => contentId)]));
  }

  private async deleteEmpty(cloudId: string): Promise<void> {
    await this.unitOfWork.executor.query(DELETE_EMPTY_SHARES, [cloudId]);
  }
}

function toJson(shares: readonly ShareWithVisibility[]): string {
  return JSON.stringify(
    shares.map(({ shareId, visibility: { mode, cids } }) => ({ id: shareId, only: mode === 'ONLY', cids })),
  );
}
