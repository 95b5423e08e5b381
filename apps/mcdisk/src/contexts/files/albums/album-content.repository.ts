import { Injectable } from '@nestjs/common';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { AlbumContentEntity, ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import type { CloudActor, Visibility } from '../../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../../clouds/clouds.sql.js';

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

/** Stores which contents are in which album. */
@Injectable()
export class AlbumContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Finds contents of the cloud by id and locks them for share, so that their state cannot change until commit. */
  lockForShare(cloudId: string, contentIds: readonly string[]): Promise<AlbumCandidate[]> {
    return this.unitOfWork.prepared.query<AlbumCandidate>(
      `SELECT content_id AS "contentId", cid, state FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) ORDER BY content_id FOR SHARE`,
      [cloudId, contentIds],
    );
  }

  find(cloudId: string, contentIds: readonly string[]): Promise<AlbumCandidate[]> {
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
  countAll(cloudId: string, albumId: string): Promise<number> {
    return this.unitOfWork.manager.countBy(AlbumContentEntity, { cloudId, albumId });
  }

  /**
   * Adds contents to an album. Must be called in the transaction that locked the album and, for share, the contents.
   */
  async add(cloudId: string, albumId: string, contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `INSERT INTO mcdisk.album_content (photo_id, content_id, cloud_id, cid, taken_at, added_at)
       SELECT $1, content_id, cloud_id, cid, coalesce(shot_at, created_at), $4 FROM mcdisk.content
        WHERE cloud_id = $2 AND content_id = ANY($3::uuid[]) ORDER BY content_id`,
      [albumId, cloudId, contentIds, now],
    );
  }

  /** Removes contents from an album. Must be called in the transaction that locked the album. */
  async remove(cloudId: string, albumId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.prepared.query(
      `DELETE FROM mcdisk.album_content WHERE photo_id = $1 AND cloud_id = $2 AND content_id = ANY($3::uuid[])`,
      [albumId, cloudId, contentIds],
    );
  }

  /** Removes purged contents from every album and clears the covers that refer to them. */
  async removeContents(cloudId: string, contentIds: readonly string[]): Promise<void> {
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
  async list(
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

  async count(cloudId: string, albumId: string, visibility: Visibility): Promise<number> {
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
