import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  FamilyListDto,
  UpdateFamilyDto,
  FamilyReferenceDto,
  MemberListDto,
  MemberReferenceDto,
  UpdateMemberDto,
  DissolveFamilyDto,
  TransferFamilyDto,
  ClaimDto,
  ClaimListDto,
  ClaimListQueryDto,
  ClaimReferenceDto,
} from '@family-watch/domain/families/dto/family.dto';
import {
  AcceptedInvitationDto,
  AcceptInvitationDto,
  CreatedInvitationDto,
  CreateInvitationDto,
  InvitationListDto,
  InvitationPreviewDto,
  InvitationReferenceDto,
} from '@family-watch/domain/families/dto/invitation.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FamiliesService } from './memberships/families.service.js';
import { InvitationsService } from './memberships/invitations.service.js';
import { OwnershipService } from './memberships/ownership.service.js';

@ApiTags('Families')
@Controller('apis/v2/userctx/user/family')
export class FamiliesController {
  constructor(
    private readonly families: FamiliesService,
    private readonly invitations: InvitationsService,
    private readonly ownership: OwnershipService,
  ) {}

  @Get('list')
  @Operation({
    id: 'listFamilies',
    access: ['user'],
    summary: 'List the caller’s families',
    response: FamilyListDto,
  })
  list(@Caller() caller: Principal): Promise<FamilyListDto> {
    return this.families.list(caller);
  }

  @Post('update')
  @Operation({
    id: 'updateFamily',
    access: ['user'],
    summary: 'Rename a family',
    description: 'For the owner. The family cloud has the same name (`cloudName` of queryFamilyCloud).',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateFamilyDto): Promise<void> {
    return this.families.rename(caller, body);
  }

  @Get('member/list')
  @Operation({
    id: 'listMembers',
    access: ['user'],
    summary: 'List the members of a family',
    description: 'The owner comes first. Not available to contacts.',
    response: MemberListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  listMembers(@Caller() caller: Principal, @Query() query: FamilyReferenceDto): Promise<MemberListDto> {
    return this.families.listMembers(caller, query.familyId);
  }

  @Post('member/update')
  @Operation({
    id: 'updateMember',
    access: ['user'],
    summary: "Change a member's role and permissions",
    description:
      "For the owner. Omitted fields are unchanged. Ownership changes with `family/transfer`: the owner's role " +
      'cannot change, and no member can get role 1 (ROLE_CHANGE_FORBIDDEN).',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CHILD_NOT_FOUND', 'MEMBER_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN'],
  })
  updateMember(@Caller() caller: Principal, @Body() body: UpdateMemberDto): Promise<void> {
    return this.families.updateMember(caller, body);
  }

  @Post('member/remove')
  @Operation({
    id: 'removeMember',
    access: ['user'],
    summary: 'Remove a member from a family',
    description: "For the owner. The member's access ends immediately.",
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'MEMBER_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN'],
  })
  removeMember(@Caller() caller: Principal, @Body() body: MemberReferenceDto): Promise<void> {
    return this.families.removeMember(caller, body);
  }

  @Post('leave')
  @Operation({
    id: 'leaveFamily',
    access: ['user'],
    summary: 'Leave a family',
    description: 'For all members except the owner, who can transfer or dissolve the family.',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  leave(@Caller() caller: Principal, @Body() body: FamilyReferenceDto): Promise<void> {
    return this.families.leave(caller, body.familyId);
  }

  @Post('invitation/create')
  @Operation({
    id: 'createInvitation',
    access: ['user'],
    summary: 'Invite a person to a family',
    description: 'For the owner. The code is shown once, is valid for 72 hours and can be used once.',
    response: CreatedInvitationDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CHILD_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN', 'LIMIT_REACHED'],
  })
  createInvitation(@Caller() caller: Principal, @Body() body: CreateInvitationDto): Promise<CreatedInvitationDto> {
    return this.invitations.create(caller, body);
  }

  // Not a GET: the address would show the code to everything that keeps addresses.
  @Post('invitation/find')
  @Operation({
    id: 'findInvitation',
    access: ['user'],
    summary: 'Look at an invitation',
    description: 'For every person with the code: who invites to which family, and as what.',
    response: InvitationPreviewDto,
    errors: ['INVITATION_INVALID'],
  })
  findInvitation(@Body() body: AcceptInvitationDto): Promise<InvitationPreviewDto> {
    return this.invitations.find(body.code);
  }

  @Post('invitation/accept')
  @Operation({
    id: 'acceptInvitation',
    access: ['user'],
    summary: 'Accept an invitation',
    description:
      'For every person with the code. The caller becomes a member with the role and permissions of the ' +
      'invitation.',
    response: AcceptedInvitationDto,
    errors: ['INVITATION_INVALID', 'ALREADY_MEMBER', 'LIMIT_REACHED'],
  })
  async acceptInvitation(
    @Caller() caller: Principal,
    @Body() body: AcceptInvitationDto,
  ): Promise<AcceptedInvitationDto> {
    return { familyId: await this.invitations.accept(caller, body.code) };
  }

  @Get('invitation/list')
  @Operation({
    id: 'listInvitations',
    access: ['user'],
    summary: 'List pending invitations',
    description: 'For the owner. The codes are not returned again.',
    response: InvitationListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  listInvitations(@Caller() caller: Principal, @Query() query: FamilyReferenceDto): Promise<InvitationListDto> {
    return this.invitations.list(caller, query.familyId);
  }

  @Post('invitation/cancel')
  @Operation({
    id: 'cancelInvitation',
    access: ['user'],
    summary: 'Cancel an invitation',
    description: 'For the owner. The code becomes invalid.',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'INVITATION_NOT_FOUND'],
  })
  cancelInvitation(@Caller() caller: Principal, @Body() body: InvitationReferenceDto): Promise<void> {
    return this.invitations.cancel(caller, body);
  }

  @Post('transfer')
  @Operation({
    id: 'transferFamily',
    access: ['user'],
    summary: 'Transfer family ownership to a guardian',
    description:
      'For the owner. Requires a step-up. The previous owner becomes a guardian. Owner and guardians are ' +
      'notified.',
    errors: [
      ...(['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'STEP_UP_REQUIRED'] as const),
      ...(['MEMBER_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN', 'LIMIT_REACHED'] as const),
    ],
  })
  transfer(@Caller() caller: Principal, @Body() body: TransferFamilyDto): Promise<void> {
    return this.ownership.transfer(caller, body);
  }

  @Post('dissolve')
  @Operation({
    id: 'dissolveFamily',
    access: ['user'],
    summary: 'Dissolve a family',
    description:
      'For the owner. Requires a step-up. Deletes the children and ends all memberships; all members are ' +
      'notified. For seven days the owner can restore the children (child/restore), and with the first of them ' +
      'the family. Other members must be invited again.',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'STEP_UP_REQUIRED'],
  })
  dissolve(@Caller() caller: Principal, @Body() body: DissolveFamilyDto): Promise<void> {
    return this.ownership.dissolve(caller, body);
  }

  @Post('ownership-claim/create')
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
  createClaim(@Caller() caller: Principal, @Body() body: FamilyReferenceDto): Promise<ClaimDto> {
    return this.ownership.createClaim(caller, body.familyId);
  }

  @Get('ownership-claim/list')
  @Operation({
    id: 'listOwnershipClaims',
    access: ['user'],
    summary: 'List ownership claims of a family',
    description: 'All claims with their outcome, newest first, for the owner and guardians.',
    response: ClaimListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  listClaims(@Caller() caller: Principal, @Query() query: ClaimListQueryDto): Promise<ClaimListDto> {
    return this.ownership.listClaims(caller, query);
  }

  @Post('ownership-claim/refuse')
  @Operation({
    id: 'refuseOwnershipClaim',
    access: ['user'],
    summary: 'Refuse an ownership claim',
    description: 'Only the owner of the family can refuse a claim.',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CLAIM_NOT_FOUND', 'CLAIM_STATE'],
  })
  refuseClaim(@Caller() caller: Principal, @Body() body: ClaimReferenceDto): Promise<void> {
    return this.ownership.refuseClaim(caller, body);
  }

  @Post('ownership-claim/withdraw')
  @Operation({
    id: 'withdrawOwnershipClaim',
    access: ['user'],
    summary: "Withdraw the caller's ownership claim",
    description: 'For the guardian who created it. The claim must still be open (otherwise CLAIM_STATE).',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CLAIM_NOT_FOUND', 'CLAIM_STATE'],
  })
  withdrawClaim(@Caller() caller: Principal, @Body() body: ClaimReferenceDto): Promise<void> {
    return this.ownership.withdrawClaim(caller, body);
  }
}
