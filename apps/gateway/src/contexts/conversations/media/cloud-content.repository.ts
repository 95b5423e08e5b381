import { Injectable } from '@nestjs/common';
import type { ContentDigest } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { CloudContentProjectionEntity } from '@family-watch/domain/messages/entities/projections.entities';
import { Any } from 'typeorm';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import { FIND_CONTENT_DIGESTS, FIND_CONTENT_IDS, INSERT_CONTENTS } from '../conversations.sql.js';

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
