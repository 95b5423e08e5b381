import { Injectable } from '@nestjs/common';
import { FamilyMemberEntity } from '@family-watch/domain/families/entities/family.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

@Injectable()
export class FamilyMemberRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  find(familyId: string, userId: string): Promise<FamilyMemberEntity | null> {
    return this.table.findOneBy({ familyId, userId });
  }

  findByFamily(familyId: string): Promise<FamilyMemberEntity[]> {
    return this.table.find({ where: { familyId }, order: { role: 'ASC', joinedAt: 'ASC', userId: 'ASC' } });
  }

  findByUser(userId: string): Promise<FamilyMemberEntity[]> {
    return this.table.find({ where: { userId }, order: { joinedAt: 'ASC', familyId: 'ASC' } });
  }

  countByFamily(familyId: string): Promise<number> {
    return this.table.countBy({ familyId });
  }

  async add(member: Omit<FamilyMemberEntity, 'version'>): Promise<void> {
    await this.table.insert({ ...member, version: 1 });
  }

  async update(
    familyId: string,
    userId: string,
    change: Pick<FamilyMemberEntity, 'role' | 'permissions' | 'childPermissions'>,
  ): Promise<void> {
    await this.table.update({ familyId, userId }, { ...change, version: () => 'version + 1' });
  }

  async updateIdentity(
    familyId: string,
    userId: string,
    identity: Pick<FamilyMemberEntity, 'name' | 'areaCode' | 'phoneNumber'>,
  ): Promise<void> {
    await this.table.update({ familyId, userId }, identity);
  }

  async remove(familyId: string, userId: string): Promise<void> {
    await this.table.delete({ familyId, userId });
  }

  async removeAll(familyId: string): Promise<void> {
    await this.table.delete({ familyId });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(FamilyMemberEntity);
  }
}
