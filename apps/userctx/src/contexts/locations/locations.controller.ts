import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { LocationReportDto, LocationReportResultDto } from '@family-watch/domain/locations/dto/location.dto';
import { LastLocationDto, LocationQueryDto } from '@family-watch/domain/locations/dto/track.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { LocationService } from './location.service.js';

@ApiTags('Locations')
@Controller('apis/v2/userctx')
export class LocationsController {
  constructor(private readonly locations: LocationService) {}

  @Post('watch/location/report')
  @Operation({
    id: 'reportLocation',
    access: ['watch'],
    summary: 'Report location points',
    description: 'Each point is validated separately. Rejected points need not be sent again.',
    response: LocationReportResultDto,
    errors: ['WATCH_UNBOUND'],
  })
  async report(@Caller() watch: Principal, @Body() { points }: LocationReportDto): Promise<LocationReportResultDto> {
    return { results: await this.locations.report(watch, points) };
  }

  @Get('user/location/get')
  @Operation({
    id: 'getLocation',
    access: ['user'],
    summary: "Get a child's last location",
    response: LastLocationDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  async last(@Caller() caller: Principal, @Query() { cid }: LocationQueryDto): Promise<LastLocationDto> {
    return { location: await this.locations.findLast(caller, cid) };
  }
}
