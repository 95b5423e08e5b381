import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { Visibility } from '../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../clouds/visibility-sql.js';
import type { Share } from './share.js';

const SHARE_COLUMNS = `authorization_id AS "shareId", cloud_id AS "cloudId", grantee, created_by AS "createdBy",
  catalog_id AS "folderId", photo_id AS "albumId", created_at AS "createdAt", expires_at AS "expiresAt"`;

/** Stores shares. A transaction must lock shares after contents, folders and albums, and before the cloud's row. */
@Injectable()
export class ShareRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns which of the contents are active and visible, locked for share until the transaction ends. */
  async lockContents(cloudId: string, contentIds: readonly string[], visibility: Visibility): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ contentId: string }>(
      `SELECT content_id AS "contentId" FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) AND state = 'ACTIVE' AND ${visibilityCondition('cid', 3)}
        ORDER BY content_id FOR SHARE`,
      [cloudId, contentIds, ...visibilityParameters(visibility)],
    );
    return rows.map(({ contentId }) => contentId);
  }

  /** Returns whether the folder is active, and locks it for share until the transaction ends. */
  async lockFolder(cloudId: string, folderId: string): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `SELECT FROM mcdisk.catalog WHERE cloud_id = $1 AND catalog_id = $2 AND state = 'ACTIVE' FOR SHARE`,
      [cloudId, folderId],
    );
    return rows.length > 0;
  }

  /** Returns whether the album exists and is visible, and locks it for share until the transaction ends. */
  async lockAlbum(cloudId: string, albumId: string, visibility: Visibility): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `SELECT FROM mcdisk.album WHERE cloud_id = $1 AND photo_id = $2 AND ${visibilityCondition('cid', 3)} FOR SHARE`,
      [cloudId, albumId, ...visibilityParameters(visibility)],
    );
    return rows.length > 0;
  }

  /**
   * Inserts a share unless the cloud has `limit` unexpired shares. Locks the cloud's row, so that concurrent calls
   * cannot exceed the limit.
   * @returns false when the limit is reached
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

  /**
   * Returns the unexpired shares, newest first.
   * @param grantee `null` for all grantees
   */
  findUnexpired(cloudId: string, grantee: PrincipalKey | null, now: number): Promise<Share[]> {
    return this.unitOfWork.prepared.query<Share>(
      `SELECT ${SHARE_COLUMNS} FROM mcdisk.share
        WHERE cloud_id = $1 AND ($2::text IS NULL OR grantee = $2) AND (expires_at IS NULL OR expires_at > $3)
        ORDER BY created_at DESC, authorization_id`,
      [cloudId, grantee, now],
    );
  }

  /** Returns false when the share does not exist. */
  async delete(cloudId: string, shareId: string): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      'DELETE FROM mcdisk.share WHERE cloud_id = $1 AND authorization_id = $2 RETURNING authorization_id',
      [cloudId, shareId],
    );
    return rows.length > 0;
  }

  /**
   * Deletes shares whose grantee or creator is not among the members.
   * @param version version of the family with these members; nothing is deleted when a newer version is stored
   */
  async deleteByFormerMembers(cloudId: string, version: number, members: readonly PrincipalKey[]): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.share
        WHERE cloud_id = $1 AND (grantee <> ALL($2::text[]) OR created_by <> ALL($2::text[]))
          AND NOT EXISTS (SELECT FROM mcdisk.family_projection WHERE family_id = $1 AND version > $3)`,
      [cloudId, members, version],
    );
  }

  /**
   * Deletes shares that were created after their grantee or creator had left the family, before the family's event was
   * received; these shares show no contents.
   */
  async deleteOrphaned(): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.share USING mcdisk.family_projection p
        WHERE p.family_id = share.cloud_id AND NOT (p.snapshot ->> 'dissolved')::boolean
          AND NOT (p.principals @> ARRAY[share.grantee, share.created_by])`,
    );
  }

  /** Removes purged contents from shares; deletes shares that become empty. */
  async removeContents(cloudId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM mcdisk.share_content WHERE content_id = ANY($1::uuid[])', [
      contentIds,
    ]);
    await this.deleteEmpty(cloudId);
  }

  /** Removes from shares all contents that a child's watch added; deletes shares that become empty. */
  async removeChildContents(cloudId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.share_content named USING mcdisk.share, mcdisk.content
        WHERE share.authorization_id = named.authorization_id AND share.cloud_id = $1
          AND content.content_id = named.content_id AND content.cid = $2`,
      [cloudId, cid],
    );
    await this.deleteEmpty(cloudId);
  }

  /** Deletes up to `limit` expired shares and returns their number. */
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
