import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import {
  AddToEnrolmentListDto,
  EnrolmentListPageDto,
  EnrolmentListQueryDto,
  EnrolmentListResultsDto,
  RemoveFromEnrolmentListDto,
  WatchListQueryDto,
  WatchPageDto,
  WatchReferenceDto,
  WatchStatesDto,
  WatchStatesQueryDto,
} from '@family-watch/domain/operators/dto/fleet.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { EnrolmentListService } from '../watches/identity/enrolment-list.service.js';
import { WatchIdentityService } from '../watches/identity/watch-identity.service.js';
import { WatchStatesService } from '../watches/status/watch-states.service.js';

/** The enrolment list, and states and keys of watches, for operators. */
@ApiTags('Operators: fleet')
@Controller('apis/v2/operator')
export class FleetController {
  constructor(
    private readonly enrolmentList: EnrolmentListService,
    private readonly states: WatchStatesService,
    private readonly identities: WatchIdentityService,
  ) {}

  @Post('enrolment-list/add')
  @Operation({
    id: 'addToEnrolmentList',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['makerKey', 'imeis'] },
    summary: 'Allow watches to enrol',
    description: 'Adds up to 10,000 IMEIs of one manufacturer. A listed IMEI gets the new key.',
    response: EnrolmentListResultsDto,
  })
  add(@Body() request: AddToEnrolmentListDto): Promise<EnrolmentListResultsDto> {
    return this.enrolmentList.add(request);
  }

  @Post('enrolment-list/remove')
  @Operation({
    id: 'removeFromEnrolmentList',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['imeis'] },
    summary: 'Remove watches from the enrolment list',
    description: 'Enrolled watches are not affected; `watch/revoke-key` ends the access of an enrolled watch.',
    response: EnrolmentListResultsDto,
  })
  remove(@Body() request: RemoveFromEnrolmentListDto): Promise<EnrolmentListResultsDto> {
    return this.enrolmentList.remove(request);
  }

  @Get('enrolment-list/list')
  @Operation({
    id: 'listEnrolmentList',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['imei'] },
    summary: 'List the enrolment list',
    description: 'In the order of the IMEIs.',
    response: EnrolmentListPageDto,
  })
  list(@Query() query: EnrolmentListQueryDto): Promise<EnrolmentListPageDto> {
    return this.enrolmentList.list(query);
  }

  @Get('watch/get')
  @Operation({
    id: 'getWatchStates',
    access: { operatorRoles: ['FLEET', 'SUPPORT', 'ADMIN'], auditedFields: ['did', 'imei'] },
    summary: 'Get the states of watches by did or IMEI',
    description: 'At most 50 watches, the latest contact first; an empty list for an unknown `did` or IMEI.',
    response: WatchStatesDto,
  })
  getStates(@Query() query: WatchStatesQueryDto): Promise<WatchStatesDto> {
    return this.states.find(query);
  }

  @Get('watch/list')
  @Operation({
    id: 'listWatchStates',
    access: {
      operatorRoles: ['FLEET', 'SUPPORT', 'ADMIN'],
      auditedFields: ['state', 'model', 'imeiPrefix', 'groupId', 'lastContactBefore'],
    },
    summary: 'List watches',
    description: 'The last enrolled first. With several filters, a watch must match all of them.',
    response: WatchPageDto,
  })
  listWatches(@Query() query: WatchListQueryDto): Promise<WatchPageDto> {
    return this.states.list(query);
  }

  @Post('watch/revoke-key')
  @Operation({
    id: 'revokeWatchKey',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['did'] },
    summary: "Revoke a watch's key",
    description:
      'Unbinds the watch and ends its tokens and sockets. Cannot be undone: a watch that is found again must enrol a ' +
      'new key.',
    errors: ['WATCH_NOT_FOUND'],
  })
  async revokeKey(@Caller() caller: Principal, @Body() { did }: WatchReferenceDto): Promise<EmptyDto> {
    await this.identities.revokeKey(did, principalKey(caller));
    return new EmptyDto();
  }
}
