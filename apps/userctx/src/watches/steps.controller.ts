import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { StepDaysDto, StepDaysQueryDto } from '@family-watch/domain/watches/dto/watch.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { StepsService } from './status/steps.service.js';

@ApiTags('Children')
@Controller('apis/v2/userctx/user/child/steps')
export class StepsController {
  constructor(private readonly steps: StepsService) {}

  @Get('list')
  @Operation({
    id: 'listSteps',
    access: ['user'],
    summary: "List the child's steps by day",
    description:
      "Newest day first, in the child's time zone; days without steps are omitted. A change of the time zone does not " +
      'move steps of earlier days.',
    response: StepDaysDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'VALIDATION_FAILED'],
  })
  list(@Caller() caller: Principal, @Query() query: StepDaysQueryDto): Promise<StepDaysDto> {
    return this.steps.list(caller, query);
  }
}
