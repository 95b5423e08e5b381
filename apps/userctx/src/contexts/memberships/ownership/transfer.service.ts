import { Injectable } from '@nestjs/common';
import type { TransferFamilyDto } from '@family-watch/domain/families/dto/ownership.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { StepUpService } from '../../accounts/credentials/step-up.service.js';
import { FamilyAccess } from '../../families/family.access.js';
import { FamilyOwnership } from '../../families/ownership/family-ownership.service.js';
import { MembershipChanges } from '../membership-changes.service.js';

/** The owner hands the family to one of its guardians. */
@Injectable()
export class TransferService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly stepUp: StepUpService,
    private readonly access: FamilyAccess,
    private readonly ownership: FamilyOwnership,
    private readonly changes: MembershipChanges,
  ) {}

  /**
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, STEP_UP_REQUIRED, MEMBER_NOT_FOUND;
   * ROLE_CHANGE_FORBIDDEN for who is no guardian; LIMIT_REACHED for a guardian who owns another family.
   */
  async transfer(caller: Principal, { familyId, userId, stepUp }: TransferFamilyDto): Promise<void> {
    await this.access.forFamily(caller, familyId, 'TRANSFER');
    await this.stepUp.verify(caller.id, stepUp);
    await this.unitOfWork.run(async () => {
      await this.access.forFamily(caller, familyId, 'TRANSFER');
      if (!isUuid(userId)) throw new ServiceError('MEMBER_NOT_FOUND');
      await this.ownership.hand(familyId, userId, principalKey(caller));
      await this.changes.tell(familyId, principalKey(caller));
    });
  }
}
