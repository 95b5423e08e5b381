import { Injectable } from '@nestjs/common';
import { FamilyEntity } from '@family-watch/domain/families/entities/family.entity';
import { violatedUniqueConstraint } from '@family-watch/platform/database/unique-violation';
import { In, IsNull, LessThanOrEqual, Not } from 'typeorm';
import type { FindOptionsWhere } from 'typeorm';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';

/** A family as its snapshot begins. */
export interface FamilyVersion {
  version: number;
  ownerUserId: string;
  dissolved: boolean;
}

@Injectable()
export class FamilyRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findAll(familyIds: string[]): Promise<FamilyEntity[]> {
    return this.table.find({ where: { familyId: In(familyIds) }, order: { createdAt: 'ASC', familyId: 'ASC' } });
  }

  /** Makes the person's family unless there is one. True when it was made. */
  async insertIfAbsent(
    family: Pick<FamilyEntity, 'familyId' | 'ownerUserId' | 'name' | 'createdAt'>,
  ): Promise<boolean> {
    const { familyId, ownerUserId, name, createdAt } = family;
    const made = await this.unitOfWork.executor.query(
      `insert into userctx.family (family_id, owner_user_id, name, created_at) values ($1, $2, $3, $4)
       on conflict (owner_user_id) where dissolved_at is null do nothing returning family_id`,
      [familyId, ownerUserId, name, createdAt],
    );
    return made.length === 1;
  }

  /** Keeps the family as it is until the open unit ends: every change of it starts with this. */
  async lock(familyId: string): Promise<void> {
    await this.unitOfWork.executor.query('select 1 from userctx.family where family_id = $1 for update', [familyId]);
  }

  /** The family that this person owns, locked until the unit ends. */
  async lockOwnedBy(ownerUserId: string): Promise<string | null> {
    const [row] = await this.unitOfWork.executor.query<{ family_id: string }>(
      'select family_id from userctx.family where owner_user_id = $1 and dissolved_at is null for update',
      [ownerUserId],
    );
    return row?.family_id ?? null;
  }

  async findOwnedBy(ownerUserId: string): Promise<string | null> {
    const family = await this.table.findOneBy({ ownerUserId, dissolvedAt: IsNull() });
    return family?.familyId ?? null;
  }

  /** False when the new owner has a family already. */
  changeOwner(familyId: string, ownerUserId: string): Promise<boolean> {
    return this.updateUnlessOwner({ familyId }, { ownerUserId });
  }

  async dissolve(familyId: string, dissolvedAt: number): Promise<void> {
    await this.table.update({ familyId, dissolvedAt: IsNull() }, { dissolvedAt });
  }

  /** Did this person dissolve this family? */
  isDissolved(familyId: string, ownerUserId: string): Promise<boolean> {
    return this.table.existsBy({ familyId, ownerUserId, dissolvedAt: Not(IsNull()) });
  }

  /** False when its owner has another family meanwhile. */
  restore(familyId: string): Promise<boolean> {
    return this.updateUnlessOwner({ familyId, dissolvedAt: Not(IsNull()) }, { dissolvedAt: null });
  }

  /** Removes families for good that were dissolved at `before` (Unix milliseconds) or earlier. */
  async deleteDissolved(before: number): Promise<void> {
    await this.table.delete({ dissolvedAt: LessThanOrEqual(before) });
  }

  async rename(familyId: string, name: string): Promise<void> {
    await this.table.update({ familyId }, { name });
  }

  /** Gives the family its next version. */
  async nextVersion(familyId: string): Promise<FamilyVersion | null> {
    const [family] = await this.unitOfWork.executor.query<FamilyVersion>(
      `update userctx.family set version = version + 1 where family_id = $1
       returning version, owner_user_id as "ownerUserId", dissolved_at is not null as dissolved`,
      [familyId],
    );
    return family ?? null;
  }

  /** False when it would make somebody the owner of two families. */
  private async updateUnlessOwner(
    which: FindOptionsWhere<FamilyEntity>,
    change: Partial<Pick<FamilyEntity, 'ownerUserId' | 'dissolvedAt'>>,
  ): Promise<boolean> {
    try {
      const { affected } = await this.table.update(which, change);
      return affected === 1;
    } catch (error) {
      if (violatedUniqueConstraint(error) === 'family_owner_key') return false;
      throw error;
    }
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(FamilyEntity);
  }
}
