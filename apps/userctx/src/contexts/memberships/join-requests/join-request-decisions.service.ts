import { Injectable } from '@nestjs/common';
import { FAMILY_ROLE, MAX_PERMISSIONS_BY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type {
  ApplicationDto,
  ApplicationReferenceDto,
  ApproveApplicationDto,
} from '@family-watch/domain/families/dto/application.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { MemberContactsService } from '../../contacts/member-contacts.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import type { MemberIdentity } from '../../families/family-roster.service.js';
import { MemberProfilesService } from '../../families/member-profiles.service.js';
import { InvitationRepository } from '../invitations/invitation.repository.js';
import { JoinRequestTransitionsService } from './join-request-transitions.service.js';
import { toJoinRequestDto } from './join-request-view.js';
import { JoinRequestRepository } from './join-request.repository.js';
import type { JoinRequest } from './join-request.repository.js';

/** Decides join requests. Only the owner may decide, once and before the request expires. */
@Injectable()
export class JoinRequestDecisionsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly profiles: MemberProfilesService,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly joinRequests: JoinRequestRepository,
    private readonly transitions: JoinRequestTransitionsService,
    private readonly invitations: InvitationRepository,
    private readonly membershipChanges: MemberContactsService,
  ) {}

  /**
   * Adds the applicant as a member with the role and permissions that the owner chose, and marks the invitation that
   * the request used as accepted.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, APPLICATION_NOT_FOUND, CHILD_NOT_FOUND
   * @throws ServiceError ROLE_CHANGE_FORBIDDEN for a second owner
   * @throws ServiceError APPLICATION_STATE if the request is decided, withdrawn or expired
   * @throws ServiceError LIMIT_REACHED, in which case the request stays pending
   */
  async approve(caller: Principal, request: ApproveApplicationDto): Promise<ApplicationDto> {
    await this.access.requireForFamily(caller, request.familyId, 'DECIDE_APPLICATIONS');
    if (request.role === FAMILY_ROLE.OWNER) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    const { applicantUserId } = await this.find(request);
    const profile = await this.profiles.find(applicantUserId);
    if (!profile) throw new ServiceError('APPLICATION_STATE');
    return this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'DECIDE_APPLICATIONS');
      const joinRequest = await this.find(request);
      await this.roster.assertChildren(familyId, request.childPermissions);
      if (joinRequest.expiresAt <= Date.now()) throw new ServiceError('APPLICATION_STATE');
      const approved = await this.transitions.apply(joinRequest, { type: 'APPROVE' });
      if (!approved) throw new ServiceError('APPLICATION_STATE');
      const { invitationId } = approved;
      if (invitationId !== null) await this.invitations.accept(familyId, invitationId, applicantUserId, Date.now());
      await this.roster.addMember(
        familyId,
        applicantUserId,
        toMemberAccess(request),
        toMemberIdentity(request, approved, profile.identity),
      );
      await this.membershipChanges.publishMemberChange(familyId, principalKey(caller));
      return toJoinRequestDto(approved, { forOwner: true });
    });
  }

  /**
   * Rejects the applicant until the owner invites that person again. Idempotent.
   * @throws ServiceError like {@link approve}.
   */
  async reject(caller: Principal, request: ApplicationReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.access.requireForFamily(caller, request.familyId, 'DECIDE_APPLICATIONS');
      const joinRequest = await this.find(request);
      if (!(await this.transitions.apply(joinRequest, { type: 'REJECT' }))) throw new ServiceError('APPLICATION_STATE');
    });
  }

  private async find({ familyId, applicationId }: ApplicationReferenceDto): Promise<JoinRequest> {
    const joinRequest = isUuid(applicationId) ? await this.joinRequests.find(familyId, applicationId) : undefined;
    if (!joinRequest) throw new ServiceError('APPLICATION_NOT_FOUND');
    return joinRequest;
  }
}

function toMemberAccess({ role, permissions, childPermissions }: ApproveApplicationDto) {
  return {
    role,
    permissions: permissions ?? [...MAX_PERMISSIONS_BY_ROLE[role]],
    childPermissions: childPermissions ?? {},
  };
}

/**
 * Returns the new member's identity with the account's current name and number. The appellation and identity type that
 * the owner sent take precedence over those of the applicant.
 */
function toMemberIdentity(
  request: ApproveApplicationDto,
  joinRequest: JoinRequest,
  identity: MemberIdentity,
): MemberIdentity {
  const { appellation = joinRequest.appellation, identityType = joinRequest.identityType } = request;
  return { ...identity, appellation, identityType };
}
