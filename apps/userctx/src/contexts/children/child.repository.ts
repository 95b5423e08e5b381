import { Injectable } from '@nestjs/common';
import { ChildEntity } from '@family-watch/domain/children/entities/child.entity';
import { IsNull, MoreThan } from 'typeorm';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** The fields of a child that an update can change. */
export type ChildChanges = Partial<Omit<ChildEntity, 'cid' | 'familyId' | 'createdAt' | 'deletedAt'>>;

export type ErasedChild = Pick<ChildEntity, 'cid' | 'familyId'>;

@Injectable()
export class ChildRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  find(familyId: string, cid: string): Promise<ChildEntity | null> {
    return this.table.findOneBy({ familyId, cid, deletedAt: IsNull() });
  }

  /**
   * Returns the family of a child that was deleted after `since` (Unix milliseconds), for the caller's access check.
   */
  async findFamilyOfDeleted(cid: string, since: number): Promise<string | null> {
    const child = await this.table.findOneBy({ cid, deletedAt: MoreThan(since) });
    return child?.familyId ?? null;
  }

  async add(child: ChildEntity): Promise<void> {
    await this.table.insert(child);
  }

  async update(familyId: string, cid: string, changes: ChildChanges): Promise<void> {
    await this.table.update({ familyId, cid }, changes);
  }

  async markDeleted(familyId: string, cid: string, deletedAt: number): Promise<void> {
    await this.table.update({ familyId, cid }, { deletedAt });
  }

  /** Returns false when the child was not deleted, or was deleted before `since`. */
  async restore(familyId: string, cid: string, since: number): Promise<boolean> {
    const { affected } = await this.table.update({ familyId, cid, deletedAt: MoreThan(since) }, { deletedAt: null });
    return affected === 1;
  }

  /** Permanently deletes at most `limit` children that were deleted before `before` (Unix milliseconds). */
  erase(before: number, limit: number): Promise<ErasedChild[]> {
    return this.unitOfWork.executor.query<ErasedChild>(
      `delete from userctx.child
        where cid in (select cid from userctx.child where deleted_at <= $1
                       order by deleted_at limit $2 for update skip locked)
       returning cid, family_id as "familyId"`,
      [before, limit],
    );
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(ChildEntity);
  }
}
