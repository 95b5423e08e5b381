import { Body, Controller, Ip, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  ScanReportDto,
  ScanReportResultDto,
  LocatedDto,
  LocateRequestDto,
} from '@family-watch/domain/positioning/dto/positioning.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { LocatedCircle } from './located-circle.js';
import { LocatorService } from './locator.service.js';
import { ScanIntakeService } from './scan-intake.service.js';

@ApiTags('Positioning')
@Controller('apis/v2')
export class PositioningController {
  constructor(
    private readonly intake: ScanIntakeService,
    private readonly locator: LocatorService,
  ) {}

  @Post('userctx/watch/location/scan/report')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'reportScans',
    access: ['watch'],
    summary: 'Report radio scans with GPS locations',
    description:
      "Requires the consent POSITIONING of the owner of the child's family. Stores where each access point and cell " +
      'was observed, but not by which watch. Network names are never stored. Access points with `_nomap` or a ' +
      'randomized MAC address are ignored.',
    response: ScanReportResultDto,
    errors: ['WATCH_UNBOUND'],
  })
  async report(@Caller() watch: Principal, @Body() { scans }: ScanReportDto): Promise<ScanReportResultDto> {
    return { results: await this.intake.process(watch, scans) };
  }

  @Post('tool/position/locate')
  @Operation({
    id: 'locatePosition',
    access: ['watch'],
    summary: 'Locate a watch by observed networks',
    description: 'The true location is within the radius in nine of ten cases.',
    response: LocatedDto,
    errors: ['POSITION_NOT_FOUND', 'WATCH_UNBOUND'],
  })
  async locate(
    @Caller() watch: Principal,
    @Ip() ipAddress: string,
    @Body() body: LocateRequestDto,
  ): Promise<LocatedDto> {
    const { wifiAccessPoints = [], cellTowers = [], ...rest } = body;
    return {
      location: toLocation(await this.locator.locate(watch, { ...rest, wifiAccessPoints, cellTowers, ipAddress })),
    };
  }
}

/** Seven decimals: a precision of one centimetre. */
function toLocation({ latitude, longitude, radius, pointType }: LocatedCircle): LocatedDto['location'] {
  return {
    latitude: latitude.toFixed(7),
    longitude: longitude.toFixed(7),
    positionTime: Date.now(),
    radius: Math.ceil(radius),
    pointType,
  };
}
