import { Injectable } from '@nestjs/common';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type {
  MemberListDto,
  MemberReferenceDto,
  UpdateMemberDto,
  FamilyListDto,
  UpdateFamilyDto,
} from '@family-watch/domain/families/dto/family.dto';
import type { FamilyMemberEntity } from '@family-watch/domain/families/entities/family.entities';
import { readableAvatar } from '@family-watch/domain/kernel/contracts/display-names';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountService } from '../../accounts/account.service.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilyAccessService } from '../family-access.service.js';
import { FamilyRosterService } from '../family-roster.service.js';

/**
 * Lists and renames families, and manages their members. A family is created only with the first child of an account.
 * Only the owner changes or removes other members. A removed member loses access
 * immediately.
 */
@Injectable()
export class FamiliesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly memberContacts: MemberContactsService,
    private readonly accounts: AccountService,
  ) {}

  async list(caller: Principal): Promise<FamilyListDto> {
    const families = await this.roster.listFamilies(caller.id);
    const items = families.map(({ familyId, name, ownerUserId, role, version, createdAt: createTime }) => ({
      familyId,
      name,
      ownerUserId,
      role,
      version,
      createTime,
    }));
    return { items, nextCursor: null };
  }

  /** @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING */
  async rename(caller: Principal, { familyId, name }: UpdateFamilyDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.access.requireForFamily(caller, familyId, 'RENAME_FAMILY');
      await this.roster.rename(familyId, name);
    });
  }

  /**
   * @throws ServiceError FAMILY_NOT_FOUND
   * @throws ServiceError PERMISSION_MISSING for a contact, who may not see the members
   */
  async listMembers(caller: Principal, requestedFamilyId: string): Promise<MemberListDto> {
    const { familyId } = await this.access.requireForFamily(caller, requestedFamilyId, 'SEE_MEMBERS');
    const members = await this.roster.findMembers(familyId);
    const accounts = await this.accounts.findNames(members.map(({ userId }) => userId));
    const avatars = new Map(accounts.map(({ userId, avatar }) => [userId, avatar]));
    const items = members.map((member) => {
      const relation = member.role === FAMILY_ROLE.CONTACT ? 'CONTACT' : 'FAMILY';
      return { ...toMemberDto(member), avatar: readableAvatar(avatars.get(member.userId) ?? null, relation) };
    });
    return { items, nextCursor: null };
  }

  /**
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, CHILD_NOT_FOUND, MEMBER_NOT_FOUND
   * @throws ServiceError ROLE_CHANGE_FORBIDDEN for the owner's role and for a second owner
   */
  async updateMember(caller: Principal, request: UpdateMemberDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'MANAGE_MEMBERS');
      const { role, permissions, childPermissions } = request;
      await this.roster.assertChildrenInFamily(familyId, childPermissions);
      await this.roster.updateMember(familyId, userIdOf(request), { role, permissions, childPermissions });
      await this.publishAccessChange(familyId, userIdOf(request), caller);
    });
  }

  /** @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, MEMBER_NOT_FOUND, ROLE_CHANGE_FORBIDDEN */
  async removeMember(caller: Principal, request: MemberReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'MANAGE_MEMBERS');
      await this.roster.removeMember(familyId, userIdOf(request));
      await this.publishAccessChange(familyId, userIdOf(request), caller, true);
    });
  }

  /**
   * @throws ServiceError FAMILY_NOT_FOUND
   * @throws ServiceError PERMISSION_MISSING for the owner, who cannot leave
   */
  async leave(caller: Principal, requestedFamilyId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, requestedFamilyId, 'LEAVE');
      await this.roster.removeMember(familyId, caller.id);
      await this.memberContacts.publishMemberChange(familyId, principalKey(caller));
    });
  }

  private async publishAccessChange(
    familyId: string,
    userId: string,
    caller: Principal,
    removed = false,
  ): Promise<void> {
    const by = principalKey(caller);
    await this.memberContacts.publishMemberChange(familyId, by);
    const change = { familyId, userId, removed, by, time: Date.now() };
    await this.outbox.appendForFamily('userctx.member-access.changed', change);
  }
}

function userIdOf({ userId }: MemberReferenceDto): string {
  if (!isUuid(userId)) throw new ServiceError('MEMBER_NOT_FOUND');
  return userId;
}

function toMemberDto(member: FamilyMemberEntity) {
  const { familyId, userId, name, role, permissions, childPermissions, version, joinedAt: joinTime } = member;
  return { familyId, userId, name, role, permissions, childPermissions, version, joinTime };
}
