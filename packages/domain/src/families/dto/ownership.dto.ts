import { StepUpDto } from '../../accounts/dto/step-up.dto.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import {
  UuidField,
  NestedField,
  NestedListField,
  EnumField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { OWNERSHIP_CLAIM_STATE } from '../contracts/ownership-claim.js';
import type { OwnershipClaimState } from '../contracts/ownership-claim.js';
import { FamilyReferenceDto } from './family.dto.js';
import { MemberReferenceDto } from './member.dto.js';

const STEP_UP_OPTIONS = { optional: true, description: 'If omitted, the request fails with STEP_UP_REQUIRED' };

export class TransferFamilyDto extends MemberReferenceDto {
  @NestedField(() => StepUpDto, STEP_UP_OPTIONS)
  stepUp?: StepUpDto;
}

export class DissolveFamilyDto extends FamilyReferenceDto {
  @NestedField(() => StepUpDto, STEP_UP_OPTIONS)
  stepUp?: StepUpDto;
}

export class ClaimListQueryDto extends PageQueryDto {
  @ReferenceField({ example: '9a7c1e5e-2b4f-4d39-8a53-5f3d8f0f6c11' })
  familyId: string;
}

export class ClaimReferenceDto extends FamilyReferenceDto {
  @ReferenceField({ example: '8e0e2a43-1d3d-4b57-9a44-0b0f4f2f6a10' })
  claimId: string;
}

/** An ownership claim of a guardian and its state. */
export class ClaimDto {
  @UuidField()
  claimId: string;

  @UuidField()
  claimantUserId: string;

  @EnumField(OWNERSHIP_CLAIM_STATE, {
    description:
      'OPEN; REFUSED by an owner; WITHDRAWN by the claimant, or because the claimant is no longer a guardian; ' +
      'GRANTED: the claimant is the new owner',
  })
  state: OwnershipClaimState;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField({ description: 'Time of the transfer unless the owner refuses before' })
  deadline: number;

  @UnixMillisecondsField({ nullable: true, description: 'null while the claim is open' })
  endTime: number | null;

  @StringField({
    nullable: true,
    example: 'user:3f0c9a4e-77d2-4a0f-bf0e-6f8f4f6f2d10',
    description: 'Principal that ended the claim; null if the service ended it',
  })
  endedBy: PrincipalKey | null;
}

export class ClaimListDto {
  @NestedListField(() => ClaimDto, { maxItems: MAX_PAGE_LIMIT })
  items: ClaimDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last one' })
  nextCursor: string | null;
}
