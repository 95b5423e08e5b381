import { Injectable } from '@nestjs/common';
import type { DissolveFamilyDto } from '@family-watch/domain/families/dto/family.dto';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { StepUpService } from '../../accounts/credentials/step-up.service.js';
import { ChildDeletionService } from '../../children/child-deletion.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { FamilySnapshotsService } from '../../families/family-snapshots.service.js';
import { FamilyOwnershipService } from '../../families/ownership/family-ownership.service.js';
import { JoinRequestTransitionsService } from '../join-requests/join-request-transitions.service.js';
import { InvitationRepository } from '../invitations/invitation.repository.js';

/**
 * Dissolves a family: deletes its children as `child/delete` does, unbinds their watches and removes all members. For
 * seven days the owner can restore the children, which restores the family without its other members.
 */
@Injectable()
export class DissolutionService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly stepUp: StepUpService,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly children: ChildDeletionService,
    private readonly invitations: InvitationRepository,
    private readonly joinRequests: JoinRequestTransitionsService,
    private readonly ownership: FamilyOwnershipService,
    private readonly snapshots: FamilySnapshotsService,
  ) {}

  /** @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, STEP_UP_REQUIRED. */
  async dissolve(caller: Principal, { familyId, stepUp }: DissolveFamilyDto): Promise<void> {
    await this.access.requireForFamily(caller, familyId, 'DISSOLVE');
    await this.stepUp.verify(caller.id, stepUp);
    await this.unitOfWork.run(async () => {
      await this.access.requireForFamily(caller, familyId, 'DISSOLVE');
      const by = principalKey(caller);
      for (const child of await this.roster.findChildren(familyId)) await this.children.remove(child, by);
      await this.invitations.cancelAll(familyId);
      await this.joinRequests.closeAll(familyId);
      await this.ownership.dissolve(familyId, by);
      await this.snapshots.publish(familyId);
    });
  }
}
