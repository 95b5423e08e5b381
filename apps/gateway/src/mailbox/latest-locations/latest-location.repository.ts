import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { Injectable } from '@nestjs/common';
import { LatestLocationEntity } from '@family-watch/domain/messages/entities/projections.entities';
import { Any, Not } from 'typeorm';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';

/**
 * Takes a shared lock per family until the end of the transaction: transactions that store locations run concurrently,
 * but wait for {@link LOCK_FAMILY_LOCATIONS}.
 */
const LOCK_FAMILY_LOCATIONS_FOR_SHARE = prepared(`
  SELECT pg_advisory_xact_lock_shared(lock) FROM (
    SELECT DISTINCT hashtextextended('positions:' || family_id, 0) AS lock FROM unnest($1::text[]) AS incoming (family_id)
    ORDER BY lock OFFSET 0) AS ordered`);

const LOCK_FAMILY_LOCATIONS = `SELECT pg_advisory_xact_lock(hashtextextended('positions:' || $1, 0))`;

const STORE_LOCATIONS = prepared(`
  INSERT INTO gateway.child_position AS existing (cid, family_id, did, message_id, time, location)
  SELECT incoming.cid, incoming.family_id, incoming.did, incoming.message_id, incoming.time, incoming.location
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::uuid[], $5::bigint[], $6::json[])
    AS incoming (cid, family_id, did, message_id, time, location)
  WHERE NOT EXISTS (
    SELECT FROM gateway.family
    WHERE family.family_id = incoming.family_id AND ((snapshot ->> 'dissolved')::boolean OR NOT EXISTS (
      SELECT FROM json_array_elements(snapshot -> 'children') AS child WHERE child ->> 'cid' = incoming.cid
    ))
  )
  ON CONFLICT (cid) DO UPDATE
    SET family_id = excluded.family_id, did = excluded.did, message_id = excluded.message_id,
        time = excluded.time, location = excluded.location
    WHERE (existing.location ->> 'positionTime')::bigint <= (excluded.location ->> 'positionTime')::bigint
       OR (existing.location ->> 'positionTime')::bigint = (
         SELECT corrects FROM unnest($1::text[], $7::bigint[]) AS incoming (cid, corrects) WHERE incoming.cid = existing.cid)
  RETURNING cid`);

const WITHDRAW_LOCATION = `
  DELETE FROM gateway.child_position
  WHERE family_id = $1 AND cid = $2 AND (location ->> 'positionTime')::bigint = $3`;

/**
 * A latest location to store. `corrects` is the `positionTime` of the location that a correction replaces (Unix
 * milliseconds), or `null`.
 */
export interface NewLatestLocation extends LatestLocationEntity {
  corrects: number | null;
}

@Injectable()
export class LatestLocationRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Stores each location, unless a later location is stored (clocks of servers may disagree). Omits children who do not
   * belong to the family in the snapshot that the current transaction reads. A location that `corrects` the stored
   * location replaces it, even if the correction has an earlier time. `locations` must contain each
   * child at most once.
   * @returns the children whose location was stored
   */
  async store(locations: readonly NewLatestLocation[]): Promise<Set<string>> {
    const rows = locations.map((each) => ({ ...each, location: JSON.stringify(each.location) }));
    await this.unitOfWork.executor.query(LOCK_FAMILY_LOCATIONS_FOR_SHARE, columnsOf(rows, 'familyId'));
    const stored = await this.unitOfWork.executor.query<{ cid: string }>(
      STORE_LOCATIONS,
      columnsOf(rows, 'cid', 'familyId', 'did', 'messageId', 'time', 'location', 'corrects'),
    );
    return new Set(stored.map(({ cid }) => cid));
  }

  /** Latest locations of the children of these families. */
  findByFamilies(familyIds: readonly string[]): Promise<LatestLocationEntity[]> {
    return this.table.findBy({ familyId: Any(familyIds) });
  }

  /** Latest locations of the children of these families; no transaction replaces them before the current one ends. */
  lockByFamilies(familyIds: readonly string[]): Promise<LatestLocationEntity[]> {
    return this.table.find({
      where: { familyId: Any(familyIds) },
      order: { cid: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Deletes the child's stored location if it has this `positionTime`. */
  async withdraw(familyId: string, cid: string, positionTime: number): Promise<void> {
    await this.unitOfWork.executor.query(WITHDRAW_LOCATION, [familyId, cid, positionTime]);
  }

  /**
   * Deletes the locations of children that do not belong to the family any more, including locations that a concurrent
   * transaction is storing: the deletion waits for that transaction. Must be called in the transaction that stores the
   * family's snapshot.
   */
  async deleteAllBut(familyId: string, cids: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(LOCK_FAMILY_LOCATIONS, [familyId]);
    await this.table.delete({ familyId, cid: Not(Any(cids)) });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(LatestLocationEntity);
  }
}
