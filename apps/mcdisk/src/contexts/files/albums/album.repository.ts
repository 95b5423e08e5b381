import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import {
  AlbumEntity,
  AlbumContentEntity,
  ContentEntity,
} from '@family-watch/domain/family-cloud/entities/content.entities';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import type { Visibility, CloudActor } from '../../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../../clouds/clouds.sql.js';

/** An album as a member sees it in a list. Times in Unix milliseconds. */
export interface ListedAlbum {
  albumId: string;
  name: string;
  createdAt: number;
  updatedAt: number;
  /** Number of contents that are visible to the member. */
  contentCount: number;
  /** Id of the cover content, or `null` when no content of the album is visible to the member. */
  coverId: string | null;
}

/** Selects a page of all albums, or one album by id. */
export interface AlbumSelection {
  visibility: Visibility;
  albumId?: string;
  limit: number;
  offset: number;
}

/** SQL condition: the content is active and visible to the member. */
const VISIBLE_SQL = `content.cloud_id = $1 AND content.state = 'ACTIVE' AND ${visibilityCondition('content.cid', 2)}`;

/**
 * Lists albums, most recently changed first. The cover that a member chose is used while it is visible to the reader;
 * otherwise the newest visible content is the cover. The number of rows read depends on the numbers of albums, covers,
 * children and recycled contents, and not on the number of contents in the albums.
 */
const LIST_SQL = `
  WITH album AS MATERIALIZED (
         SELECT * FROM mcdisk.album
          WHERE cloud_id = $1 AND ${visibilityCondition('cid', 2)} AND ($4::uuid IS NULL OR photo_id = $4)
          ORDER BY updated_at DESC, photo_id LIMIT $5 OFFSET $6),
       recycled AS MATERIALIZED (
         SELECT entry.photo_id, count(*)::int AS count FROM mcdisk.content
          CROSS JOIN LATERAL (SELECT photo_id FROM mcdisk.album_content
                               WHERE content_id = content.content_id OFFSET 0) entry
          WHERE content.cloud_id = $1 AND content.state = 'RECYCLED' AND ${visibilityCondition('content.cid', 2)}
          GROUP BY entry.photo_id)
  SELECT album.photo_id AS "albumId", album.name, album.created_at AS "createdAt", album.updated_at AS "updatedAt",
         visible.count AS "contentCount",
         CASE WHEN visible.count > 0 THEN coalesce(
           (SELECT content.content_id FROM mcdisk.album_content entry JOIN mcdisk.content USING (content_id)
             WHERE entry.photo_id = album.photo_id AND entry.content_id = album.cover_content_id AND ${VISIBLE_SQL}),
           (SELECT entry.content_id FROM mcdisk.album_content entry
             CROSS JOIN LATERAL (SELECT FROM mcdisk.content WHERE content_id = entry.content_id AND ${VISIBLE_SQL}
                                 OFFSET 0) content
             WHERE entry.photo_id = album.photo_id AND ${visibilityCondition('entry.cid', 2)}
             ORDER BY entry.taken_at DESC, entry.content_id LIMIT 1)) END AS "coverId"
    FROM album LEFT JOIN recycled USING (photo_id)
   CROSS JOIN LATERAL (
     SELECT (coalesce(sum(placed), 0) - coalesce(recycled.count, 0))::int AS count FROM mcdisk.album_count counted
      WHERE counted.photo_id = album.photo_id AND ${visibilityCondition('counted.cid', 2)}) visible
   ORDER BY album.updated_at DESC, album.photo_id`;

/** Stores albums. A transaction must lock albums after contents and before the cloud's row. */
@Injectable()
export class AlbumRepository {
  constructor(
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly clouds: CloudRepository,
  ) {}

  /**
   * Inserts the album unless the cloud has `limit` albums. Locks the cloud's row, so that concurrent inserts cannot
   * exceed the limit.
   * @returns false when the limit is reached
   */
  async insertWithinLimit(limit: number, album: AlbumEntity): Promise<boolean> {
    const { manager } = this.unitOfWork;
    await this.clouds.lock(album.cloudId);
    const count = await manager.countBy(AlbumEntity, { cloudId: album.cloudId });
    if (count >= limit) return false;
    await manager.insert(AlbumEntity, album);
    return true;
  }

  find(cloudId: string, albumId: string): Promise<AlbumEntity | null> {
    return this.unitOfWork.manager.findOneBy(AlbumEntity, { cloudId, albumId });
  }

  /** Locks the album: until commit no other transaction can change it or its contents. */
  lock(cloudId: string, albumId: string): Promise<AlbumEntity | null> {
    return this.unitOfWork.manager.findOne(AlbumEntity, {
      where: { cloudId, albumId },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Locks the albums of the cloud with these ids, in id order. */
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

  /** Deletes albums; their contents stay in the cloud. */
  async deleteMany(cloudId: string, albumIds: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.delete(AlbumEntity, { cloudId, albumId: In([...albumIds]) });
  }

  /** Deletes the albums that a child's watch created. */
  async deleteByChild(cloudId: string, cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(AlbumEntity, { cloudId, cid });
  }

  list(cloudId: string, { visibility, albumId, limit, offset }: AlbumSelection): Promise<ListedAlbum[]> {
    return this.unitOfWork.prepared.query<ListedAlbum>(LIST_SQL, [
      cloudId,
      ...visibilityParameters(visibility),
      albumId ?? null,
      limit,
      offset,
    ]);
  }

  async count(cloudId: string, visibility: Visibility): Promise<number> {
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM mcdisk.album WHERE cloud_id = $1 AND ${visibilityCondition('cid', 2)}`,
      [cloudId, ...visibilityParameters(visibility)],
    );
    return row?.count ?? 0;
  }

  /** Finds contents of the cloud by id and locks them for share, so that their state cannot change until commit. */
  lockContentsForShare(cloudId: string, contentIds: readonly string[]): Promise<AlbumCandidate[]> {
    return this.unitOfWork.prepared.query<AlbumCandidate>(
      `SELECT content_id AS "contentId", cid, state FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) ORDER BY content_id FOR SHARE`,
      [cloudId, contentIds],
    );
  }

  findContents(cloudId: string, contentIds: readonly string[]): Promise<AlbumCandidate[]> {
    return this.unitOfWork.prepared.query<AlbumCandidate>(
      `SELECT content_id AS "contentId", cid, state FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])`,
      [cloudId, contentIds],
    );
  }

  /** Returns which of these contents, in any state, are in the album. */
  async findIdsInAlbum(cloudId: string, albumId: string, contentIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(
      `SELECT content_id AS "contentId" FROM mcdisk.album_content
        WHERE photo_id = $1 AND cloud_id = $2 AND content_id = ANY($3::uuid[])`,
      [albumId, cloudId, contentIds],
    );
    return new Set(rows.map(({ contentId }) => contentId));
  }

  /** Returns which of these contents are active, in the album and visible to the actor. */
  async findInAlbum(
    { cloudId, visibility }: Pick<CloudActor, 'cloudId' | 'visibility'>,
    albumId: string,
    contentIds: readonly string[],
  ): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(
      `SELECT content_id AS "contentId" ${VISIBLE_IN_ALBUM_SQL} AND content_id = ANY($5::uuid[])`,
      [albumId, cloudId, ...visibilityParameters(visibility), contentIds],
    );
    return rows.map(({ contentId }) => contentId);
  }

  /** Counts the contents of the album, including those in the recycle bin. */
  countAllContents(cloudId: string, albumId: string): Promise<number> {
    return this.unitOfWork.manager.countBy(AlbumContentEntity, { cloudId, albumId });
  }

  /**
   * Adds contents to an album. Must be called in the transaction that locked the album and, for share, the contents.
   */
  async addContents(cloudId: string, albumId: string, contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `INSERT INTO mcdisk.album_content (photo_id, content_id, cloud_id, cid, taken_at, added_at)
       SELECT $1, content_id, cloud_id, cid, coalesce(shot_at, created_at), $4 FROM mcdisk.content
        WHERE cloud_id = $2 AND content_id = ANY($3::uuid[]) ORDER BY content_id`,
      [albumId, cloudId, contentIds, now],
    );
  }

  /** Removes contents from an album. Must be called in the transaction that locked the album. */
  async removeContents(cloudId: string, albumId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.prepared.query(
      `DELETE FROM mcdisk.album_content WHERE photo_id = $1 AND cloud_id = $2 AND content_id = ANY($3::uuid[])`,
      [albumId, cloudId, contentIds],
    );
  }

  /** Removes purged contents from every album and clears the covers that refer to them. */
  async removePurged(cloudId: string, contentIds: readonly string[]): Promise<void> {
    const parameters = [cloudId, contentIds];
    await this.unitOfWork.executor.query(
      `UPDATE mcdisk.album SET cover_content_id = NULL
        WHERE cloud_id = $1 AND cover_content_id = ANY($2::uuid[])`,
      parameters,
    );
    await this.unitOfWork.executor.query(
      `DELETE FROM mcdisk.album_content WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])`,
      parameters,
    );
  }

  /** Lists a page of the album's visible, active contents, ordered by capture time, newest first. */
  async listContents(
    { cloudId, albumId }: { cloudId: string; albumId: string },
    visibility: Visibility,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ContentEntity[]> {
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(
      `SELECT content.content_id AS "contentId" ${VISIBLE_IN_ALBUM_SQL}
        ORDER BY entry.taken_at DESC, entry.content_id LIMIT $5 OFFSET $6`,
      [albumId, cloudId, ...visibilityParameters(visibility), limit, offset],
    );
    return this.findActiveInOrder(
      cloudId,
      rows.map(({ contentId }) => contentId),
    );
  }

  async countContents(cloudId: string, albumId: string, visibility: Visibility): Promise<number> {
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(
      `SELECT count(*)::int AS count ${VISIBLE_IN_ALBUM_SQL}`,
      [albumId, cloudId, ...visibilityParameters(visibility)],
    );
    return row?.count ?? 0;
  }

  /** Returns the active contents in the order of `contentIds`. */
  async findActiveInOrder(cloudId: string, contentIds: readonly string[]): Promise<ContentEntity[]> {
    if (contentIds.length === 0) return [];
    const found = await this.unitOfWork.manager
      .createQueryBuilder(ContentEntity, 'content')
      .where({ cloudId, state: CONTENT_STATE.ACTIVE })
      .andWhere('content.contentId = ANY(:ids)', { ids: [...contentIds] })
      .getMany();
    const byId = new Map(found.map((content) => [content.contentId, content]));
    return contentIds.flatMap((id) => byId.get(id) ?? []);
  }
}

/** The columns of a content that decide whether it can be added to or removed from an album. */
export interface AlbumCandidate {
  contentId: string;
  cid: string | null;
  state: ContentState;
}

const VISIBLE_IN_ALBUM_SQL = `
    FROM mcdisk.album_content entry JOIN mcdisk.content content USING (content_id)
   WHERE entry.photo_id = $1 AND entry.cloud_id = $2 AND content.cloud_id = $2 AND content.state = 'ACTIVE'
     AND ${visibilityCondition('content.cid', 3)}`;
