import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import {
  MediaGrantEntity,
  FriendshipProjectionEntity,
} from '@family-watch/domain/family-cloud/entities/share.entities';
import type { MessageEvents } from '@family-watch/domain/messages/contracts/message.events';
import type { FriendEvents } from '@family-watch/domain/families/contracts/friend';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { READABLE_COLUMNS, type ReadableContent } from '../clouds/content-columns.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const UPSERT_FRIENDSHIP_IF_NEWER = `
  INSERT INTO mcdisk.friendship AS stored (friendship_id, version, one_cid, other_cid, active, ended_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (friendship_id) DO UPDATE
    SET version = excluded.version, active = excluded.active,
        ended_at = coalesce(excluded.ended_at, stored.ended_at)
    WHERE stored.version < excluded.version`;

const INSERT_MEDIA_GRANTS = `
  INSERT INTO mcdisk.media_grant
    (content_id, message_id, cloud_id, from_cid, to_cid, to_family_id, granted_at, expires_at)
  SELECT DISTINCT content_id, $2, $3, $4, $5, $6, $7::bigint, $8::bigint FROM unnest($1::uuid[]) AS content_id
  ON CONFLICT DO NOTHING`;

/**
 * Selects a content whose grant is effective. A grant ends when the message expires, the content is deleted, either
 * family is dissolved, or the friendship of the children ends, even if it is renewed later.
 */
const FIND_GRANTED_CONTENT = prepared(`
  SELECT ${READABLE_COLUMNS}
    FROM mcdisk.media_grant g
    JOIN mcdisk.content c ON c.content_id = g.content_id AND c.cloud_id = g.cloud_id AND c.state = 'ACTIVE'
    JOIN mcdisk.family_projection p ON p.family_id = g.cloud_id AND NOT (p.snapshot ->> 'dissolved')::boolean
   WHERE g.content_id = $1 AND g.to_family_id = $2 AND g.to_cid = $3 AND g.expires_at > $4
     AND EXISTS (SELECT FROM mcdisk.friendship f
                  WHERE f.one_cid = least(g.from_cid, g.to_cid) AND f.other_cid = greatest(g.from_cid, g.to_cid)
                    AND f.active AND coalesce(f.ended_at, 0) < g.granted_at)
   LIMIT 1`);

const DELETE_EXPIRED_MEDIA_GRANTS = `
  DELETE FROM mcdisk.media_grant WHERE (content_id, message_id, to_cid) IN (
    SELECT content_id, message_id, to_cid FROM mcdisk.media_grant WHERE expires_at <= $1
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING message_id`;

const FIND_CONTENT_IN_CLOUD = prepared(`SELECT FROM mcdisk.content WHERE content_id = $1 AND cloud_id = $2`);

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
