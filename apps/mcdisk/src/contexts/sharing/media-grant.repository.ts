import { Injectable } from '@nestjs/common';
import type { MessageEvents } from '@family-watch/domain/messages/contracts/message.events';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { SharedContent } from './shared-content.js';
import { SHARED_COLUMNS } from './shared-content.js';

/** The child that a request acts for. */
export interface GranteeChild {
  familyId: string;
  cid: string;
}

/**
 * Selects a content whose grant is effective. A grant ends when the message expires, the content is deleted, either
 * family is dissolved, or the friendship of the children ends, even if it is renewed later.
 */
const GRANTED_CONTENT_SQL = `
  SELECT ${SHARED_COLUMNS}
    FROM mcdisk.media_grant g
    JOIN mcdisk.content c ON c.content_id = g.content_id AND c.cloud_id = g.cloud_id AND c.state = 'ACTIVE'
    JOIN mcdisk.family_projection p ON p.family_id = g.cloud_id AND NOT (p.snapshot ->> 'dissolved')::boolean
   WHERE g.content_id = $1 AND g.to_family_id = $2 AND g.to_cid = $3 AND g.expires_at > $4
     AND EXISTS (SELECT FROM mcdisk.friendship f
                  WHERE f.one_cid = least(g.from_cid, g.to_cid) AND f.other_cid = greatest(g.from_cid, g.to_cid)
                    AND f.active AND coalesce(f.ended_at, 0) < g.granted_at)
   LIMIT 1`;

/** Stores grants for media in messages between children who are friends. */
@Injectable()
export class MediaGrantRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** @param grantedAt Unix milliseconds at which the message was sent */
  async insert(grant: MessageEvents['gateway.media.granted'], grantedAt: number): Promise<void> {
    const { messageId, familyId, contentIDs, fromCid, toCid, toFamilyId, expiresAt } = grant;
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.media_grant
         (content_id, message_id, cloud_id, from_cid, to_cid, to_family_id, granted_at, expires_at)
       SELECT DISTINCT content_id, $2, $3, $4, $5, $6, $7::bigint, $8::bigint FROM unnest($1::uuid[]) AS content_id
       ON CONFLICT DO NOTHING`,
      [contentIDs, messageId, familyId, fromCid, toCid, toFamilyId, grantedAt, expiresAt],
    );
  }

  /**
   * Returns a content that is granted to this child.
   * @param now Unix milliseconds
   */
  async findGrantedContent(
    contentId: string,
    { familyId, cid }: GranteeChild,
    now: number,
  ): Promise<SharedContent | undefined> {
    const [content] = await this.unitOfWork.prepared.query<SharedContent>(GRANTED_CONTENT_SQL, [
      contentId,
      familyId,
      cid,
      now,
    ]);
    return content;
  }

  /** Deletes the grants of a recalled message. */
  async deleteByMessage(messageId: string, cloudId: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM mcdisk.media_grant WHERE message_id = $1 AND cloud_id = $2', [
      messageId,
      cloudId,
    ]);
  }

  async deleteByChild(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM mcdisk.media_grant WHERE from_cid = $1 OR to_cid = $1', [cid]);
  }

  async deleteByContents(cloudId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(
      'DELETE FROM mcdisk.media_grant WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])',
      [cloudId, contentIds],
    );
  }

  /**
   * Deletes up to `limit` grants of expired messages and returns their number.
   * @param now Unix milliseconds
   */
  async deleteExpired(now: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.media_grant WHERE (content_id, message_id, to_cid) IN (
         SELECT content_id, message_id, to_cid FROM mcdisk.media_grant WHERE expires_at <= $1
          ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING message_id`,
      [now, limit],
    );
    return rows.length;
  }

  /** Returns whether this cloud has the content, whatever its state. */
  async existsInCloud(cloudId: string, contentId: string): Promise<boolean> {
    const rows = await this.unitOfWork.prepared.query(
      'SELECT FROM mcdisk.content WHERE content_id = $1 AND cloud_id = $2',
      [contentId, cloudId],
    );
    return rows.length > 0;
  }
}
