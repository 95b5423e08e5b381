import { Injectable } from '@nestjs/common';
import { FamilyProjectionEntity } from '@family-watch/domain/family-cloud/entities/family-projection.entity';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

@Injectable()
export class FamilyProjectionRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Returns `undefined` also for a family without a cloud, because a cloud is created with the family's first child.
   */
  async findWithCloud(familyId: string): Promise<FamilySnapshot | undefined> {
    const [row] = await this.unitOfWork.prepared.query<{ snapshot: FamilySnapshot }>(
      `SELECT p.snapshot FROM mcdisk.family_projection p JOIN mcdisk.family_cloud c ON c.cloud_id = p.family_id
        WHERE p.family_id = $1`,
      [familyId],
    );
    return row?.snapshot;
  }

  /** Stores the snapshot if its version is higher than the stored one; otherwise returns false. */
  async upsertIfNewer(snapshot: FamilySnapshot, principals: readonly PrincipalKey[]): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.family_projection AS existing (family_id, version, snapshot, principals)
       VALUES ($1, $2, $3, $4)
       ON CONFLICT (family_id) DO UPDATE
         SET version = excluded.version, snapshot = excluded.snapshot, principals = excluded.principals
         WHERE existing.version < excluded.version
       RETURNING version`,
      [snapshot.familyId, snapshot.version, JSON.stringify(snapshot), principals],
    );
    return rows.length > 0;
  }

  /** Returns the snapshots of the families that a principal belongs to, in id order. */
  async findByPrincipal(principal: PrincipalKey): Promise<FamilySnapshot[]> {
    const rows = await this.unitOfWork.manager
      .createQueryBuilder(FamilyProjectionEntity, 'projection')
      .where('projection.principals @> :principals', { principals: [principal] })
      .orderBy('projection.familyId')
      .getMany();
    return rows.map(({ snapshot }) => snapshot);
  }
}
