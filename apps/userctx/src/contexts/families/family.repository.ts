import { Injectable } from '@nestjs/common';
import { FamilyEntity } from '@family-watch/domain/families/entities/family.entity';
import { In } from 'typeorm';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';

@Injectable()
export class FamilyRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findAll(familyIds: string[]): Promise<FamilyEntity[]> {
    return this.table.find({ where: { familyId: In(familyIds) }, order: { createdAt: 'ASC', familyId: 'ASC' } });
  }

  /** Makes the person's family unless there is one. True when it was made. */
  async createFor(family: Pick<FamilyEntity, 'familyId' | 'ownerUserId' | 'name' | 'createdAt'>): Promise<boolean> {
    const { familyId, ownerUserId, name, createdAt } = family;
    const made = await this.unitOfWork.executor.query(
      `insert into userctx.family (family_id, owner_user_id, name, created_at) values ($1, $2, $3, $4)
       on conflict on constraint family_owner_key do nothing returning family_id`,
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
      'select family_id from userctx.family where owner_user_id = $1 for update',
      [ownerUserId],
    );
    return row?.family_id ?? null;
  }

  async rename(familyId: string, name: string): Promise<void> {
    await this.table.update({ familyId }, { name });
  }

  /** Gives the family its next version. */
  async nextVersion(familyId: string): Promise<{ version: number; ownerUserId: string } | null> {
    const [row] = await this.unitOfWork.executor.query<{ version: number; owner_user_id: string }>(
      'update userctx.family set version = version + 1 where family_id = $1 returning version, owner_user_id',
      [familyId],
    );
    return row ? { version: row.version, ownerUserId: row.owner_user_id } : null;
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(FamilyEntity);
  }
}
