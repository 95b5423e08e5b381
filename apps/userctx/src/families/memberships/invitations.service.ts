import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FAMILY_LIMITS, INVITATION_TTL_MS, INVITATION_STATE } from '@family-watch/domain/families/contracts/family';
import { FAMILY_ROLE, MAX_PERMISSIONS_BY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type {
  CreatedInvitationDto,
  CreateInvitationDto,
  InvitationListDto,
  InvitationPreviewDto,
  InvitationReferenceDto,
} from '@family-watch/domain/families/dto/invitation.dto';
import type { FamilyInvitationEntity } from '@family-watch/domain/families/entities/join-request.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilyAccessService } from '../family-access.service.js';
import { FamilyRosterService, type MemberIdentity } from '../family-roster.service.js';
import { digestInvitationCode } from './family-codes.service.js';
import { InvitationRepository } from './invitation.repository.js';
import { JoinRequestsService } from './join-requests.service.js';

/**
 * Returns 128 random bits as base64url. The entropy makes guessing infeasible, so an unsalted digest suffices at rest.
 */
function generateInvitationCode(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * Manages the invitations with which an owner adds members to the family. A code is valid for 72 hours and for one
 * person.
 */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly memberContacts: MemberContactsService,
    private readonly joinRequests: JoinRequestsService,
    private readonly invitations: InvitationRepository,
  ) {}

  /**
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, ROLE_CHANGE_FORBIDDEN (a second owner), CHILD_NOT_FOUND,
   * LIMIT_REACHED
   */
  async create(caller: Principal, request: CreateInvitationDto): Promise<CreatedInvitationDto> {
    const code = generateInvitationCode();
    const now = Date.now();
    const { role } = request;
    const invitation: FamilyInvitationEntity = {
      invitationId: randomUUID(),
      familyId: request.familyId,
      codeDigest: digestInvitationCode(code),
      role,
      permissions: request.permissions ?? [...MAX_PERMISSIONS_BY_ROLE[role]],
      childPermissions: request.childPermissions ?? {},
      appellation: request.appellation ?? null,
      identityType: request.identityType ?? 0,
      state: INVITATION_STATE.PENDING,
      acceptedBy: null,
      createdAt: now,
      expiresAt: now + INVITATION_TTL_MS,
    };
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'INVITE');
      if (role === FAMILY_ROLE.OWNER) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
      await this.roster.assertChildrenInFamily(familyId, request.childPermissions);
      const pending = await this.invitations.findPending(familyId, now);
      if (pending.length >= FAMILY_LIMITS.pendingInvitations) throw new ServiceError('LIMIT_REACHED');
      await this.invitations.add(invitation);
    });
    return { invitationId: invitation.invitationId, code, expireTime: invitation.expiresAt };
  }

  /**
   * Returns what a person with the code may know before accepting the invitation.
   * @throws ServiceError INVITATION_INVALID
   */
  async find(code: string): Promise<InvitationPreviewDto> {
    const invitation = await this.invitations.findByCode(digestInvitationCode(code), Date.now());
    if (!invitation) throw new ServiceError('INVITATION_INVALID');
    const { familyId, role, appellation, expiresAt } = invitation;
    const [families, members] = await Promise.all([
      this.roster.findNames([familyId]),
      this.roster.findMembers(familyId),
    ]);
    // Only the owner invites.
    const owner = members.find((member) => member.role === FAMILY_ROLE.OWNER);
    const [family] = families;
    if (!family || !owner) throw new ServiceError('INVITATION_INVALID');
    return {
      familyName: family.name,
      inviterName: owner.name,
      role,
      ...(appellation !== null && { appellation }),
      expireTime: expiresAt,
    };
  }

  /**
   * Adds the caller to the family of the invitation.
   * @returns the id of the family
   * @throws ServiceError INVITATION_INVALID, ALREADY_MEMBER, LIMIT_REACHED
   */
  async accept(caller: Principal, code: string): Promise<string> {
    const digest = digestInvitationCode(code);
    return this.unitOfWork.run(async () => {
      const { identity } = await this.roster.getProfile(caller.id);
      const now = Date.now();
      const invitation = await this.invitations.findByCode(digest, now);
      if (!invitation) throw new ServiceError('INVITATION_INVALID');
      const { familyId, invitationId } = invitation;
      await this.roster.lock(familyId);
      if (!(await this.invitations.accept(familyId, invitationId, caller.id, now))) {
        throw new ServiceError('INVITATION_INVALID');
      }
      await this.roster.addMember(familyId, caller.id, invitation, toMemberIdentity(invitation, identity));
      // The call of `recordJoin` returns false when the owner has rejected this person after creating the invitation.
      if (!(await this.joinRequests.recordJoin(familyId, caller.id, invitation.createdAt))) {
        throw new ServiceError('INVITATION_INVALID');
      }
      await this.memberContacts.publishMemberChange(familyId, principalKey(caller));
      return familyId;
    });
  }

  /** @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING */
  async list(caller: Principal, requestedFamilyId: string): Promise<InvitationListDto> {
    const { familyId } = await this.access.requireForFamily(caller, requestedFamilyId, 'INVITE');
    const pending = await this.invitations.findPending(familyId, Date.now());
    const items = pending.map(({ invitationId, role, permissions, childPermissions, appellation, ...times }) => ({
      invitationId,
      role,
      permissions,
      childPermissions,
      ...(appellation === null ? {} : { appellation }),
      createTime: times.createdAt,
      expireTime: times.expiresAt,
    }));
    return { items, nextCursor: null };
  }

  /** @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, INVITATION_NOT_FOUND */
  async cancel(caller: Principal, request: InvitationReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'INVITE');
      const { invitationId } = request;
      const cancelled = isUuid(invitationId) && (await this.invitations.cancel(familyId, invitationId, Date.now()));
      if (!cancelled) throw new ServiceError('INVITATION_NOT_FOUND');
    });
  }
}

/** Applies the appellation and identity type that the owner set in the invitation. */
function toMemberIdentity(
  { appellation, identityType }: FamilyInvitationEntity,
  identity: MemberIdentity,
): MemberIdentity {
  return { ...identity, appellation: appellation ?? identity.appellation, identityType };
}
