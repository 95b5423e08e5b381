import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import {
  MediaGrantEntity,
  FriendshipProjectionEntity,
} from '@family-watch/domain/family-cloud/entities/share.entities';
import type { MessageEvents } from '@family-watch/domain/messages/contracts/message.events';
import type { FriendEvents } from '@family-watch/domain/friends/contracts/friend';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { ReadableContent } from '../clouds/content-columns.js';
import {
  DELETE_EXPIRED_MEDIA_GRANTS,
  FIND_CONTENT_IN_CLOUD,
  FIND_GRANTED_CONTENT,
  INSERT_MEDIA_GRANTS,
  UPSERT_FRIENDSHIP_IF_NEWER,
} from './sharing.sql.js';

/** The child for whom the caller requests a content, and the child's family. */
export interface GranteeChild {
  familyId: string;
  cid: string;
}

type Friendship = FriendEvents['userctx.friendship.changed'];

/** Stores grants for media in messages between children who are friends. */
@Injectable()
export class MediaGrantRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** @param grantedAt Unix milliseconds at which the message was sent */
  async insert(grant: MessageEvents['gateway.media.granted'], grantedAt: number): Promise<void> {
    const { messageId, familyId, contentIDs, fromCid, toCid, toFamilyId, expiresAt } = grant;
    const parameters = [contentIDs, messageId, familyId, fromCid, toCid, toFamilyId, grantedAt, expiresAt];
    await this.unitOfWork.executor.query(INSERT_MEDIA_GRANTS, parameters);
  }

  /**
   * Returns a content that is granted to this child.
   * @param now Unix milliseconds
   */
  async findGrantedContent(
    contentId: string,
    { familyId, cid }: GranteeChild,
    now: number,
  ): Promise<ReadableContent | undefined> {
    const [content] = await this.unitOfWork.executor.query<ReadableContent>(FIND_GRANTED_CONTENT, [
      contentId,
      familyId,
      cid,
      now,
    ]);
    return content;
  }

  /** Deletes the grants of a recalled message. */
  async deleteByMessage(messageId: string, cloudId: string): Promise<void> {
    await this.unitOfWork.manager.delete(MediaGrantEntity, { messageId, cloudId });
  }

  async deleteByChild(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(MediaGrantEntity, [{ fromCid: cid }, { toCid: cid }]);
  }

  async deleteByContents(cloudId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.delete(MediaGrantEntity, { cloudId, contentId: Any(contentIds) });
  }

  /**
   * Deletes up to `limit` grants of expired messages and returns their number.
   * @param now Unix milliseconds
   */
  async deleteExpired(now: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(DELETE_EXPIRED_MEDIA_GRANTS, [now, limit]);
    return rows.length;
  }

  /** Returns whether this cloud has the content, in any state. */
  async contentExistsInCloud(cloudId: string, contentId: string): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(FIND_CONTENT_IN_CLOUD, [contentId, cloudId]);
    return rows.length > 0;
  }

  /**
   * Stores a friendship unless a newer version is stored. Stores also the time at which the friendship last ended,
   * because earlier grants stay invalid when the friendship is renewed.
   */
  async upsertFriendshipIfNewer({ friendshipId, version, sides, active, time }: Friendship): Promise<void> {
    const [one, other] = sides.map(({ cid }) => cid).sort();
    const parameters = [friendshipId, version, one, other, active, active ? null : time];
    await this.unitOfWork.executor.query(UPSERT_FRIENDSHIP_IF_NEWER, parameters);
  }

  /** Returns the stored versions of these friendships; one that is not stored is omitted. */
  async findFriendshipVersions(friendshipIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.unitOfWork.manager.find(FriendshipProjectionEntity, {
      select: { friendshipId: true, version: true },
      where: { friendshipId: Any(friendshipIds) },
    });
    return new Map(rows.map(({ friendshipId, version }) => [friendshipId, version]));
  }

  async deleteFriendshipsOfChild(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(FriendshipProjectionEntity, [{ oneCid: cid }, { otherCid: cid }]);
  }
}
