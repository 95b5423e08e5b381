import { Injectable } from '@nestjs/common';
import type { TransferFamilyDto } from '@family-watch/domain/families/dto/family.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { StepUpService } from '../../accounts/credentials/step-up.service.js';
import { MemberContactsService } from '../../contacts/member-contacts.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { FamilyOwnershipService } from '../../families/ownership/family-ownership.service.js';

/** Transfers a family from its owner to one of its guardians. */
@Injectable()
export class TransferService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly stepUp: StepUpService,
    private readonly access: FamilyAccessService,
    private readonly ownership: FamilyOwnershipService,
    private readonly membershipChanges: MemberContactsService,
  ) {}

  /**
   * Transfers the family.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, STEP_UP_REQUIRED, MEMBER_NOT_FOUND
   * @throws ServiceError ROLE_CHANGE_FORBIDDEN if the new owner is not a guardian
   * @throws ServiceError LIMIT_REACHED if the guardian owns another family
   */
  async transfer(caller: Principal, { familyId, userId, stepUp }: TransferFamilyDto): Promise<void> {
    await this.access.requireForFamily(caller, familyId, 'TRANSFER');
    await this.stepUp.verify(caller.id, stepUp);
    await this.unitOfWork.run(async () => {
      await this.access.requireForFamily(caller, familyId, 'TRANSFER');
      if (!isUuid(userId)) throw new ServiceError('MEMBER_NOT_FOUND');
      await this.ownership.transfer(familyId, userId, principalKey(caller));
      await this.membershipChanges.publishMemberChange(familyId, principalKey(caller));
    });
  }
}
