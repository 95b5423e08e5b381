import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { LastLocationDto } from '@family-watch/domain/locations/dto/track.dto';
import { PointReferenceDto, ReportWrongDto } from '@family-watch/domain/locations/dto/location.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { PointCorrectionService } from './point-correction.service.js';

@ApiTags('Locations')
@Controller('apis/v2/userctx/user/location/wrong')
export class PointCorrectionController {
  constructor(private readonly corrections: PointCorrectionService) {}

  @Post('report')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'reportWrongLocation',
    access: ['user'],
    summary: 'Report a location point as wrong',
    description: 'Returns the last location without the point.',
    response: LastLocationDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'POINT_NOT_FOUND'],
  })
  report(@Caller() caller: Principal, @Body() body: ReportWrongDto): Promise<LastLocationDto> {
    return this.corrections.report(caller, body);
  }

  @Post('withdraw')
  @Operation({
    id: 'withdrawWrongLocation',
    access: ['user'],
    summary: 'Withdraw a wrong-location report',
    description: 'Returns the last location with the point.',
    response: LastLocationDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'POINT_NOT_FOUND'],
  })
  withdraw(@Caller() caller: Principal, @Body() body: PointReferenceDto): Promise<LastLocationDto> {
    return this.corrections.withdraw(caller, body);
  }
}
