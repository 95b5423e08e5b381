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
  constructor(private readonly service: SosService) {}

  @Post('watch/sos/raise')
  @Operation({
    id: 'raiseSos',
    access: ['watch'],
    isEmergency: true,
    summary: 'Raise an SOS',
    description:
      'If the child has an unresolved SOS, updates and returns this SOS. A call with the same `time` as an earlier ' +
      'call for this child returns the same SOS, even if it has been resolved. A `time` more than a day ago or more ' +
      'than a minute ahead is ignored: after a resolution, each call without a valid time raises another SOS. An SOS ' +
      'is accepted whatever its body and its media type: fields that are invalid or cannot be read count as omitted.',
    response: RaisedSosDto,
    errors: ['WATCH_UNBOUND'],
  })
  raise(@Caller() watch: Principal, @Body() body: RaiseSosDto): Promise<RaisedSosDto> {
    return this.service.raise(watch, body);
  }

  @Get('user/sos/list')
  @Operation({
    id: 'listSos',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: "List a child's SOS calls",
    description: 'Newest first.',
    response: SosListDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: SosListQueryDto): Promise<SosListDto> {
    return this.service.list(caller, query);
  }

  @Post('user/sos/ack')
  @Operation({
    id: 'acknowledgeSos',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: 'Acknowledge an SOS',
    description: 'Only the first acknowledgement counts. The response names the member who acknowledged first.',
    response: SosDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'SOS_NOT_FOUND'],
  })
  acknowledge(@Caller() caller: Principal, @Body() body: SosReferenceDto): Promise<SosDto> {
    return this.service.acknowledge(caller, body);
  }

  @Post('user/sos/resolve')
  @Operation({
    id: 'resolveSos',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: 'Resolve an SOS',
    description: 'Confirms that the child is safe. If the child calls for help again later, this is a new SOS.',
    response: SosDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'SOS_NOT_FOUND'],
  })
  resolve(@Caller() caller: Principal, @Body() body: SosReferenceDto): Promise<SosDto> {
    return this.service.resolve(caller, body);
  }
}
