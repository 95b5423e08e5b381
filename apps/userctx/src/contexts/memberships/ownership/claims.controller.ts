import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FamilyReferenceDto } from '@family-watch/domain/families/dto/family.dto';
import {
  ClaimDto,
  ClaimListDto,
  ClaimListQueryDto,
  ClaimReferenceDto,
} from '@family-watch/domain/families/dto/ownership.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
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
    summary: 'Claim the family as its guardian: it moves after seven days unless the owner refuses',
    description: 'Owner and guardians are told at once. One claim of a family is open at a time.',
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
    summary: 'Every claim of the family and what became of it, for owner and guardians; the newest first',
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
    summary: 'Refuse a claim as the owner',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CLAIM_NOT_FOUND', 'CLAIM_STATE'],
  })
  refuse(@Caller() caller: Principal, @Body() body: ClaimReferenceDto): Promise<void> {
    return this.claims.refuse(caller, body);
  }

  @Post('withdraw')
  @Operation({
    id: 'withdrawOwnershipClaim',
    access: ['user'],
    summary: 'Take the own claim back',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CLAIM_NOT_FOUND', 'CLAIM_STATE'],
  })
  withdraw(@Caller() caller: Principal, @Body() body: ClaimReferenceDto): Promise<void> {
    return this.claims.withdraw(caller, body);
  }
}
