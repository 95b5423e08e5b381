import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FamilyReferenceDto } from '@family-watch/domain/families/dto/family.dto';
import {
  AcceptedInvitationDto,
  AcceptInvitationDto,
  CreatedInvitationDto,
  CreateInvitationDto,
  InvitationListDto,
  InvitationReferenceDto,
} from '@family-watch/domain/families/dto/invitation.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { InvitationsService } from './invitations.service.js';

@ApiTags('Families')
@Controller('apis/v2/userctx/user/family/invitation')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Post('create')
  @Operation({
    id: 'createInvitation',
    access: ['user'],
    summary: 'Invite a person to a family',
    description: 'The code is shown once, is valid for 72 hours and can be used once.',
    response: CreatedInvitationDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CHILD_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN', 'LIMIT_REACHED'],
  })
  create(@Caller() caller: Principal, @Body() body: CreateInvitationDto): Promise<CreatedInvitationDto> {
    return this.invitations.create(caller, body);
  }

  @Post('accept')
  @Operation({
    id: 'acceptInvitation',
    access: ['user'],
    summary: 'Accept an invitation',
    response: AcceptedInvitationDto,
    errors: ['INVITATION_INVALID', 'ALREADY_MEMBER', 'LIMIT_REACHED'],
  })
  async accept(@Caller() caller: Principal, @Body() body: AcceptInvitationDto): Promise<AcceptedInvitationDto> {
    return { familyId: await this.invitations.accept(caller, body.code) };
  }

  @Get('list')
  @Operation({
    id: 'listInvitations',
    access: ['user'],
    summary: 'List pending invitations',
    response: InvitationListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: FamilyReferenceDto): Promise<InvitationListDto> {
    return this.invitations.list(caller, query.familyId);
  }

  @Post('cancel')
  @Operation({
    id: 'cancelInvitation',
    access: ['user'],
    summary: 'Cancel an invitation',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'INVITATION_NOT_FOUND'],
  })
  cancel(@Caller() caller: Principal, @Body() body: InvitationReferenceDto): Promise<void> {
    return this.invitations.cancel(caller, body);
  }
}
