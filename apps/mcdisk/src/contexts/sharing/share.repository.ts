import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { Visibility } from '../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../clouds/visibility-sql.js';
import type { Share } from './share.js';

const COLUMNS = `authorization_id AS "shareId", cloud_id AS "cloudId", grantee, created_by AS "createdBy",
  catalog_id AS "folderId", photo_id AS "albumId", created_at AS "createdAt", expires_at AS "expiresAt"`;

/** Shares of the families' clouds. Locked after contents, folders and albums, and before the cloud's row. */
@Injectable()
export class ShareRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Which of these are active and seen; they stay so until the unit of work ends. */
  async lockContents(cloudId: string, contentIds: readonly string[], sight: Visibility): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ contentId: string }>(
      `SELECT content_id AS "contentId" FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) AND state = 'ACTIVE' AND ${visibilityCondition('cid', 3)}
        ORDER BY content_id FOR SHARE`,
      [cloudId, contentIds, ...visibilityParameters(sight)],
    );
    return rows.map(({ contentId }) => contentId);
  }

  /** Is there such a folder? It stays until the unit of work ends. */
  async lockFolder(cloudId: string, folderId: string): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `SELECT FROM mcdisk.catalog WHERE cloud_id = $1 AND catalog_id = $2 AND state = 'ACTIVE' FOR SHARE`,
      [cloudId, folderId],
    );
    return rows.length > 0;
  }

  /** Is there such an album, and is it seen? It stays until the unit of work ends. */
  async lockAlbum(cloudId: string, albumId: string, sight: Visibility): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `SELECT FROM mcdisk.album WHERE cloud_id = $1 AND photo_id = $2 AND ${visibilityCondition('cid', 3)} FOR SHARE`,
      [cloudId, albumId, ...visibilityParameters(sight)],
    );
    return rows.length > 0;
  }

  /**
   * Inserts it unless the cloud has `limit` shares that are not over; the cloud's row is locked, so that two cannot
   * both be the last.
   * @returns false at the limit
   */
  async insertWithinLimit(limit: number, share: Share, contentIds: readonly string[]): Promise<boolean> {
    const { executor } = this.unitOfWork;
    const { shareId, cloudId, grantee, createdBy, folderId, albumId, createdAt, expiresAt } = share;
    await executor.query('SELECT FROM mcdisk.family_cloud WHERE cloud_id = $1 FOR NO KEY UPDATE', [cloudId]);
    const [open] = await executor.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM mcdisk.share
        WHERE cloud_id = $1 AND (expires_at IS NULL OR expires_at > $2)`,
      [cloudId, createdAt],
    );
    if ((open?.count ?? 0) >= limit) return false;
    await executor.query(
      `INSERT INTO mcdisk.share
         (authorization_id, cloud_id, grantee, created_by, catalog_id, photo_id, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [shareId, cloudId, grantee, createdBy, folderId, albumId, createdAt, expiresAt],
    );
    await executor.query(
      `INSERT INTO mcdisk.share_content (authorization_id, content_id)
       SELECT $1, content_id FROM unnest($2::uuid[]) AS content_id`,
      [shareId, contentIds],
    );
    return true;
  }

  /** Those that are not over, the newest first. @param grantee `null`: with anybody */
  findOpen(cloudId: string, grantee: PrincipalKey | null, now: number): Promise<Share[]> {
    return this.unitOfWork.prepared.query<Share>(
      `SELECT ${COLUMNS} FROM mcdisk.share
        WHERE cloud_id = $1 AND ($2::text IS NULL OR grantee = $2) AND (expires_at IS NULL OR expires_at > $3)
        ORDER BY created_at DESC, authorization_id`,
      [cloudId, grantee, now],
    );
  }

  /** Returns false when there is no such share. */
  async delete(cloudId: string, shareId: string): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      'DELETE FROM mcdisk.share WHERE cloud_id = $1 AND authorization_id = $2 RETURNING authorization_id',
      [cloudId, shareId],
    );
    return rows.length > 0;
  }

  /**
   * Those with, or by, somebody who is not among the members.
   * @param version of the family that says so; when a newer one is known, nothing is done
   */
  async deleteByFormerMembers(cloudId: string, version: number, members: readonly PrincipalKey[]): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.share
        WHERE cloud_id = $1 AND (grantee <> ALL($2::text[]) OR created_by <> ALL($2::text[]))
          AND NOT EXISTS (SELECT FROM mcdisk.family_projection WHERE family_id = $1 AND version > $3)`,
      [cloudId, members, version],
    );
  }

  /** Those that were made while the news was under way that one of the two had left: they show nothing, and go. */
  async deleteOrphaned(): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.share USING mcdisk.family_projection p
        WHERE p.family_id = share.cloud_id AND NOT (p.snapshot ->> 'dissolved')::boolean
          AND NOT (p.principals @> ARRAY[share.grantee, share.created_by])`,
    );
  }

  /** They are gone for good: they are shared no more, and shares of nothing else end. */
  async removeContents(cloudId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM mcdisk.share_content WHERE content_id = ANY($1::uuid[])', [
      contentIds,
    ]);
    await this.deleteEmpty(cloudId);
  }

  /** The same for whatever a child's watch added. */
  async removeChildContents(cloudId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.share_content named USING mcdisk.share, mcdisk.content
        WHERE share.authorization_id = named.authorization_id AND share.cloud_id = $1
          AND content.content_id = named.content_id AND content.cid = $2`,
      [cloudId, cid],
    );
    await this.deleteEmpty(cloudId);
  }

  /** Removes up to `limit` that are over; returns how many. */
  async deleteExpired(now: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.share WHERE authorization_id IN (
         SELECT authorization_id FROM mcdisk.share WHERE expires_at <= $1
          ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING authorization_id`,
      [now, limit],
    );
    return rows.length;
  }

  private async deleteEmpty(cloudId: string): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.share
        WHERE cloud_id = $1 AND catalog_id IS NULL AND photo_id IS NULL
          AND NOT EXISTS (SELECT FROM mcdisk.share_content named
                           WHERE named.authorization_id = share.authorization_id)`,
      [cloudId],
    );
  }
}
