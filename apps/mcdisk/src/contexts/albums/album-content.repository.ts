import { Injectable } from '@nestjs/common';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { AlbumContentEntity } from '@family-watch/domain/family-cloud/entities/album-content.entity';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { CloudActor, Sight } from '../clouds/cloud.access.js';
import { sightCondition, sightParameters } from '../clouds/sight-condition.js';

/** A content as an album judges it. */
export interface PlaceableContent {
  contentId: string;
  cid: string | null;
  state: ContentState;
}

const IN_ALBUM = `
    FROM mcdisk.album_content placed JOIN mcdisk.content content USING (content_id)
   WHERE placed.photo_id = $1 AND placed.cloud_id = $2 AND content.cloud_id = $2 AND content.state = 'ACTIVE'
     AND ${sightCondition('content.cid', 3)}`;

/** Which contents are in which album. */
@Injectable()
export class AlbumContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Contents of the cloud among the ids; what is active stays so until the unit of work ends. */
  hold(cloudId: string, contentIds: readonly string[]): Promise<PlaceableContent[]> {
    return this.unitOfWork.prepared.query<PlaceableContent>(
      `SELECT content_id AS "contentId", cid, state FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) ORDER BY content_id FOR SHARE`,
      [cloudId, contentIds],
    );
  }

  find(cloudId: string, contentIds: readonly string[]): Promise<PlaceableContent[]> {
    return this.unitOfWork.prepared.query<PlaceableContent>(
      `SELECT content_id AS "contentId", cid, state FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])`,
      [cloudId, contentIds],
    );
  }

  /** Which of these are in the album, whatever their state. */
  async findPlaced(cloudId: string, albumId: string, contentIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(
      `SELECT content_id AS "contentId" FROM mcdisk.album_content
        WHERE photo_id = $1 AND cloud_id = $2 AND content_id = ANY($3::uuid[])`,
      [albumId, cloudId, contentIds],
    );
    return new Set(rows.map(({ contentId }) => contentId));
  }

  /** Which of these the actor sees in the album. */
  async findInAlbum(
    { cloudID, sight }: Pick<CloudActor, 'cloudID' | 'sight'>,
    albumId: string,
    contentIds: readonly string[],
  ): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(
      `SELECT content_id AS "contentId" ${IN_ALBUM} AND content_id = ANY($5::uuid[])`,
      [albumId, cloudID, ...sightParameters(sight), contentIds],
    );
    return rows.map(({ contentId }) => contentId);
  }

  /** Those in the recycle bin included. */
  countPlaced(cloudId: string, albumId: string): Promise<number> {
    return this.unitOfWork.manager.countBy(AlbumContentEntity, { cloudId, albumId: albumId });
  }

  /** With the contents held and the album locked. */
  async place(cloudId: string, albumId: string, contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `INSERT INTO mcdisk.album_content (photo_id, content_id, cloud_id, cid, taken_at, added_at)
       SELECT $1, content_id, cloud_id, cid, coalesce(shot_at, created_at), $4 FROM mcdisk.content
        WHERE cloud_id = $2 AND content_id = ANY($3::uuid[]) ORDER BY content_id`,
      [albumId, cloudId, contentIds, now],
    );
  }

  /** With the album locked. */
  async takeOut(cloudId: string, albumId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.prepared.query(
      `DELETE FROM mcdisk.album_content WHERE photo_id = $1 AND cloud_id = $2 AND content_id = ANY($3::uuid[])`,
      [albumId, cloudId, contentIds],
    );
  }

  /** What is purged leaves every album. */
  async forget(cloudId: string, contentIds: readonly string[]): Promise<void> {
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
    sight: Sight,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ContentEntity[]> {
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(
      `SELECT content.content_id AS "contentId" ${IN_ALBUM}
        ORDER BY placed.taken_at DESC, placed.content_id LIMIT $5 OFFSET $6`,
      [albumId, cloudId, ...sightParameters(sight), limit, offset],
    );
    return this.inOrder(
      cloudId,
      rows.map(({ contentId }) => contentId),
    );
  }

  async count(cloudId: string, albumId: string, sight: Sight): Promise<number> {
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(`SELECT count(*)::int AS count ${IN_ALBUM}`, [
      albumId,
      cloudId,
      ...sightParameters(sight),
    ]);
    return row?.count ?? 0;
  }

  /** Active contents in the order of the ids; what is active no more is left out. */
  async inOrder(cloudId: string, contentIds: readonly string[]): Promise<ContentEntity[]> {
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
