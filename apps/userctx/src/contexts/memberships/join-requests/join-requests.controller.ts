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
import { JoinRequestDecisionsService } from './join-request-decisions.service.js';
import { JoinRequestsService } from './join-requests.service.js';
import { FamilyCodesService } from './family-codes.service.js';

@ApiTags('Contacts')
@Controller('apis/v2/userctx')
export class JoinRequestsController {
  constructor(
    private readonly codes: FamilyCodesService,
    private readonly applications: JoinRequestsService,
    private readonly decisions: JoinRequestDecisionsService,
  ) {}

  @Post('watch/family-code/create')
  @Operation({
    id: 'createFamilyCode',
    access: ['watch'],
    summary: 'The code that a watch shows to somebody who wants to belong to the family; it ends the one before it',
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
    summary: 'Apply to the family of an invitation, or of the watch that shows the code',
    description:
      'The owner alone decides, within seven days. Applying again joins what is under way. Who was rejected is ' +
      'refused until the owner invites anew.',
    response: ApplicationDto,
    errors: ['CODE_INVALID', 'ALREADY_MEMBER', 'APPLICATION_REFUSED', 'LIMIT_REACHED', 'RATE_LIMITED'],
  })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateApplicationDto,
    @Ip() address: string,
  ): Promise<ApplicationDto> {
    return this.applications.create(caller, body, address);
  }

  @Get('user/device/contacts/application/list')
  @Operation({
    id: 'listApplications',
    access: ['user'],
    summary: "The family's applications, for its owner, or the caller's own; the newest first",
    response: ApplicationListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: ApplicationListQueryDto): Promise<ApplicationListDto> {
    return this.applications.list(caller, query);
  }

  @Post('user/device/contacts/application/approve')
  @Operation({
    id: 'approveApplication',
    access: ['user'],
    summary: 'Take the applicant in, with the role and permissions that the owner chooses',
    response: ApplicationDto,
    errors: [
      ...(['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'APPLICATION_NOT_FOUND'] as const),
      ...(['ROLE_CHANGE_FORBIDDEN', 'APPLICATION_STATE', 'LIMIT_REACHED'] as const),
    ],
  })
  approve(@Caller() caller: Principal, @Body() body: ApproveApplicationDto): Promise<ApplicationDto> {
    return this.decisions.approve(caller, body);
  }

  @Post('user/device/contacts/application/reject')
  @Operation({
    id: 'rejectApplication',
    access: ['user'],
    summary: 'Refuse the applicant, who stays out until the owner invites',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'APPLICATION_NOT_FOUND', 'APPLICATION_STATE'],
  })
  reject(@Caller() caller: Principal, @Body() body: ApplicationReferenceDto): Promise<void> {
    return this.decisions.reject(caller, body);
  }

  @Post('user/device/contacts/application/cancel')
  @Operation({
    id: 'cancelApplication',
    access: ['user'],
    summary: 'Take the own application back',
    errors: ['APPLICATION_NOT_FOUND', 'APPLICATION_STATE'],
  })
  cancel(@Caller() caller: Principal, @Body() body: OwnApplicationReferenceDto): Promise<void> {
    return this.applications.cancel(caller, body.applicationId);
  }
}
