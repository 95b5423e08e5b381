import { Body, Controller, Get, Ip, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ApplicationDto,
  ApplicationListDto,
  ApplicationListQueryDto,
  ApplicationReferenceDto,
  ApproveApplicationDto,
  CreateApplicationDto,
  FamilyCodeDto,
  OwnApplicationReferenceDto,
} from '@family-watch/domain/families/dto/application.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { FamilyCodesService } from './family-codes.service.js';
import { JoinRequestsService } from './join-requests.service.js';

@ApiTags('Contacts')
@Controller('apis/v2/userctx')
export class JoinRequestsController {
  constructor(
    private readonly codes: FamilyCodesService,
    private readonly joinRequests: JoinRequestsService,
  ) {}

  @Post('watch/family-code/create')
  @Operation({
    id: 'createFamilyCode',
    access: ['watch'],
    summary: 'Create the family code of a watch',
    description:
      'The watch shows the code to people who want to join the family. A new code invalidates the previous one.',
    response: FamilyCodeDto,
    errors: ['WATCH_UNBOUND'],
  })
  createCode(@Caller() watch: Principal): Promise<FamilyCodeDto> {
    return this.codes.create(watch);
  }

  @Post('user/device/contacts/application/create')
  @Operation({
    id: 'createApplication',
    access: ['user'],
    summary: 'Request to join a family',
    description:
      'Requires the code of an invitation or of a watch of the family. Only the owner decides, within seven days. ' +
      "While the caller's request is pending, another call returns the pending request. A rejected person can " +
      'request again only after a new invitation.',
    response: ApplicationDto,
    errors: ['CODE_INVALID', 'ALREADY_MEMBER', 'APPLICATION_REFUSED', 'LIMIT_REACHED', 'RATE_LIMITED'],
  })
  create(@Caller() caller: Principal, @Body() body: CreateApplicationDto, @Ip() ip: string): Promise<ApplicationDto> {
    return this.joinRequests.create(caller, body, ip);
  }

  @Get('user/device/contacts/application/list')
  @Operation({
    id: 'listApplications',
    access: ['user'],
    summary: 'List join requests',
    description:
      "With `familyId`, the requests to join this family, for its owner. Otherwise the caller's own requests. Newest " +
      'first.',
    response: ApplicationListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: ApplicationListQueryDto): Promise<ApplicationListDto> {
    return this.joinRequests.list(caller, query);
  }

  @Post('user/device/contacts/application/approve')
  @Operation({
    id: 'approveApplication',
    access: ['user'],
    summary: 'Approve a join request',
    description: 'The owner chooses the role and permissions of the new member.',
    response: ApplicationDto,
    errors: [
      ...(['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'APPLICATION_NOT_FOUND', 'CHILD_NOT_FOUND'] as const),
      ...(['ROLE_CHANGE_FORBIDDEN', 'APPLICATION_STATE', 'LIMIT_REACHED'] as const),
    ],
  })
  approve(@Caller() caller: Principal, @Body() body: ApproveApplicationDto): Promise<ApplicationDto> {
    return this.joinRequests.approve(caller, body);
  }

  @Post('user/device/contacts/application/reject')
  @Operation({
    id: 'rejectApplication',
    access: ['user'],
    summary: 'Reject a join request',
    description: 'The applicant cannot request again until the owner sends a new invitation.',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'APPLICATION_NOT_FOUND', 'APPLICATION_STATE'],
  })
  reject(@Caller() caller: Principal, @Body() body: ApplicationReferenceDto): Promise<void> {
    return this.joinRequests.reject(caller, body);
  }

  @Post('user/device/contacts/application/cancel')
  @Operation({
    id: 'cancelApplication',
    access: ['user'],
    summary: "Withdraw the caller's join request",
    errors: ['APPLICATION_NOT_FOUND', 'APPLICATION_STATE'],
  })
  cancel(@Caller() caller: Principal, @Body() body: OwnApplicationReferenceDto): Promise<void> {
    return this.joinRequests.cancel(caller, body.applicationId);
  }
}
