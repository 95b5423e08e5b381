import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { TrackDto, TrackQueryDto, VisitsDto, VisitsQueryDto } from '@family-watch/domain/locations/dto/track.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { VisitsService } from '../visits/visits.service.js';
import { TrackService } from './track.service.js';

@ApiTags('Locations')
@Controller('apis/v2/userctx/user/location')
export class TrackController {
  constructor(
    private readonly tracks: TrackService,
    private readonly visits: VisitsService,
  ) {}

  @Get('track')
  @Operation({
    id: 'getTrack',
    access: ['user'],
    summary: "Get a child's track",
    description: 'The points are in time order.',
    response: TrackDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  getTrack(@Caller() caller: Principal, @Query() query: TrackQueryDto): Promise<TrackDto> {
    return this.tracks.findTrack(caller, query);
  }

  @Get('visits')
  @Operation({
    id: 'getVisits',
    access: ['user'],
    summary: "List a child's visits",
    description:
      'Detected in the track of the period. A visit that began earlier starts at the first point of the period.',
    response: VisitsDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  getVisits(@Caller() caller: Principal, @Query() query: VisitsQueryDto): Promise<VisitsDto> {
    return this.visits.list(caller, query);
  }
}
