import { Injectable } from '@nestjs/common';
import { contentDigestSql, type ContentDigest } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { CloudContentProjectionEntity } from '@family-watch/domain/messages/entities/projections.entities';
import { Any } from 'typeorm';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';

const INSERT_CONTENTS = `
  INSERT INTO gateway.cloud_content (content_id, family_id) SELECT unnest($2::text[]), $1
  ON CONFLICT (content_id) DO NOTHING`;

/** mcdisk computes the digest with the same expression. */
const FIND_CONTENT_DIGESTS = `
  SELECT family_id AS "cloudId", count(*)::int AS count, ${contentDigestSql('content_id')} AS digest
  FROM gateway.cloud_content WHERE family_id = ANY($1::text[]) GROUP BY family_id`;

/** A cloud may have a million files, for which TypeORM would create entities. */
const FIND_CONTENT_IDS = 'SELECT content_id AS id FROM gateway.cloud_content WHERE family_id = $1';

/** Projection of the files in each family cloud, from the events of mcdisk. */
@Injectable()
export class CloudContentRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  async add(familyId: string, contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(INSERT_CONTENTS, [familyId, contentIds]);
  }

  async remove(familyId: string, contentIds: readonly string[]): Promise<void> {
    await this.table.delete({ familyId, contentId: Any(contentIds) });
  }

  /** Returns whether all files with these ids are in the family's cloud. `contentIds` must not contain an id twice. */
  async containsAll(familyId: string, contentIds: readonly string[]): Promise<boolean> {
    return (await this.table.countBy({ familyId, contentId: Any(contentIds) })) === contentIds.length;
  }

  /**
   * Returns the number of contents of each family's cloud and a digest of their ids. A family without contents is
   * omitted.
   */
  findDigests(familyIds: readonly string[]): Promise<ContentDigest[]> {
    return this.unitOfWork.executor.query<ContentDigest>(FIND_CONTENT_DIGESTS, [familyIds]);
  }

  async findIds(familyId: string): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ id: string }>(FIND_CONTENT_IDS, [familyId]);
    return rows.map(({ id }) => id);
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(CloudContentProjectionEntity);
  }
}
