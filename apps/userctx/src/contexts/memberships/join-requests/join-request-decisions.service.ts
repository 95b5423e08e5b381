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
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import type { MemberIdentity } from '../../families/family-roster.service.js';
import { MemberProfilesService } from '../../families/member-profiles.service.js';
import { InvitationRepository } from '../invitations/invitation.repository.js';
import { MembershipChangePublisherService } from '../membership-change-publisher.service.js';
import { JoinRequestTransitionsService } from './join-request-transitions.service.js';
import { toJoinRequestDto } from './join-request-view.js';
import { JoinRequestRepository } from './join-request.repository.js';
import type { JoinRequest } from './join-request.repository.js';

/** The owner answers applications: nobody else, once, and in time. */
@Injectable()
export class JoinRequestDecisionsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly profiles: MemberProfilesService,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly applications: JoinRequestRepository,
    private readonly changes: JoinRequestTransitionsService,
    private readonly invitations: InvitationRepository,
    private readonly memberships: MembershipChangePublisherService,
  ) {}

  /**
   * The applicant becomes a member as the owner says; an invitation that led here is used up.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, APPLICATION_NOT_FOUND; ROLE_CHANGE_FORBIDDEN for a
   * second owner; APPLICATION_STATE for what is answered, taken back or expired; LIMIT_REACHED, the application stays.
   */
  async approve(caller: Principal, request: ApproveApplicationDto): Promise<ApplicationDto> {
    await this.access.requireForFamily(caller, request.familyId, 'DECIDE_APPLICATIONS');
    if (request.role === FAMILY_ROLE.OWNER) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    const { applicantUserId } = await this.find(request);
    const profile = await this.profiles.find(applicantUserId);
    if (!profile) throw new ServiceError('APPLICATION_STATE');
    return this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'DECIDE_APPLICATIONS');
      const application = await this.find(request);
      if (application.expiresAt <= Date.now()) throw new ServiceError('APPLICATION_STATE');
      const approved = await this.changes.apply(application, { type: 'APPROVE' });
      if (!approved) throw new ServiceError('APPLICATION_STATE');
      const { invitationId } = approved;
      if (invitationId !== null) await this.invitations.accept(familyId, invitationId, applicantUserId, Date.now());
      await this.roster.addMember(familyId, applicantUserId, grantOf(request), cardOf(request, approved, profile.card));
      await this.memberships.publish(familyId, principalKey(caller));
      return toJoinRequestDto(approved, { forOwner: true });
    });
  }

  /** The applicant stays out until the owner invites; again does nothing. @throws ServiceError like {@link approve}. */
  async reject(caller: Principal, request: ApplicationReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.access.requireForFamily(caller, request.familyId, 'DECIDE_APPLICATIONS');
      const application = await this.find(request);
      if (!(await this.changes.apply(application, { type: 'REJECT' }))) throw new ServiceError('APPLICATION_STATE');
    });
  }

  private async find({ familyId, applicationId }: ApplicationReferenceDto): Promise<JoinRequest> {
    const application = isUuid(applicationId) ? await this.applications.find(familyId, applicationId) : undefined;
    if (!application) throw new ServiceError('APPLICATION_NOT_FOUND');
    return application;
  }
}

function grantOf({ role, permissions, childPermissions }: ApproveApplicationDto) {
  return {
    role,
    permissions: permissions ?? [...MAX_PERMISSIONS_BY_ROLE[role]],
    childPermissions: childPermissions ?? {},
  };
}

/** Name and number as the account has them now; what the children call this person is the owner's last word. */
function cardOf(request: ApproveApplicationDto, asked: JoinRequest, card: MemberIdentity): MemberIdentity {
  const { appellation = asked.appellation, identityType = asked.identityType } = request;
  return { ...card, appellation, identityType };
}
