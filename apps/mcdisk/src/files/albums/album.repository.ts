import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import {
  AlbumEntity,
  AlbumContentEntity,
  ContentEntity,
} from '@family-watch/domain/family-cloud/entities/content.entities';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import type { Visibility, CloudActor } from '../../clouds/cloud-actor.js';
import { visibilityParameters, visibilityCondition } from '../../clouds/visibility-condition.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** SQL condition: the content is active and visible to the member. */
const VISIBLE_SQL = `content.cloud_id = $1 AND content.state = 'ACTIVE' AND ${visibilityCondition('content.cid', 2)}`;

/**
 * Lists albums, most recently changed first. The cover that a member chose is used while it is visible to the reader;
 * otherwise the newest visible content is the cover. The number of rows read depends on the numbers of albums, covers,
 * children and recycled contents, and not on the number of contents in the albums.
 */
const LIST_ALBUMS = prepared(`
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
   ORDER BY album.updated_at DESC, album.photo_id`);

const COUNT_VISIBLE_ALBUMS = prepared(`
  SELECT count(*)::int AS count FROM mcdisk.album WHERE cloud_id = $1 AND ${visibilityCondition('cid', 2)}`);

const VISIBLE_IN_ALBUM_SQL = `
    FROM mcdisk.album_content entry JOIN mcdisk.content content USING (content_id)
   WHERE entry.photo_id = $1 AND entry.cloud_id = $2 AND content.cloud_id = $2 AND content.state = 'ACTIVE'
     AND ${visibilityCondition('content.cid', 3)}`;

const FIND_VISIBLE_ALBUM_CONTENT = prepared(`SELECT ${VISIBLE_IN_ALBUM_SQL} AND content_id = $5`);

const LIST_VISIBLE_ALBUM_CONTENTS = prepared(`
  SELECT content.content_id AS "contentId" ${VISIBLE_IN_ALBUM_SQL}
   ORDER BY entry.taken_at DESC, entry.content_id LIMIT $5 OFFSET $6`);

const COUNT_VISIBLE_ALBUM_CONTENTS = prepared(`SELECT count(*)::int AS count ${VISIBLE_IN_ALBUM_SQL}`);

const INSERT_ALBUM_CONTENTS = `
  INSERT INTO mcdisk.album_content (photo_id, content_id, cloud_id, cid, taken_at, added_at)
  SELECT $1, content_id, cloud_id, cid, coalesce(shot_at, created_at), $4 FROM mcdisk.content
   WHERE cloud_id = $2 AND content_id = ANY($3::uuid[]) ORDER BY content_id`;

/** An album as a member sees it in a list. */
export interface ListedAlbum extends Pick<AlbumEntity, 'albumId' | 'name' | 'createdAt' | 'updatedAt'> {
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

/** The columns of a content that decide whether it can be added to or removed from an album. */
export type AlbumCandidate = Pick<ContentEntity, 'contentId' | 'cid' | 'state'>;

/** Stores albums. A transaction must lock albums after contents and before the cloud's row. */
@Injectable()
export class AlbumRepository {
  constructor(
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly clouds: CloudRepository,
  ) {}

  /** Inserts the album unless the cloud has `limit` albums. Returns false when the limit is reached. */
  insertWithinLimit(limit: number, album: AlbumEntity): Promise<boolean> {
    return this.clouds.insertWithinLimit(AlbumEntity, album, { limit, countedRows: { cloudId: album.cloudId } });
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
      where: { cloudId, albumId: Any(albumIds) },
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
    await this.unitOfWork.manager.delete(AlbumEntity, { cloudId, albumId: Any(albumIds) });
  }

  /** Deletes the albums that a child's watch created. */
  async deleteByChild(cloudId: string, cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(AlbumEntity, { cloudId, cid });
  }

  list(cloudId: string, { visibility, albumId, limit, offset }: AlbumSelection): Promise<ListedAlbum[]> {
    return this.unitOfWork.executor.query<ListedAlbum>(LIST_ALBUMS, [
      cloudId,
      ...visibilityParameters(visibility),
      albumId ?? null,
      limit,
      offset,
    ]);
  }

  async count(cloudId: string, visibility: Visibility): Promise<number> {
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(COUNT_VISIBLE_ALBUMS, [
      cloudId,
      ...visibilityParameters(visibility),
    ]);
    return row?.count ?? 0;
  }

  /** Finds contents of the cloud by id and locks them for share, so that their state cannot change until commit. */
  lockContentsForShare(cloudId: string, contentIds: readonly string[]): Promise<AlbumCandidate[]> {
    return this.unitOfWork.manager.find(ContentEntity, {
      select: { contentId: true, cid: true, state: true },
      where: { cloudId, contentId: Any(contentIds) },
      order: { contentId: 'ASC' },
      lock: { mode: 'pessimistic_read' },
    });
  }

  findContents(cloudId: string, contentIds: readonly string[]): Promise<AlbumCandidate[]> {
    return this.unitOfWork.manager.find(ContentEntity, {
      select: { contentId: true, cid: true, state: true },
      where: { cloudId, contentId: Any(contentIds) },
    });
  }

  /** Returns which of these contents, in any state, are in the album. */
  async findIdsInAlbum(cloudId: string, albumId: string, contentIds: readonly string[]): Promise<Set<string>> {
    const entries = await this.unitOfWork.manager.find(AlbumContentEntity, {
      select: { contentId: true },
      where: { albumId, cloudId, contentId: Any(contentIds) },
    });
    return new Set(entries.map(({ contentId }) => contentId));
  }

  /** Returns whether the content is active, in the album and visible to the actor. */
  async isInAlbum({ cloudId, visibility }: CloudActor, albumId: string, contentId: string): Promise<boolean> {
    const parameters = [albumId, cloudId, ...visibilityParameters(visibility), contentId];
    const rows = await this.unitOfWork.executor.query(FIND_VISIBLE_ALBUM_CONTENT, parameters);
    return rows.length > 0;
  }

  /** Counts the contents of the album, including those in the recycle bin. */
  countAllContents(cloudId: string, albumId: string): Promise<number> {
    return this.unitOfWork.manager.countBy(AlbumContentEntity, { cloudId, albumId });
  }

  /**
   * Adds contents to an album. Must be called in the transaction that locked the album and, for share, the contents.
   */
  async addContents(cloudId: string, albumId: string, contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.executor.query(INSERT_ALBUM_CONTENTS, [albumId, cloudId, contentIds, now]);
  }

  /** Removes contents from an album. Must be called in the transaction that locked the album. */
  async removeContents(cloudId: string, albumId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.delete(AlbumContentEntity, { albumId, cloudId, contentId: Any(contentIds) });
  }

  /** Removes purged contents from every album and clears the covers that refer to them. */
  async removePurged(cloudId: string, contentIds: readonly string[]): Promise<void> {
    const { manager } = this.unitOfWork;
    await manager.update(AlbumEntity, { cloudId, coverContentId: Any(contentIds) }, { coverContentId: null });
    await manager.delete(AlbumContentEntity, { cloudId, contentId: Any(contentIds) });
  }

  /** Returns the ids of all visible contents of an album; an album has a limited number of contents. */
  async listContentIds(cloudId: string, albumId: string, visibility: Visibility): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ contentId: string }>(LIST_VISIBLE_ALBUM_CONTENTS, [
      albumId,
      cloudId,
      ...visibilityParameters(visibility),
      null,
      0,
    ]);
    return rows.map(({ contentId }) => contentId);
  }

  /** Lists a page of the album's visible, active contents, ordered by capture time, newest first. */
  async listContents(
    { cloudId, albumId }: AlbumEntity,
    visibility: Visibility,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ContentEntity[]> {
    const rows = await this.unitOfWork.executor.query<{ contentId: string }>(LIST_VISIBLE_ALBUM_CONTENTS, [
      albumId,
      cloudId,
      ...visibilityParameters(visibility),
      limit,
      offset,
    ]);
    return this.findActiveInOrder(
      cloudId,
      rows.map(({ contentId }) => contentId),
    );
  }

  async countContents({ cloudId, albumId }: AlbumEntity, visibility: Visibility): Promise<number> {
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(COUNT_VISIBLE_ALBUM_CONTENTS, [
      albumId,
      cloudId,
      ...visibilityParameters(visibility),
    ]);
    return row?.count ?? 0;
  }

  /** Returns the active contents in the order of `contentIds`. */
  async findActiveInOrder(cloudId: string, contentIds: readonly string[]): Promise<ContentEntity[]> {
    if (contentIds.length === 0) return [];
    const found = await this.unitOfWork.manager.findBy(ContentEntity, {
      cloudId,
      contentId: Any(contentIds),
      state: CONTENT_STATE.ACTIVE,
    });
    const byId = new Map(found.map((content) => [content.contentId, content]));
    return contentIds.flatMap((id) => byId.get(id) ?? []);
  }
}
