import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { FAMILY_LIMITS, OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS } from '@family-watch/domain/families/contracts/family';
import type {
  ClaimDto,
  ClaimListQueryDto,
  ClaimReferenceDto,
  TransferFamilyDto,
  DissolveFamilyDto,
} from '@family-watch/domain/families/dto/family.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processRows } from '@family-watch/platform/jobs/process-rows';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountService } from '../../accounts/account.service.js';
import { ChildDeletionService } from '../children/child-deletion.service.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilyAccessService } from '../family-access.service.js';
import { FamilyOwnershipService } from '../family-ownership.service.js';
import { FamilyRosterService } from '../family-roster.service.js';
import { FamilySnapshotsService } from '../family-snapshots.service.js';
import { OwnershipClaimRepository, type OwnershipClaim } from '../ownership-claim.repository.js';
import { InvitationRepository } from './invitation.repository.js';
import { JoinRequestsService } from './join-requests.service.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const GRANT_INTERVAL_MS = 60_000;
const GRANT_BATCH_SIZE = 100;

/**
 * Transfers and dissolves families, and handles ownership claims. A guardian claims a family whose owner is
 * unreachable, the owner and guardians are notified, and after seven days the family is transferred. A granted claim is
 * retained as the record of the transfer.
 */
@Injectable()
export class OwnershipService {
  private readonly logger = new Logger(OwnershipService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly ownership: FamilyOwnershipService,
    private readonly claims: OwnershipClaimRepository,
    private readonly memberContacts: MemberContactsService,
    private readonly accounts: AccountService,
    private readonly children: ChildDeletionService,
    private readonly invitations: InvitationRepository,
    private readonly joinRequests: JoinRequestsService,
    private readonly snapshots: FamilySnapshotsService,
  ) {}

  /**
   * Creates a claim.
   * @throws ServiceError FAMILY_NOT_FOUND
   * @throws ServiceError PERMISSION_MISSING unless the caller is a guardian
   * @throws ServiceError CLAIM_STATE while a claim is open
   * @throws ServiceError LIMIT_REACHED if the caller owns a family, and for the sixth claim in 24 hours
   */
  createClaim(caller: Principal, requestedFamilyId: string): Promise<ClaimDto> {
    return this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, requestedFamilyId, 'CLAIM_OWNERSHIP');
      const createdAt = Date.now();
      if (await this.ownership.ownsFamily(caller.id)) throw new ServiceError('LIMIT_REACHED');
      const claim = await this.ownership.createClaim({
        claimId: randomUUID(),
        familyId,
        claimantUserId: caller.id,
        createdAt,
        deadline: createdAt + OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS,
      });
      if (!claim) throw new ServiceError('CLAIM_STATE');
      const claimsInLastDay = await this.claims.countSince(familyId, caller.id, createdAt - DAY_MS);
      if (claimsInLastDay > FAMILY_LIMITS.claimsPerDay) throw new ServiceError('LIMIT_REACHED');
      return toDto(claim);
    });
  }

  /**
   * Lists claims, newest first.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, VALIDATION_FAILED for an invalid cursor
   */
  async listClaims(caller: Principal, query: ClaimListQueryDto): Promise<Page<ClaimDto>> {
    const requestedPage = decodeTimePage(query);
    const { familyId } = await this.access.requireForFamily(caller, query.familyId, 'SEE_CLAIMS');
    const page = await this.claims.findPage(familyId, requestedPage);
    return { ...page, items: page.items.map(toDto) };
  }

  /**
   * Refuses a claim as the owner. Idempotent.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, CLAIM_NOT_FOUND, CLAIM_STATE
   */
  async refuseClaim(caller: Principal, request: ClaimReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'REFUSE_CLAIM');
      const claim = await this.findClaim(familyId, request.claimId);
      if (!(await this.ownership.applyClaimTransition(claim, 'REFUSE', principalKey(caller))))
        throw new ServiceError('CLAIM_STATE');
    });
  }

  /**
   * Withdraws the caller's own claim. Idempotent.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING (also for another person's claim), CLAIM_NOT_FOUND,
   * CLAIM_STATE
   */
  async withdrawClaim(caller: Principal, request: ClaimReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'CLAIM_OWNERSHIP');
      const claim = await this.findClaim(familyId, request.claimId);
      if (claim.claimantUserId !== caller.id) throw new ServiceError('PERMISSION_MISSING');
      if (!(await this.ownership.applyClaimTransition(claim, 'WITHDRAW', principalKey(caller))))
        throw new ServiceError('CLAIM_STATE');
    });
  }

  /** Transfers families to claimants when the objection period has passed. Runs on every replica. */
  @OnJob('userctx.families.grant-claims', { intervalMs: GRANT_INTERVAL_MS })
  async grantDueClaims(now: number): Promise<void> {
    await processRows<OwnershipClaim>(
      (after) => this.claims.findDue(now, GRANT_BATCH_SIZE, after?.claimId),
      (claim) => this.grantClaim(claim),
      ({ claimId }, err) => this.logger.error({ msg: 'Ownership claim grant failed', claimId, err }),
    );
  }

  /**
   * Transfers the ownership of the family to a guardian.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, STEP_UP_REQUIRED, MEMBER_NOT_FOUND
   * @throws ServiceError ROLE_CHANGE_FORBIDDEN if the new owner is not a guardian, is suspended or is about to be erased
   * @throws ServiceError LIMIT_REACHED if the guardian owns another family
   */
  async transfer(caller: Principal, { familyId, userId, stepUp }: TransferFamilyDto): Promise<void> {
    await this.access.requireForFamily(caller, familyId, 'TRANSFER');
    await this.accounts.verifyStepUp(caller.id, stepUp);
    await this.unitOfWork.run(async () => {
      await this.access.requireForFamily(caller, familyId, 'TRANSFER');
      if (!isUuid(userId)) throw new ServiceError('MEMBER_NOT_FOUND');
      await this.ownership.transfer(familyId, userId, principalKey(caller));
      await this.memberContacts.publishMemberChange(familyId, principalKey(caller));
    });
  }

  /**
   * Deletes the children as `child/delete` does, unbinds their watches and removes all members. For seven days the
   * owner can restore the children, which restores the family without its other members.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, STEP_UP_REQUIRED
   */
  async dissolve(caller: Principal, { familyId, stepUp }: DissolveFamilyDto): Promise<void> {
    await this.access.requireForFamily(caller, familyId, 'DISSOLVE');
    await this.accounts.verifyStepUp(caller.id, stepUp);
    await this.unitOfWork.run(async () => {
      await this.access.requireForFamily(caller, familyId, 'DISSOLVE');
      await this.dissolveLocked(familyId, principalKey(caller));
    });
  }

  /**
   * Dissolves the family in the current transaction, which has locked the family.
   * @param exceptUserId - a member who is not notified
   */
  async dissolveLocked(
    familyId: string,
    by: PrincipalKey,
    { exceptUserId }: { exceptUserId?: string } = {},
  ): Promise<void> {
    for (const child of await this.roster.findChildren(familyId)) await this.children.deleteInLockedFamily(child, by);
    await this.invitations.cancelAll(familyId);
    await this.joinRequests.closeAllPending(familyId);
    await this.ownership.dissolve(familyId, by, exceptUserId);
    await this.snapshots.publish(familyId);
  }

  /**
   * Transfers the family to the claimant unless the claim has ended. Withdraws the claim if the claimant owns
   * another family, because a person owns at most one, or is suspended or about to be erased.
   */
  private async grantClaim({ familyId, claimId }: OwnershipClaim): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.roster.lock(familyId);
      const claim = await this.claims.find(familyId, claimId);
      if (claim?.state !== 'OPEN') return;
      if (!(await this.ownership.findSuccessors(familyId)).includes(claim.claimantUserId)) {
        await this.ownership.applyClaimTransition(claim, 'WITHDRAW', null);
        return;
      }
      await this.ownership.applyClaimTransition(claim, 'GRANT', null);
      await this.ownership.transfer(familyId, claim.claimantUserId, `user:${claim.claimantUserId}`);
      await this.memberContacts.publishMemberChange(familyId, `user:${claim.claimantUserId}`);
    });
  }

  private async findClaim(familyId: string, claimId: string): Promise<OwnershipClaim> {
    const claim = isUuid(claimId) ? await this.claims.find(familyId, claimId) : undefined;
    if (!claim) throw new ServiceError('CLAIM_NOT_FOUND');
    return claim;
  }
}

function toDto(claim: OwnershipClaim): ClaimDto {
  const { claimId, claimantUserId, state, createdAt, deadline, endedAt, endedBy } = claim;
  return { claimId, claimantUserId, state, createTime: createdAt, deadline, endTime: endedAt, endedBy };
}
