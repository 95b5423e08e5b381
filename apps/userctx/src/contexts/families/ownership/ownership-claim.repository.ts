import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import type { ClaimEndState } from './claim-state.js';
import type { ClaimCursor, NewClaim, OwnershipClaim } from './ownership-claim.js';

const COLUMNS = `claim_id as "claimId", family_id as "familyId", claimant_user_id as "claimantUserId", state,
  created_at as "createdAt", deadline, ended_at as "endedAt", ended_by as "endedBy"`;

@Injectable()
export class OwnershipClaimRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns false while another claim of the family is open. */
  async add({ claimId, familyId, claimantUserId, createdAt, deadline }: NewClaim): Promise<boolean> {
    const added = await this.unitOfWork.executor.query(
      `insert into userctx.ownership_claim (claim_id, family_id, claimant_user_id, state, created_at, deadline)
       values ($1, $2, $3, 'OPEN', $4, $5) on conflict (family_id) where state = 'OPEN' do nothing returning 1`,
      [claimId, familyId, claimantUserId, createdAt, deadline],
    );
    return added.length === 1;
  }

  async find(familyId: string, claimId: string): Promise<OwnershipClaim | undefined> {
    const [claim] = await this.unitOfWork.executor.query<OwnershipClaim>(
      `select ${COLUMNS} from userctx.ownership_claim where claim_id = $1 and family_id = $2`,
      [claimId, familyId],
    );
    return claim;
  }

  async findOpen(familyId: string): Promise<OwnershipClaim | undefined> {
    const [claim] = await this.unitOfWork.executor.query<OwnershipClaim>(
      `select ${COLUMNS} from userctx.ownership_claim where family_id = $1 and state = 'OPEN'`,
      [familyId],
    );
    return claim;
  }

  async countSince(familyId: string, claimantUserId: string, since: number): Promise<number> {
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(
      `select count(*)::int as count from userctx.ownership_claim
        where family_id = $1 and claimant_user_id = $2 and created_at > $3`,
      [familyId, claimantUserId, since],
    );
    return row?.count ?? 0;
  }

  /** Returns the claims after the cursor, newest first. */
  findPage(familyId: string, cursor: ClaimCursor | undefined, limit: number): Promise<OwnershipClaim[]> {
    return this.unitOfWork.executor.query<OwnershipClaim>(
      `select ${COLUMNS} from userctx.ownership_claim
        where family_id = $1 and ($2::bigint is null or (created_at, claim_id) < ($2, $3::uuid))
        order by created_at desc, claim_id desc limit $4`,
      [familyId, cursor?.createdAt ?? null, cursor?.claimId ?? null, limit],
    );
  }

  /**
   * Ends an open claim. Returns true for exactly one of several concurrent calls, and false when the claim has ended.
   */
  async end(
    { familyId, claimId }: Pick<OwnershipClaim, 'familyId' | 'claimId'>,
    state: ClaimEndState,
    end: { at: number; by: PrincipalKey | null },
  ): Promise<boolean> {
    const ended = await this.unitOfWork.executor.query(
      `update userctx.ownership_claim set state = $3, ended_at = $4, ended_by = $5
        where claim_id = $1 and family_id = $2 and state = 'OPEN' returning 1`,
      [claimId, familyId, state, end.at, end.by],
    );
    return ended.length === 1;
  }

  /** Returns open claims of all families whose deadline has passed, earliest deadline first. */
  findDue(now: number, limit: number): Promise<OwnershipClaim[]> {
    return this.unitOfWork.executor.query<OwnershipClaim>(
      `select ${COLUMNS} from userctx.ownership_claim where state = 'OPEN' and deadline <= $1
        order by deadline, claim_id limit $2`,
      [now, limit],
    );
  }
}
