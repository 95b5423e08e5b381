import { Injectable } from '@nestjs/common';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { AlbumContentEntity } from '@family-watch/domain/family-cloud/entities/album-content.entity';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { CloudActor, Visibility } from '../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../clouds/visibility-sql.js';

/** A content as an album judges it. */
export interface AlbumCandidate {
  contentId: string;
  cid: string | null;
  state: ContentState;
}

const IN_ALBUM = `
    FROM mcdisk.album_content placed JOIN mcdisk.content content USING (content_id)
   WHERE placed.photo_id = $1 AND placed.cloud_id = $2 AND content.cloud_id = $2 AND content.state = 'ACTIVE'
     AND ${visibilityCondition('content.cid', 3)}`;

/** Which contents are in which album. */
@Injectable()
export class AlbumContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Contents of the cloud among the ids; what is active stays so until the unit of work ends. */
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

  /** Which of these are in the album, whatever their state. */
  async findExisting(cloudId: string, albumId: string, contentIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(
      `SELECT content_id AS "contentId" FROM mcdisk.album_content
        WHERE photo_id = $1 AND cloud_id = $2 AND content_id = ANY($3::uuid[])`,
      [albumId, cloudId, contentIds],
    );
    return new Set(rows.map(({ contentId }) => contentId));
  }

  /** Which of these the actor sees in the album. */
  async findInAlbum(
    { cloudId, visibility }: Pick<CloudActor, 'cloudId' | 'visibility'>,
    albumId: string,
    contentIds: readonly string[],
  ): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(
      `SELECT content_id AS "contentId" ${IN_ALBUM} AND content_id = ANY($5::uuid[])`,
      [albumId, cloudId, ...visibilityParameters(visibility), contentIds],
    );
    return rows.map(({ contentId }) => contentId);
  }

  /** Those in the recycle bin included. */
  countAll(cloudId: string, albumId: string): Promise<number> {
    return this.unitOfWork.manager.countBy(AlbumContentEntity, { cloudId, albumId: albumId });
  }

  /** With the contents held and the album locked. */
  async add(cloudId: string, albumId: string, contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `INSERT INTO mcdisk.album_content (photo_id, content_id, cloud_id, cid, taken_at, added_at)
       SELECT $1, content_id, cloud_id, cid, coalesce(shot_at, created_at), $4 FROM mcdisk.content
        WHERE cloud_id = $2 AND content_id = ANY($3::uuid[]) ORDER BY content_id`,
      [albumId, cloudId, contentIds, now],
    );
  }

  /** With the album locked. */
  async remove(cloudId: string, albumId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.prepared.query(
      `DELETE FROM mcdisk.album_content WHERE photo_id = $1 AND cloud_id = $2 AND content_id = ANY($3::uuid[])`,
      [albumId, cloudId, contentIds],
    );
  }

  /** What is purged leaves every album. */
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

  /** By the time they were taken, the newest first. */
  async list(
    { cloudId, albumId }: { cloudId: string; albumId: string },
    sight: Visibility,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ContentEntity[]> {
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(
      `SELECT content.content_id AS "contentId" ${IN_ALBUM}
        ORDER BY placed.taken_at DESC, placed.content_id LIMIT $5 OFFSET $6`,
      [albumId, cloudId, ...visibilityParameters(sight), limit, offset],
    );
    return this.findActiveInOrder(
      cloudId,
      rows.map(({ contentId }) => contentId),
    );
  }

  async count(cloudId: string, albumId: string, sight: Visibility): Promise<number> {
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(`SELECT count(*)::int AS count ${IN_ALBUM}`, [
      albumId,
      cloudId,
      ...visibilityParameters(sight),
    ]);
    return row?.count ?? 0;
  }

  /** Active contents in the order of the ids; what is active no more is left out. */
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
