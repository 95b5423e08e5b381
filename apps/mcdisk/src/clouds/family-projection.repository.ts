import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { FamilyProjectionEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskProjections, PROJECTION, McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const FIND_SNAPSHOT_WITH_CLOUD = prepared(`
  SELECT p.snapshot FROM mcdisk.family_projection p JOIN mcdisk.family_cloud c ON c.cloud_id = p.family_id
   WHERE p.family_id = $1`);

const UPSERT_FAMILY_IF_NEWER = `
  INSERT INTO mcdisk.family_projection AS existing (family_id, version, snapshot, principals)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (family_id) DO UPDATE
    SET version = excluded.version, snapshot = excluded.snapshot, principals = excluded.principals
    WHERE existing.version < excluded.version
  RETURNING version`;

const FAMILY_CHANGED = 'userctx.family.changed';

@Injectable()
export class FamilyProjectionRepository {
  constructor(
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly projections: McdiskProjections,
  ) {}

  /**
   * Returns the family's current snapshot. Returns `undefined` also for a family without a cloud, because a cloud is
   * created with the family's first child.
   */
  async findWithCloud(familyId: string): Promise<FamilySnapshot | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ snapshot: FamilySnapshot }>(FIND_SNAPSHOT_WITH_CLOUD, [
      familyId,
    ]);
    return row && this.currentSnapshot(row.snapshot);
  }

  /**
   * Returns the stored snapshot of the family while its projection is known. While the projection is unknown, returns
   * the snapshot that userctx has sent in the last two seconds; if there is none, returns the stored snapshot.
   */
  currentSnapshot(stored: FamilySnapshot): FamilySnapshot {
    if (this.isKnown(stored.familyId)) return stored;
    return (this.projections.findSourceState(FAMILY_CHANGED, stored.familyId) as FamilySnapshot | undefined) ?? stored;
  }

  /**
   * Returns whether {@link currentSnapshot} is recent enough to decide about access to this family: the projection is
   * known, or userctx has sent a snapshot in the last two seconds.
   */
  canDecideAccess(familyId: string): boolean {
    return this.isKnown(familyId) || this.projections.findSourceState(FAMILY_CHANGED, familyId) !== undefined;
  }

  private isKnown(familyId: string): boolean {
    return this.projections.isKnown(PROJECTION.FAMILIES, familyId);
  }

  /** Returns the stored versions of these families; a family that is not stored is omitted. */
  async findVersions(familyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.unitOfWork.manager.find(FamilyProjectionEntity, {
      select: { familyId: true, version: true },
      where: { familyId: Any(familyIds) },
    });
    return new Map(rows.map(({ familyId, version }) => [familyId, version]));
  }

  /** Stores the snapshot if its version is higher than the stored one; otherwise returns false. */
  async upsertIfNewer(snapshot: FamilySnapshot, principals: readonly PrincipalKey[]): Promise<boolean> {
    const parameters = [snapshot.familyId, snapshot.version, JSON.stringify(snapshot), principals];
    const rows = await this.unitOfWork.executor.query(UPSERT_FAMILY_IF_NEWER, parameters);
    return rows.length > 0;
  }

  /** Returns the snapshots of the families that a principal belongs to, in id order. */
  async findByPrincipal(principal: PrincipalKey): Promise<FamilySnapshot[]> {
    const rows = await this.unitOfWork.manager
      .createQueryBuilder(FamilyProjectionEntity, 'projection')
      .where('projection.principals @> :principals', { principals: [principal] })
      .orderBy('projection.familyId')
      .getMany();
    return rows.map(({ snapshot }) => this.currentSnapshot(snapshot));
  }
}
