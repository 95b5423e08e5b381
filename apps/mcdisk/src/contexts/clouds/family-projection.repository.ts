import { Injectable } from '@nestjs/common';
import { FamilyProjectionEntity } from '@family-watch/domain/family-cloud/entities/family-projection.entity';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

@Injectable()
export class FamilyProjectionRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** The family's cloud must be there: a projection without children has none yet. */
  async findWithCloud(familyId: string): Promise<FamilySnapshot | undefined> {
    const [row] = await this.unitOfWork.prepared.query<{ snapshot: FamilySnapshot }>(
      `SELECT p.snapshot FROM mcdisk.family_projection p JOIN mcdisk.family_cloud c ON c.cloud_id = p.family_id
        WHERE p.family_id = $1`,
      [familyId],
    );
    return row?.snapshot;
  }

  /** Keeps the highest version. Returns false for a snapshot that is not newer than what is known. */
  async upsertIfNewer(snapshot: FamilySnapshot, principals: readonly PrincipalKey[]): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.family_projection AS known (family_id, version, snapshot, principals)
       VALUES ($1, $2, $3, $4)
       ON CONFLICT (family_id) DO UPDATE
         SET version = excluded.version, snapshot = excluded.snapshot, principals = excluded.principals
         WHERE known.version < excluded.version
       RETURNING version`,
      [snapshot.familyId, snapshot.version, JSON.stringify(snapshot), principals],
    );
    return rows.length > 0;
  }

  /** Snapshots of the families that a principal belongs to, oldest family id first. */
  async findByPrincipal(principal: PrincipalKey): Promise<FamilySnapshot[]> {
    const rows = await this.unitOfWork.manager
      .createQueryBuilder(FamilyProjectionEntity, 'projection')
      .where('projection.principals @> :principals', { principals: [principal] })
      .orderBy('projection.familyId')
      .getMany();
    return rows.map(({ snapshot }) => snapshot);
  }
}
