import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AskedDto, AskLocationDto, AskProgressDto, AskQueryDto } from '@family-watch/domain/locations/dto/location.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { LocationRequestService } from './location-request.service.js';

@ApiTags('Locations')
@Controller('apis/v2/userctx/user/location/ask')
export class LocationRequestController {
  constructor(private readonly requests: LocationRequestService) {}

  @Post()
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'askLocation',
    access: ['user'],
    summary: "Request the watch's current location",
    description: 'The watch shows who requested the location. If a request is pending, returns the pending request.',
    response: AskedDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  create(@Caller() caller: Principal, @Body() { did }: AskLocationDto): Promise<AskedDto> {
    return this.requests.create(caller, did);
  }

  @Get('get')
  @Operation({
    id: 'getAskProgress',
    access: ['user'],
    summary: 'Get the state of a location request',
    response: AskProgressDto,
    errors: ['ASK_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  find(@Caller() caller: Principal, @Query() { askId }: AskQueryDto): Promise<AskProgressDto> {
    return this.requests.find(caller, askId);
  }
}
