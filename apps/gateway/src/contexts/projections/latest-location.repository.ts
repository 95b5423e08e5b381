import { Injectable } from '@nestjs/common';
import { LatestLocationEntity } from '@family-watch/domain/messages/entities/projections.entities';
import { Any, Not } from 'typeorm';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import {
  LOCK_FAMILY_LOCATIONS_FOR_SHARE,
  LOCK_FAMILY_LOCATIONS,
  STORE_LOCATIONS,
  WITHDRAW_LOCATION,
} from './projections.sql.js';

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
