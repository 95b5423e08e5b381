import { Injectable } from '@nestjs/common';
import { familyPrincipals, type FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import {
  FamilyPrincipalEntity,
  FamilyProjectionEntity,
} from '@family-watch/domain/messages/entities/projections.entities';
import { DATABASE_NOW_MS_SUBQUERY, DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { Any, Raw } from 'typeorm';
import {
  GatewayProjections,
  PROJECTION,
  projectionUnknownError,
  GatewayUnitOfWork,
} from '../infrastructure/gateway-infrastructure.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const UPSERT_SNAPSHOT_IF_NEWER = `
  INSERT INTO gateway.family AS existing (family_id, version, snapshot, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (family_id) DO UPDATE
    SET version = excluded.version, snapshot = excluded.snapshot, changed_at = excluded.changed_at
    WHERE existing.version < excluded.version
  RETURNING version`;

/** Most event handlers read the family; through TypeORM the read takes twice the CPU time. */
const FIND_SNAPSHOT = prepared('SELECT snapshot FROM gateway.family WHERE family_id = $1');

const FIND_FAMILIES_BY_PRINCIPALS = `
  SELECT principal, snapshot FROM gateway.family JOIN gateway.family_principal USING (family_id)
  WHERE principal = ANY($1::text[])`;

const FAMILY_CHANGED_EVENT = 'userctx.family.changed';

/**
 * Projection of the family snapshots that userctx publishes. While the projection of a family is unknown, the snapshot
 * that userctx has returned in the last two seconds takes its place.
 */
@Injectable()
export class FamilyProjectionRepository {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly projections: GatewayProjections,
  ) {}

  /**
   * Stores the snapshot in the current transaction if it is newer than the stored one; returns whether the snapshot was
   * stored.
   */
  async store(snapshot: FamilySnapshot): Promise<boolean> {
    const { familyId, version } = snapshot;
    const parameters = [familyId, version, JSON.stringify(snapshot)];
    const stored = await this.unitOfWork.executor.query(UPSERT_SNAPSHOT_IF_NEWER, parameters);
    if (stored.length === 0) return false;
    const principals = this.unitOfWork.manager.getRepository(FamilyPrincipalEntity);
    await principals.delete({ familyId });
    await principals.insert([...new Set(familyPrincipals(snapshot))].map((principal) => ({ familyId, principal })));
    return true;
  }

  /**
   * Returns the latest snapshot of a family.
   * @throws ServiceError FAMILY_NOT_READY while the stored snapshot may be outdated (see {@link isKnown}) and userctx has
   *   returned no snapshot in the last two seconds
   */
  async find(familyId: string): Promise<FamilySnapshot | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ snapshot: FamilySnapshot }>(FIND_SNAPSHOT, [familyId]);
    return this.isKnown(familyId) ? row?.snapshot : this.requireSnapshotFromUserctx(familyId);
  }

  /** @throws ServiceError FAMILY_NOT_READY like {@link find} */
  async findByPrincipal(principal: PrincipalKey): Promise<FamilySnapshot[]> {
    const families = (await this.queryByPrincipals([principal])).map(({ snapshot }) => snapshot);
    const current = families.map((each) =>
      this.isKnown(each.familyId) ? each : this.requireSnapshotFromUserctx(each.familyId),
    );
    return current.filter((family) => familyPrincipals(family).includes(principal));
  }

  /**
   * Returns the stored families of each of these principals; a principal without a family is omitted. Callers must
   * check {@link isKnown} whenever they use a stored family.
   */
  async findByPrincipals(principals: readonly PrincipalKey[]): Promise<Map<PrincipalKey, FamilySnapshot[]>> {
    const groups = Map.groupBy(await this.queryByPrincipals(principals), ({ principal }) => principal);
    return new Map([...groups].map(([principal, found]) => [principal, found.map(({ snapshot }) => snapshot)]));
  }

  /** Returns the stored versions of these families; a family that is not stored is omitted. */
  async findVersions(familyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.table.find({
      select: { familyId: true, version: true },
      where: { familyId: Any(familyIds) },
    });
    return new Map(found.map(({ familyId, version }) => [familyId, version]));
  }

  /**
   * Returns false while an event of the family could not be processed, so that the stored snapshot may be outdated.
   */
  isKnown(familyId: string): boolean {
    return this.projections.isKnown(PROJECTION.FAMILIES, familyId);
  }

  /** Returns the snapshot that userctx has returned for a family whose projection is unknown. */
  snapshotFromUserctx(familyId: string): FamilySnapshot | undefined {
    return this.projections.findSourceState(FAMILY_CHANGED_EVENT, familyId) as FamilySnapshot | undefined;
  }

  /** Returns the snapshots stored in the last `milliseconds`, by the database's clock. */
  async findChangedWithin(milliseconds: number): Promise<FamilySnapshot[]> {
    const found = await this.table.findBy({
      changedAt: Raw((column) => `${column} > ${DATABASE_NOW_MS_SUBQUERY} - :milliseconds::bigint`, { milliseconds }),
    });
    return found.map(({ snapshot }) => snapshot);
  }

  private queryByPrincipals(
    principals: readonly PrincipalKey[],
  ): Promise<{ principal: PrincipalKey; snapshot: FamilySnapshot }[]> {
    return this.unitOfWork.executor.query(FIND_FAMILIES_BY_PRINCIPALS, [[...new Set(principals)]]);
  }

  private requireSnapshotFromUserctx(familyId: string): FamilySnapshot {
    const snapshot = this.snapshotFromUserctx(familyId);
    if (!snapshot) throw projectionUnknownError();
    return snapshot;
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(FamilyProjectionEntity);
  }
}
