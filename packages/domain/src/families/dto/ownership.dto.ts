import { StepUpDto } from '../../accounts/dto/step-up.dto.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { Id, Nested, NestedList, OneOf, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { OWNERSHIP_CLAIM_STATE } from '../contracts/ownership-claim.js';
import type { OwnershipClaimState } from '../contracts/ownership-claim.js';
import { FamilyReferenceDto } from './family.dto.js';
import { MemberReferenceDto } from './member.dto.js';

const STEP_UP = { optional: true, description: 'Without it the answer is STEP_UP_REQUIRED' };

export class TransferFamilyDto extends MemberReferenceDto {
  @Nested(() => StepUpDto, STEP_UP)
  stepUp?: StepUpDto;
}

export class DissolveFamilyDto extends FamilyReferenceDto {
  @Nested(() => StepUpDto, STEP_UP)
  stepUp?: StepUpDto;
}

export class ClaimListQueryDto extends PageQueryDto {
  @Reference({ example: '9a7c1e5e-2b4f-4d39-8a53-5f3d8f0f6c11' })
  familyId: string;
}

export class ClaimReferenceDto extends FamilyReferenceDto {
  @Reference({ example: '8e0e2a43-1d3d-4b57-9a44-0b0f4f2f6a10' })
  claimId: string;
}

/** A guardian's claim of the ownership, and what became of it. */
export class ClaimDto {
  @Id()
  claimId: string;

  @Id()
  claimantUserId: string;

  @OneOf(OWNERSHIP_CLAIM_STATE, {
    description: 'REFUSED: by an owner; WITHDRAWN: by the claimant, or no guardian any more; GRANTED: the new owner',
  })
  state: OwnershipClaimState;

  @UnixMilliseconds()
  createTime: number;

  @UnixMilliseconds({ description: 'The family moves then unless the owner refuses before' })
  deadline: number;

  @UnixMilliseconds({ nullable: true, description: 'null while it is open' })
  endTime: number | null;

  @Text({ nullable: true, example: 'user:3f0c9a4e-77d2-4a0f-bf0e-6f8f4f6f2d10', description: 'null: by itself' })
  endedBy: PrincipalKey | null;
}

export class ClaimListDto {
  @NestedList(() => ClaimDto, { maxItems: MAX_PAGE_LIMIT })
  items: ClaimDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
