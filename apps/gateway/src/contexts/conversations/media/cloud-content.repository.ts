import { Injectable } from '@nestjs/common';
import { contentDigestSql } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { ContentDigest } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';

/** Projection of the files in each family cloud, from the events of mcdisk. */
@Injectable()
export class CloudContentRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  async add(familyId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO gateway.cloud_content (content_id, family_id) SELECT unnest($2::text[]), $1
       ON CONFLICT (content_id) DO NOTHING`,
      [familyId, contentIds],
    );
  }

  async remove(familyId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(
      'DELETE FROM gateway.cloud_content WHERE family_id = $1 AND content_id = ANY($2::text[])',
      [familyId, contentIds],
    );
  }

  /** Returns whether all files with these ids are in the family's cloud. `contentIds` must not contain an id twice. */
  async containsAll(familyId: string, contentIds: readonly string[]): Promise<boolean> {
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM gateway.cloud_content
       WHERE family_id = $1 AND content_id = ANY($2::text[])`,
      [familyId, contentIds],
    );
    return row?.count === contentIds.length;
  }

  /** Returns the digests of these families' contents; a family without contents is omitted. */
  findDigests(familyIds: readonly string[]): Promise<ContentDigest[]> {
    return this.unitOfWork.executor.query<ContentDigest>(
      `SELECT family_id AS "cloudId", count(*)::int AS count, ${contentDigestSql('content_id')} AS digest
       FROM gateway.cloud_content WHERE family_id = ANY($1::text[]) GROUP BY family_id`,
      [familyIds],
    );
  }

  async findIds(familyId: string): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ id: string }>(
      'SELECT content_id AS id FROM gateway.cloud_content WHERE family_id = $1',
      [familyId],
    );
    return rows.map(({ id }) => id);
  }
}
