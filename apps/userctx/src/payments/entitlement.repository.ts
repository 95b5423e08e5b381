import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, LessThanOrEqual, MoreThan, MoreThanOrEqual } from 'typeorm';
import { EntitlementEntity, EntitlementVersionEntity } from '@family-watch/domain/payments/entities/payment.entities';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';

const NEXT_ENTITLEMENT_VERSION = `
  INSERT INTO userctx.entitlement_version AS existing (family_id, version, next_change_at) VALUES ($1, 1, $2)
  ON CONFLICT (family_id) DO UPDATE SET version = existing.version + 1, next_change_at = excluded.next_change_at
  RETURNING version`;

/** What a paid order gives the family, for a period. Times are Unix milliseconds. */
export type Entitlement = EntitlementEntity;

/** Entitlements of one product follow each other: family, product, and child of a watch plan. */
type EntitlementSeries = Pick<Entitlement, 'familyId' | 'productId' | 'cid'>;

/** Stores entitlements. Callers must have locked the family. */
@Injectable()
export class EntitlementRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(entitlement: Entitlement): Promise<void> {
    await this.entitlements.insert(entitlement);
  }

  find(orderId: string): Promise<Entitlement | null> {
    return this.entitlements.findOneBy({ orderId });
  }

  /** Returns the entitlements that have not ended, in the order of their ends. */
  findUnended(familyId: string, now: number, limit?: number): Promise<Entitlement[]> {
    return this.entitlements.find({
      where: { familyId, endsAt: MoreThan(now) },
      order: { endsAt: 'ASC', orderId: 'ASC' },
      take: limit,
    });
  }

  /** Returns the entitlements of the families that have begun and not ended, in the order of their ends. */
  findActive(familyIds: readonly string[], now: number): Promise<Entitlement[]> {
    return this.entitlements.find({
      where: { familyId: In(familyIds), startsAt: LessThanOrEqual(now), endsAt: MoreThan(now) },
      order: { endsAt: 'ASC', orderId: 'ASC' },
    });
  }

  /** Returns the end of the last entitlement of the series; null if there is none. */
  findLastEnd(series: EntitlementSeries): Promise<number | null> {
    return this.entitlements.maximum('endsAt', whereSeries(series));
  }

  async remove(orderId: string): Promise<void> {
    await this.entitlements.delete({ orderId });
  }

  /** Returns whether the child had entitlements. */
  async removeByChild(familyId: string, cid: string): Promise<boolean> {
    const { affected } = await this.entitlements.delete({ familyId, cid });
    return Number(affected) > 0;
  }

  async removeByFamilies(familyIds: readonly string[]): Promise<void> {
    await this.entitlements.delete({ familyId: In(familyIds) });
    await this.versions.delete({ familyId: In(familyIds) });
  }

  /** Moves the entitlements of the series that start at `from` or later, so that they start earlier. */
  async moveEarlier(series: EntitlementSeries, from: number, milliseconds: number): Promise<void> {
    await this.entitlements.update(
      { ...whereSeries(series), startsAt: MoreThanOrEqual(from) },
      {
        startsAt: () => `starts_at - ${Math.trunc(milliseconds)}`,
        endsAt: () => `ends_at - ${Math.trunc(milliseconds)}`,
      },
    );
  }

  /** Increments the version of the family's entitlements, and stores when an entitlement begins or ends next. */
  async nextVersion(familyId: string, nextChangeAt: number | null): Promise<number> {
    const [row] = await this.unitOfWork.executor.query<{ version: number }>(NEXT_ENTITLEMENT_VERSION, [
      familyId,
      nextChangeAt,
    ]);
    if (!row) throw new Error('The upsert returned no row');
    return row.version;
  }

  /** Returns families whose entitlements change now, in the order of their ids after `afterFamilyId`. */
  async findDueFamilies(now: number, limit: number, afterFamilyId: string): Promise<string[]> {
    const due = await this.versions.find({
      where: { nextChangeAt: LessThanOrEqual(now), familyId: MoreThan(afterFamilyId) },
      order: { familyId: 'ASC' },
      take: limit,
    });
    return due.map(({ familyId }) => familyId);
  }

  isDue(familyId: string, now: number): Promise<boolean> {
    return this.versions.existsBy({ familyId, nextChangeAt: LessThanOrEqual(now) });
  }

  async deleteEndedBefore(before: number): Promise<void> {
    await this.entitlements.delete({ endsAt: LessThan(before) });
  }

  private get entitlements() {
    return this.unitOfWork.manager.getRepository(EntitlementEntity);
  }

  private get versions() {
    return this.unitOfWork.manager.getRepository(EntitlementVersionEntity);
  }
}

function whereSeries({ familyId, productId, cid }: EntitlementSeries) {
  return { familyId, productId, cid: cid ?? IsNull() };
}
