import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  FamilyReferenceDto,
  MemberListDto,
  MemberReferenceDto,
  UpdateMemberDto,
} from '@family-watch/domain/families/dto/family.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { MembersService } from './members.service.js';

@ApiTags('Families')
@Controller('apis/v2/userctx/user/family')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get('member/list')
  @Operation({
    id: 'listMembers',
    access: ['user'],
    summary: 'List the members of a family',
    description: 'The owner comes first. Not available to contacts.',
    response: MemberListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: FamilyReferenceDto): Promise<MemberListDto> {
    return this.members.list(caller, query.familyId);
  }

  @Post('member/update')
  @Operation({
    id: 'updateMember',
    access: ['user'],
    summary: "Change a member's role and permissions",
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'CHILD_NOT_FOUND', 'MEMBER_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateMemberDto): Promise<void> {
    return this.members.update(caller, body);
  }

  @Post('member/remove')
  @Operation({
    id: 'removeMember',
    access: ['user'],
    summary: 'Remove a member from a family',
    description: "The member's access ends immediately.",
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'MEMBER_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN'],
  })
  remove(@Caller() caller: Principal, @Body() body: MemberReferenceDto): Promise<void> {
    return this.members.remove(caller, body);
  }

  @Post('leave')
  @Operation({
    id: 'leaveFamily',
    access: ['user'],
    summary: 'Leave a family',
    description: 'The owner cannot leave.',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  leave(@Caller() caller: Principal, @Body() body: FamilyReferenceDto): Promise<void> {
    return this.members.leave(caller, body.familyId);
  }
}
