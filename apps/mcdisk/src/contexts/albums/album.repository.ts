import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AlbumEntity } from '@family-watch/domain/family-cloud/entities/album.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { Visibility } from '../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../clouds/visibility-sql.js';

/** An album as a list shows it to somebody. Times in Unix milliseconds. */
export interface ListedAlbum {
  albumId: string;
  name: string;
  createdAt: number;
  updatedAt: number;
  /** What they may see of it. */
  contentCount: number;
  /** The content that stands for it; `null` when they see none. */
  coverId: string | null;
}

/** Which albums: a page of all, or the one that is named. */
export interface AlbumListing {
  sight: Visibility;
  albumId?: string;
  limit: number;
  offset: number;
}

/** A content of an album that whoever asks may see now. */
const SHOWN = `content.cloud_id = $1 AND content.state = 'ACTIVE' AND ${visibilityCondition('content.cid', 2)}`;

/**
 * The newest first; what somebody chose as cover stands before all others as long as it is seen. Reads as many rows as
 * it shows albums, children and covers, and what is of these albums in the recycle bin.
 */
const LIST = `
  WITH album AS MATERIALIZED (
         SELECT * FROM mcdisk.album
          WHERE cloud_id = $1 AND ${visibilityCondition('cid', 2)} AND ($4::uuid IS NULL OR photo_id = $4)
          ORDER BY updated_at DESC, photo_id LIMIT $5 OFFSET $6),
       recycled AS MATERIALIZED (
         SELECT placed.photo_id, count(*)::int AS count FROM mcdisk.content
          CROSS JOIN LATERAL (SELECT photo_id FROM mcdisk.album_content
                               WHERE content_id = content.content_id OFFSET 0) placed
          WHERE content.cloud_id = $1 AND content.state = 'RECYCLED' AND ${visibilityCondition('content.cid', 2)}
          GROUP BY placed.photo_id)
  SELECT album.photo_id AS "albumId", album.name, album.created_at AS "createdAt", album.updated_at AS "updatedAt",
         seen.count AS "contentCount",
         CASE WHEN seen.count > 0 THEN coalesce(
           (SELECT content.content_id FROM mcdisk.album_content placed JOIN mcdisk.content USING (content_id)
             WHERE placed.photo_id = album.photo_id AND placed.content_id = album.cover_content_id AND ${SHOWN}),
           (SELECT placed.content_id FROM mcdisk.album_content placed
             CROSS JOIN LATERAL (SELECT FROM mcdisk.content WHERE content_id = placed.content_id AND ${SHOWN}
                                 OFFSET 0) content
             WHERE placed.photo_id = album.photo_id AND ${visibilityCondition('placed.cid', 2)}
             ORDER BY placed.taken_at DESC, placed.content_id LIMIT 1)) END AS "coverId"
    FROM album LEFT JOIN recycled USING (photo_id)
   CROSS JOIN LATERAL (
     SELECT (coalesce(sum(placed), 0) - coalesce(recycled.count, 0))::int AS count FROM mcdisk.album_count counted
      WHERE counted.photo_id = album.photo_id AND ${visibilityCondition('counted.cid', 2)}) seen
   ORDER BY album.updated_at DESC, album.photo_id`;

/** Albums. In a unit of work they are locked after contents and before the cloud's row. */
@Injectable()
export class AlbumRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Inserts it unless the cloud has `limit` albums; the cloud's row is locked, so that two cannot both be the last.
   * @returns false at the limit
   */
  async insertWithinLimit(limit: number, album: AlbumEntity): Promise<boolean> {
    const { executor, manager } = this.unitOfWork;
    await executor.query('SELECT FROM mcdisk.family_cloud WHERE cloud_id = $1 FOR NO KEY UPDATE', [album.cloudId]);
    const count = await manager.countBy(AlbumEntity, { cloudId: album.cloudId });
    if (count >= limit) return false;
    await manager.insert(AlbumEntity, album);
    return true;
  }

  find(cloudId: string, albumId: string): Promise<AlbumEntity | null> {
    return this.unitOfWork.manager.findOneBy(AlbumEntity, { cloudId, albumId: albumId });
  }

  /** Nobody else changes the album or what is in it until the unit of work ends. */
  lock(cloudId: string, albumId: string): Promise<AlbumEntity | null> {
    return this.unitOfWork.manager.findOne(AlbumEntity, {
      where: { cloudId, albumId: albumId },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Those of the cloud among the ids, locked in the order of their ids. */
  lockMany(cloudId: string, albumIds: readonly string[]): Promise<AlbumEntity[]> {
    return this.unitOfWork.manager.find(AlbumEntity, {
      where: { cloudId, albumId: In([...albumIds]) },
      order: { albumId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async update(
    { cloudId, albumId }: AlbumEntity,
    changes: Partial<Pick<AlbumEntity, 'name' | 'coverContentId' | 'updatedAt'>>,
  ): Promise<void> {
    await this.unitOfWork.manager.update(AlbumEntity, { cloudId, albumId }, changes);
  }

  /** What is in them leaves them, and stays where it is kept. */
  async deleteMany(cloudId: string, albumIds: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.delete(AlbumEntity, { cloudId, albumId: In([...albumIds]) });
  }

  /** Those that the watch of a child made. */
  async deleteByChild(cloudId: string, cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(AlbumEntity, { cloudId, cid });
  }

  list(cloudId: string, { sight, albumId, limit, offset }: AlbumListing): Promise<ListedAlbum[]> {
    return this.unitOfWork.prepared.query<ListedAlbum>(LIST, [
      cloudId,
      ...visibilityParameters(sight),
      albumId ?? null,
      limit,
      offset,
    ]);
  }

  async count(cloudId: string, sight: Visibility): Promise<number> {
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM mcdisk.album WHERE cloud_id = $1 AND ${visibilityCondition('cid', 2)}`,
      [cloudId, ...visibilityParameters(sight)],
    );
    return row?.count ?? 0;
  }
}
