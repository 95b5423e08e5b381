import { Injectable } from '@nestjs/common';
import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** Projection of the family snapshots that userctx publishes. */
@Injectable()
export class FamilyProjectionRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

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

  async find(familyId: string): Promise<FamilySnapshot | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ snapshot: FamilySnapshot }>(
      'SELECT snapshot FROM gateway.family WHERE family_id = $1',
      [familyId],
    );
    return row?.snapshot;
  }

  async findByPrincipal(principal: PrincipalKey): Promise<FamilySnapshot[]> {
    return (await this.findByPrincipals([principal])).get(principal) ?? [];
  }

  /** Returns the families of each of these principals; a principal without a family is omitted. */
  async findByPrincipals(principals: readonly PrincipalKey[]): Promise<Map<PrincipalKey, FamilySnapshot[]>> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey; snapshot: FamilySnapshot }>(
      `SELECT principal, snapshot FROM gateway.family JOIN gateway.family_principal USING (family_id)
       WHERE principal = ANY($1::text[])`,
      [[...new Set(principals)]],
    );
    const groups = Map.groupBy(rows, ({ principal }) => principal);
    return new Map([...groups].map(([principal, found]) => [principal, found.map(({ snapshot }) => snapshot)]));
  }

  /** Returns the snapshots stored in the last `milliseconds`, by the database's clock. */
  async findChangedWithin(milliseconds: number): Promise<FamilySnapshot[]> {
    const rows = await this.unitOfWork.executor.query<{ snapshot: FamilySnapshot }>(
      `SELECT snapshot FROM gateway.family WHERE changed_at > ${DATABASE_NOW_MS_SQL} - $1::bigint`,
      [milliseconds],
    );
    return rows.map(({ snapshot }) => snapshot);
  }
}

const STORE_SNAPSHOT = `
  INSERT INTO gateway.family AS existing (family_id, version, snapshot, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (family_id) DO UPDATE
    SET version = excluded.version, snapshot = excluded.snapshot, changed_at = excluded.changed_at
    WHERE existing.version < excluded.version
  RETURNING version`;
