import { Injectable } from '@nestjs/common';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** The newest position of a child, as it was last told. */
export interface LatestLocation {
  familyId: string;
  cid: string;
  did: number;
  messageId: string;
  /** When the change was told and when the watch was there. Unix milliseconds. */
  time: number;
  location: Location;
}

/** `corrects`: time of the position whose place it takes, Unix milliseconds. */
export interface NewLatestLocation extends LatestLocation {
  corrects: number | null;
}

/** Whoever keeps positions of a family goes beside others who do, and waits for whoever forgets some, until the unit ends. */
const LOCK_FAMILIES = `
  SELECT pg_advisory_xact_lock_shared(lock) FROM (
    SELECT DISTINCT hashtextextended('positions:' || family_id, 0) AS lock FROM unnest($1::text[]) AS told (family_id)
    ORDER BY lock OFFSET 0) AS ordered`;

const LOCK_FAMILY = `SELECT pg_advisory_xact_lock(hashtextextended('positions:' || $1, 0))`;

const STORE = `
  INSERT INTO gateway.child_position AS known (cid, family_id, did, message_id, time, location)
  SELECT told.cid, told.family_id, told.did, told.message_id, told.time, told.location
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::uuid[], $5::bigint[], $6::json[])
    AS told (cid, family_id, did, message_id, time, location)
  WHERE NOT EXISTS (
    SELECT FROM gateway.family
    WHERE family.family_id = told.family_id AND ((snapshot ->> 'dissolved')::boolean OR NOT EXISTS (
      SELECT FROM json_array_elements(snapshot -> 'children') AS child WHERE child ->> 'cid' = told.cid
    ))
  )
  ON CONFLICT (cid) DO UPDATE
    SET family_id = excluded.family_id, did = excluded.did, message_id = excluded.message_id,
        time = excluded.time, location = excluded.location
    WHERE (known.location ->> 'positionTime')::bigint <= (excluded.location ->> 'positionTime')::bigint
       OR (known.location ->> 'positionTime')::bigint = (
         SELECT corrects FROM unnest($1::text[], $7::bigint[]) AS told (cid, corrects) WHERE told.cid = known.cid)
  RETURNING cid`;

@Injectable()
export class LatestLocationRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Keeps each unless the watch was elsewhere later, which the clocks of servers could get wrong, or the child has left
   * the family as it is in the open unit of work; says which children's were kept. One that `corrects` the position of
   * a moment takes its place, whatever its own time is. No child may be there twice.
   */
  async store(positions: readonly NewLatestLocation[]): Promise<Set<string>> {
    const column = <Value>(value: (position: NewLatestLocation) => Value): Value[] => positions.map(value);
    await this.unitOfWork.prepared.query(LOCK_FAMILIES, [column(({ familyId }) => familyId)]);
    const stored = await this.unitOfWork.prepared.query<{ cid: string }>(STORE, [
      column(({ cid }) => cid),
      column(({ familyId }) => familyId),
      column(({ did }) => did),
      column(({ messageId }) => messageId),
      column(({ time }) => time),
      column(({ location }) => JSON.stringify(location)),
      column(({ corrects }) => corrects),
    ]);
    return new Set(stored.map(({ cid }) => cid));
  }

  /** Newest positions of the children of these families. */
  findByFamilies(familyIds: readonly string[]): Promise<LatestLocation[]> {
    return this.unitOfWork.executor.query<LatestLocation>(
      `SELECT family_id AS "familyId", cid, did, message_id AS "messageId", time, location
       FROM gateway.child_position WHERE family_id = ANY($1::text[])`,
      [familyIds],
    );
  }

  /** Forgets the position of this moment, if it is the newest that is known. */
  async withdraw(familyId: string, cid: string, positionTime: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM gateway.child_position
       WHERE family_id = $1 AND cid = $2 AND (location ->> 'positionTime')::bigint = $3`,
      [familyId, cid, positionTime],
    );
  }

  /**
   * Forgets the positions of children that belong to the family no more: also of those that another unit is just
   * keeping, because it is waited for. Call it in the unit that keeps the family's snapshot.
   */
  async deleteAllBut(familyId: string, cids: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(LOCK_FAMILY, [familyId]);
    await this.unitOfWork.executor.query(
      'DELETE FROM gateway.child_position WHERE family_id = $1 AND NOT cid = ANY($2::text[])',
      [familyId, cids],
    );
  }
}
