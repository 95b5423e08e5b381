import { Injectable } from '@nestjs/common';
import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { GatewayProjections, PROJECTION, projectionUnknownError } from '../../infrastructure/gateway.projections.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

const FAMILY_CHANGED = 'userctx.family.changed';

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
    const { executor } = this.unitOfWork;
    const stored = await executor.query(STORE_SNAPSHOT, [
      snapshot.familyId,
      snapshot.version,
      JSON.stringify(snapshot),
    ]);
    if (stored.length === 0) return false;
    await executor.query('DELETE FROM gateway.family_principal WHERE family_id = $1', [snapshot.familyId]);
    await executor.query('INSERT INTO gateway.family_principal (family_id, principal) SELECT $1, unnest($2::text[])', [
      snapshot.familyId,
      [...new Set(familyPrincipals(snapshot))],
    ]);
    return true;
  }

  /**
   * Returns the latest snapshot of a family.
   * @throws ServiceError OVERLOADED while the projection of the family is unknown and userctx does not answer
   */
  async find(familyId: string): Promise<FamilySnapshot | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ snapshot: FamilySnapshot }>(
      'SELECT snapshot FROM gateway.family WHERE family_id = $1',
      [familyId],
    );
    return this.isKnown(familyId) ? row?.snapshot : this.answerOrThrow(familyId);
  }

  /** @throws ServiceError OVERLOADED like {@link find} */
  async findByPrincipal(principal: PrincipalKey): Promise<FamilySnapshot[]> {
    const families = (await this.queryByPrincipals([principal])).map(({ snapshot }) => snapshot);
    const current = families.map((each) => (this.isKnown(each.familyId) ? each : this.answerOrThrow(each.familyId)));
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
    const rows = await this.unitOfWork.executor.query<{ familyId: string; version: number }>(
      'SELECT family_id AS "familyId", version FROM gateway.family WHERE family_id = ANY($1::text[])',
      [familyIds],
    );
    return new Map(rows.map(({ familyId, version }) => [familyId, version]));
  }

  isKnown(familyId: string): boolean {
    return this.projections.isKnown(PROJECTION.FAMILIES, familyId);
  }

  /** Returns the snapshot that userctx has returned for a family whose projection is unknown. */
  answerOf(familyId: string): FamilySnapshot | undefined {
    return this.projections.findSourceState(FAMILY_CHANGED, familyId) as FamilySnapshot | undefined;
  }

  /** Returns the snapshots stored in the last `milliseconds`, by the database's clock. */
  async findChangedWithin(milliseconds: number): Promise<FamilySnapshot[]> {
    const rows = await this.unitOfWork.executor.query<{ snapshot: FamilySnapshot }>(
      `SELECT snapshot FROM gateway.family WHERE changed_at > ${DATABASE_NOW_MS_SQL} - $1::bigint`,
      [milliseconds],
    );
    return rows.map(({ snapshot }) => snapshot);
  }

  private queryByPrincipals(
    principals: readonly PrincipalKey[],
  ): Promise<{ principal: PrincipalKey; snapshot: FamilySnapshot }[]> {
    return this.unitOfWork.executor.query(
      `SELECT principal, snapshot FROM gateway.family JOIN gateway.family_principal USING (family_id)
       WHERE principal = ANY($1::text[])`,
      [[...new Set(principals)]],
    );
  }

  private answerOrThrow(familyId: string): FamilySnapshot {
    const answer = this.answerOf(familyId);
    if (!answer) throw projectionUnknownError();
    return answer;
  }
}

const STORE_SNAPSHOT = `
  INSERT INTO gateway.family AS existing (family_id, version, snapshot, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (family_id) DO UPDATE
    SET version = excluded.version, snapshot = excluded.snapshot, changed_at = excluded.changed_at
    WHERE existing.version < excluded.version
  RETURNING version`;
