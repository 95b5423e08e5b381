import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { FAMILY_LIMITS, OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS } from '@family-watch/domain/families/contracts/family';
import type { ClaimDto, ClaimListQueryDto, ClaimReferenceDto } from '@family-watch/domain/families/dto/family.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { decodeTimeCursor, encodeTimeCursor } from '@family-watch/platform/http/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { MemberContactsService } from '../../contacts/member-contacts.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { FamilyOwnershipService } from '../../families/ownership/family-ownership.service.js';
import type { OwnershipClaim } from '../../families/ownership/ownership-claim.js';
import { OwnershipClaimsService } from '../../families/ownership/ownership-claims.service.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const GRANT_INTERVAL_MS = 60_000;
const MAX_GRANTS_PER_RUN = 100;

/**
 * Recovers a family whose owner is unreachable. A guardian claims the family, the owner and guardians are notified, and
 * after seven days the family is transferred. A granted claim is retained as the record of the transfer.
 */
@Injectable()
export class ClaimsService {
  private readonly logger = new Logger(ClaimsService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly ownership: FamilyOwnershipService,
    private readonly claims: OwnershipClaimsService,
    private readonly membershipChanges: MemberContactsService,
  ) {}

  /**
   * Creates a claim.
   * @throws ServiceError FAMILY_NOT_FOUND
   * @throws ServiceError PERMISSION_MISSING unless the caller is a guardian
   * @throws ServiceError CLAIM_STATE while a claim is open
   * @throws ServiceError LIMIT_REACHED if the caller owns a family, and for the sixth claim in 24 hours
   */
  create(caller: Principal, requestedFamilyId: string): Promise<ClaimDto> {
    return this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, requestedFamilyId, 'CLAIM_OWNERSHIP');
      const createdAt = Date.now();
      if (await this.ownership.ownsFamily(caller.id)) throw new ServiceError('LIMIT_REACHED');
      const claim = await this.claims.create({
        claimId: randomUUID(),
        familyId,
        claimantUserId: caller.id,
        createdAt,
        deadline: createdAt + OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS,
      });
      if (!claim) throw new ServiceError('CLAIM_STATE');
      const today = await this.claims.countSince(familyId, caller.id, createdAt - DAY_MS);
      if (today > FAMILY_LIMITS.claimsPerDay) throw new ServiceError('LIMIT_REACHED');
      return toDto(claim);
    });
  }

  /**
   * Lists claims, newest first.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, VALIDATION_FAILED for an invalid cursor.
   */
  async list(caller: Principal, query: ClaimListQueryDto): Promise<Page<ClaimDto>> {
    const { limit = DEFAULT_PAGE_LIMIT } = query;
    const after = decodeTimeCursor(query.cursor);
    const { familyId } = await this.access.requireForFamily(caller, query.familyId, 'SEE_CLAIMS');
    const found = await this.claims.findPage(familyId, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const nextCursor = encodeTimeCursor(last && { time: last.createdAt, id: last.claimId });
    return { items: page.map(toDto), nextCursor };
  }

  /**
   * Refuses a claim as the owner. Idempotent.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, CLAIM_NOT_FOUND, CLAIM_STATE.
   */
  async refuse(caller: Principal, request: ClaimReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'REFUSE_CLAIM');
      const claim = await this.find(familyId, request.claimId);
      if (!(await this.claims.apply(claim, 'REFUSE', principalKey(caller)))) throw new ServiceError('CLAIM_STATE');
    });
  }

  /**
   * Withdraws the caller's own claim. Idempotent.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING (also for another person's claim), CLAIM_NOT_FOUND,
   * CLAIM_STATE.
   */
  async withdraw(caller: Principal, request: ClaimReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'CLAIM_OWNERSHIP');
      const claim = await this.find(familyId, request.claimId);
      if (claim.claimantUserId !== caller.id) throw new ServiceError('PERMISSION_MISSING');
      if (!(await this.claims.apply(claim, 'WITHDRAW', principalKey(caller)))) throw new ServiceError('CLAIM_STATE');
    });
  }

  /** Transfers families to claimants when the objection period has passed. Runs on every replica. */
  @OnJob('userctx.families.grant-claims', { intervalMs: GRANT_INTERVAL_MS })
  async grantDue(now: number): Promise<void> {
    for (const claim of await this.claims.findDue(now, MAX_GRANTS_PER_RUN)) {
      try {
        await this.grant(claim);
      } catch (error) {
        // A failure must not delay the claims of other families.
        this.logger.error({ msg: 'Ownership claim grant failed', claimId: claim.claimId, err: error });
      }
    }
  }

  /**
   * Transfers the family to the claimant unless the claim has ended. If the claimant owns another family, withdraws the
   * claim, because a person owns at most one family.
   */
  private async grant({ familyId, claimId }: OwnershipClaim): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.roster.lock(familyId);
      const claim = await this.claims.find(familyId, claimId);
      if (claim?.state !== 'OPEN') return;
      if (await this.ownership.ownsFamily(claim.claimantUserId)) {
        await this.claims.apply(claim, 'WITHDRAW', null);
        return;
      }
      await this.claims.apply(claim, 'GRANT', null);
      await this.ownership.transfer(familyId, claim.claimantUserId, `user:${claim.claimantUserId}`);
      await this.membershipChanges.publishMemberChange(familyId, `user:${claim.claimantUserId}`);
    });
  }

  private async find(familyId: string, claimId: string): Promise<OwnershipClaim> {
    const claim = isUuid(claimId) ? await this.claims.find(familyId, claimId) : undefined;
    if (!claim) throw new ServiceError('CLAIM_NOT_FOUND');
    return claim;
  }
}

function toDto(claim: OwnershipClaim): ClaimDto {
  const { claimId, claimantUserId, state, createdAt, deadline, endedAt, endedBy } = claim;
  return { claimId, claimantUserId, state, createTime: createdAt, deadline, endTime: endedAt, endedBy };
}
