import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccessLogPageDto, AccessLogQueryDto } from '@family-watch/domain/privacy/dto/access-log.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { AccessLogService } from './access-log.service.js';

@ApiTags('Accounts')
@Controller('apis/v2/userctx/user/account/access-log')
export class AccessLogController {
  constructor(private readonly log: AccessLogService) {}

  @Get('get')
  @Operation({
    id: 'getAccessLog',
    access: ['user'],
    summary: 'List who saw the data of a child',
    description:
      'For owner and guardians. One entry per viewer, kind of data and hour, the last entries first. For one day, send ' +
      'its beginning and end as `from` and `to`.',
    response: AccessLogPageDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  get(@Caller() caller: Principal, @Query() query: AccessLogQueryDto): Promise<AccessLogPageDto> {
    return this.log.list(caller, query);
  }
}
