import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { LastLocationDto } from '@family-watch/domain/locations/dto/location-view.dto';
import { PointReferenceDto, ReportWrongDto } from '@family-watch/domain/locations/dto/wrong-report.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { PointCorrectionService } from './point-correction.service.js';

@ApiTags('Locations')
@Controller('apis/v2/userctx/user/location/wrong')
export class PointCorrectionController {
  constructor(private readonly reports: PointCorrectionService) {}

  @Post('report')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'reportWrongLocation',
    access: ['user'],
    summary: 'Say that a position is wrong; answers where the child is without it',
    response: LastLocationDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'POINT_NOT_FOUND'],
  })
  report(@Caller() caller: Principal, @Body() body: ReportWrongDto): Promise<LastLocationDto> {
    return this.reports.report(caller, body);
  }

  @Post('withdraw')
  @Operation({
    id: 'withdrawWrongLocation',
    access: ['user'],
    summary: 'Say that a position was right after all; answers where the child is with it',
    response: LastLocationDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'POINT_NOT_FOUND'],
  })
  withdraw(@Caller() caller: Principal, @Body() body: PointReferenceDto): Promise<LastLocationDto> {
    return this.reports.withdraw(caller, body);
  }
}
