import { Injectable } from '@nestjs/common';
import type { MemberListDto, MemberReferenceDto, UpdateMemberDto } from '@family-watch/domain/families/dto/member.dto';
import type { FamilyMemberEntity } from '@family-watch/domain/families/entities/family-member.entity';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FamilyAccess } from '../../families/family.access.js';
import { FamilyRoster } from '../../families/family-roster.service.js';
import { MembershipChanges } from '../membership-changes.service.js';

/** The members of a family: only the owner changes or removes others; whoever is removed has no access from then on. */
@Injectable()
export class MembersService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccess,
    private readonly roster: FamilyRoster,
    private readonly changes: MembershipChanges,
  ) {}

  /** @throws ServiceError FAMILY_NOT_FOUND; PERMISSION_MISSING for a contact, who knows the watch and nobody else. */
  async list(caller: Principal, requestedFamilyId: string): Promise<MemberListDto> {
    const { familyId } = await this.access.forFamily(caller, requestedFamilyId, 'SEE_MEMBERS');
    const members = await this.roster.membersOf(familyId);
    return { items: members.map(toMember), nextCursor: null };
  }

  /** @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, MEMBER_NOT_FOUND, ROLE_CHANGE_FORBIDDEN. */
  async update(caller: Principal, request: UpdateMemberDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.forFamily(caller, request.familyId, 'MANAGE_MEMBERS');
      const { role, permissions, childPermissions } = request;
      await this.roster.changeMember(familyId, userIdOf(request), { role, permissions, childPermissions });
      await this.changes.tell(familyId, principalKey(caller));
    });
  }

  /** @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, MEMBER_NOT_FOUND, ROLE_CHANGE_FORBIDDEN. */
  async remove(caller: Principal, request: MemberReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.forFamily(caller, request.familyId, 'MANAGE_MEMBERS');
      await this.roster.removeMember(familyId, userIdOf(request));
      await this.changes.tell(familyId, principalKey(caller));
    });
  }

  /** @throws ServiceError FAMILY_NOT_FOUND; PERMISSION_MISSING for the owner, whom the family cannot lose. */
  async leave(caller: Principal, requestedFamilyId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.forFamily(caller, requestedFamilyId, 'LEAVE');
      await this.roster.removeMember(familyId, caller.id);
      await this.changes.tell(familyId, principalKey(caller));
    });
  }
}

function userIdOf({ userId }: MemberReferenceDto): string {
  if (!isUuid(userId)) throw new ServiceError('MEMBER_NOT_FOUND');
  return userId;
}

function toMember(member: FamilyMemberEntity) {
  const { familyId, userId, name, role, permissions, childPermissions, version, joinedAt: joinTime } = member;
  return { familyId, userId, name, role, permissions, childPermissions, version, joinTime };
}
