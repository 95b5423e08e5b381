import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  FamilyReferenceDto,
  ClaimDto,
  ClaimListDto,
  ClaimListQueryDto,
  ClaimReferenceDto,
} from '@family-watch/domain/families/dto/family.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { ClaimsService } from './claims.service.js';

@ApiTags('Families')
@Controller('apis/v2/userctx/user/family/ownership-claim')
export class ClaimsController {
  constructor(private readonly claims: ClaimsService) {}

  @Post('create')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'createOwnershipClaim',
    access: ['user'],
    summary: 'Claim ownership of a family',
    description:
      'The caller must be a guardian. The family is transferred after seven days unless the owner refuses. Owner and ' +
      'guardians are notified immediately. Only one claim of a family can be open at a time.',
    response: ClaimDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CLAIM_STATE', 'LIMIT_REACHED'],
  })
  create(@Caller() caller: Principal, @Body() body: FamilyReferenceDto): Promise<ClaimDto> {
    return this.claims.create(caller, body.familyId);
  }

  @Get('list')
  @Operation({
    id: 'listOwnershipClaims',
    access: ['user'],
    summary: 'List ownership claims of a family',
    description: 'All claims with their outcome, newest first, for the owner and guardians.',
    response: ClaimListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: ClaimListQueryDto): Promise<ClaimListDto> {
    return this.claims.list(caller, query);
  }

  @Post('refuse')
  @Operation({
    id: 'refuseOwnershipClaim',
    access: ['user'],
    summary: 'Refuse an ownership claim',
    description: 'Only the owner of the family can refuse a claim.',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CLAIM_NOT_FOUND', 'CLAIM_STATE'],
  })
  refuse(@Caller() caller: Principal, @Body() body: ClaimReferenceDto): Promise<void> {
    return this.claims.refuse(caller, body);
  }

  @Post('withdraw')
  @Operation({
    id: 'withdrawOwnershipClaim',
    access: ['user'],
    summary: "Withdraw the caller's ownership claim",
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CLAIM_NOT_FOUND', 'CLAIM_STATE'],
  })
  withdraw(@Caller() caller: Principal, @Body() body: ClaimReferenceDto): Promise<void> {
    return this.claims.withdraw(caller, body);
  }
}
