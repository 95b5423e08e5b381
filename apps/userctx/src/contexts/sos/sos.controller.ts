import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  RaisedSosDto,
  RaiseSosDto,
  SosDto,
  SosListDto,
  SosListQueryDto,
  SosReferenceDto,
} from '@family-watch/domain/sos/dto/sos.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { SosService } from './sos.service.js';

@ApiTags('SOS')
@Controller('apis/v2/userctx')
export class SosController {
  constructor(private readonly calls: SosService) {}

  @Post('watch/sos/raise')
  @Operation({
    id: 'raiseSos',
    access: ['watch'],
    summary: 'Call for help; again before it is resolved joins it',
    description: 'The same time again is the same call. A bad position never keeps a call from being heard.',
    response: RaisedSosDto,
    errors: ['WATCH_UNBOUND'],
  })
  raise(@Caller() watch: Principal, @Body() body: RaiseSosDto): Promise<RaisedSosDto> {
    return this.calls.raise(watch, body);
  }

  @Get('user/sos/list')
  @Operation({
    id: 'listSos',
    access: ['user'],
    summary: "A child's calls for help, newest first",
    response: SosListDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: SosListQueryDto): Promise<SosListDto> {
    return this.calls.list(caller, query);
  }

  @Post('user/sos/ack')
  @Operation({
    id: 'acknowledgeSos',
    access: ['user'],
    summary: 'Take care of it; the first one does, the answer says who that is',
    response: SosDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'SOS_NOT_FOUND'],
  })
  acknowledge(@Caller() caller: Principal, @Body() body: SosReferenceDto): Promise<SosDto> {
    return this.calls.acknowledge(caller, body);
  }

  @Post('user/sos/resolve')
  @Operation({
    id: 'resolveSos',
    access: ['user'],
    summary: 'The child is safe; the next call is a new one',
    response: SosDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'SOS_NOT_FOUND'],
  })
  resolve(@Caller() caller: Principal, @Body() body: SosReferenceDto): Promise<SosDto> {
    return this.calls.resolve(caller, body);
  }
}
