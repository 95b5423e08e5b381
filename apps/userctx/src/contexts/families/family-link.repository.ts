import { Injectable } from '@nestjs/common';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import { IsNull, QueryFailedError } from 'typeorm';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildLink } from './child-link.js';
import { FamilyRepository } from './family.repository.js';

/**
 * Stores the children of families and the watches that act as them. Inside a transaction, the lookups lock the family
 * first, so that their results stay valid until the transaction ends.
 */
@Injectable()
export class FamilyLinkRepository {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly families: FamilyRepository,
  ) {}

  findByChild(cid: string): Promise<ChildLink | null> {
    return this.findLocked({ cid });
  }

  findByWatch(did: number): Promise<ChildLink | null> {
    return this.findLocked({ did });
  }

  findByFamily(familyId: string): Promise<ChildLink[]> {
    return this.table.find({
      select: { familyId: true, cid: true, did: true },
      where: { familyId },
      order: { addedAt: 'ASC', cid: 'ASC' },
    });
  }

  countByFamily(familyId: string): Promise<number> {
    return this.table.countBy({ familyId });
  }

  async add(familyId: string, cid: string, addedAt: number): Promise<void> {
    await this.table.insert({ familyId, cid, did: null, addedAt });
  }

  /** Returns false when the child was not in the family. */
  async remove(familyId: string, cid: string): Promise<boolean> {
    const { affected } = await this.table.delete({ familyId, cid });
    return affected === 1;
  }

  async setWatch(familyId: string, cid: string, did: number): Promise<'SET' | 'CHILD_HAS_WATCH' | 'WATCH_TAKEN'> {
    try {
      const { affected } = await this.table.update({ familyId, cid, did: IsNull() }, { did });
      return affected === 1 ? 'SET' : 'CHILD_HAS_WATCH';
    } catch (error) {
      // Only the unique constraint detects that the watch is bound to a child of another family, because the
      // transaction has not locked that family.
      if (constraintOf(error) === 'family_child_did_key') return 'WATCH_TAKEN';
      throw error;
    }
  }

  async clearWatch(familyId: string, cid: string): Promise<void> {
    await this.table.update({ familyId, cid }, { did: null });
  }

  private async findLocked(condition: { cid: string } | { did: number }): Promise<ChildLink | null> {
    const found = await this.table.findOneBy(condition);
    if (!found || !this.unitOfWork.isInTransaction) return found;
    await this.families.lock(found.familyId);
    // Reads the row again, because the row may have changed while the transaction waited for the lock.
    return this.table.findOneBy({ ...condition, familyId: found.familyId });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(FamilyChildEntity);
  }
}

function constraintOf(error: unknown): string | undefined {
  return error instanceof QueryFailedError ? (error.driverError as { constraint?: string }).constraint : undefined;
}
