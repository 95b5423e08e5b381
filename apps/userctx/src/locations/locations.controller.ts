import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  CreatedShareDto,
  CreateShareDto,
  ShareListDto,
  ShareListQueryDto,
  ShareReferenceDto,
} from '@family-watch/domain/locations/dto/location-share.dto';
import {
  LocationReportDto,
  LocationReportResultDto,
  AskedDto,
  AskLocationDto,
  AskProgressDto,
  AskQueryDto,
  PointReferenceDto,
  ReportWrongDto,
} from '@family-watch/domain/locations/dto/location.dto';
import {
  LastLocationDto,
  LastLocationQueryDto,
  TrackDto,
  TrackQueryDto,
  VisitsDto,
  VisitsQueryDto,
} from '@family-watch/domain/locations/dto/track.dto';
import { Environment } from '@family-watch/platform/config/environment';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { publicUrl } from '@family-watch/platform/http/public-url';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { LocationRequestService } from './location-request.service.js';
import { LocationSharesService } from './location-shares.service.js';
import { LocationService } from './location.service.js';
import { PointCorrectionService } from './point-correction.service.js';

@ApiTags('Locations')
@Controller('apis/v2/userctx')
export class LocationsController {
  constructor(
    private readonly locations: LocationService,
    private readonly requests: LocationRequestService,
    private readonly corrections: PointCorrectionService,
    private readonly shares: LocationSharesService,
    private readonly environment: Environment,
  ) {}

  @Post('watch/location/report')
  @Operation({
    id: 'reportLocation',
    access: ['watch'],
    summary: 'Report location points',
    description: 'Each point is validated separately. The watch need not send rejected points again.',
    response: LocationReportResultDto,
    errors: ['WATCH_UNBOUND'],
  })
  async reportPoints(
    @Caller() watch: Principal,
    @Body() { points }: LocationReportDto,
  ): Promise<LocationReportResultDto> {
    return { results: await this.locations.report(watch, points) };
  }

  @Get('user/location/get')
  @Operation({
    id: 'getLocation',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: "Get a child's last location",
    response: LastLocationDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  getLastLocation(@Caller() caller: Principal, @Query() query: LastLocationQueryDto): Promise<LastLocationDto> {
    return this.locations.findLastWithTown(caller, query);
  }

  @Post('user/location/ask')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'askLocation',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: "Request the watch's current location",
    description: 'The watch shows who requested the location. If a request is pending, returns the pending request.',
    response: AskedDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  createRequest(@Caller() caller: Principal, @Body() { did }: AskLocationDto): Promise<AskedDto> {
    return this.requests.create(caller, did);
  }

  @Get('user/location/ask/get')
  @Operation({
    id: 'getAskProgress',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: 'Get the state of a location request',
    response: AskProgressDto,
    errors: ['ASK_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  findRequest(@Caller() caller: Principal, @Query() { askId }: AskQueryDto): Promise<AskProgressDto> {
    return this.requests.find(caller, askId);
  }

  @Get('user/location/track')
  @Operation({
    id: 'getTrack',
    access: ['user'],
    summary: "Get a child's track",
    description: 'The points are in time order.',
    response: TrackDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  getTrack(@Caller() caller: Principal, @Query() query: TrackQueryDto): Promise<TrackDto> {
    return this.locations.findTrack(caller, query);
  }

  @Get('user/location/visits')
  @Operation({
    id: 'getVisits',
    access: ['user'],
    summary: "List a child's visits",
    description:
      'Visits are detected in the track of the period. A visit that began before the period is returned as starting ' +
      'at the first point of the period.',
    response: VisitsDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  getVisits(@Caller() caller: Principal, @Query() query: VisitsQueryDto): Promise<VisitsDto> {
    return this.locations.listVisits(caller, query);
  }

  @Post('user/location/wrong/report')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'reportWrongLocation',
    access: ['user'],
    summary: 'Report a location point as wrong',
    description: 'Returns the last location, for which the reported point is no longer used.',
    response: LastLocationDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'POINT_NOT_FOUND'],
  })
  reportWrong(@Caller() caller: Principal, @Body() body: ReportWrongDto): Promise<LastLocationDto> {
    return this.corrections.report(caller, body);
  }

  @Post('user/location/wrong/withdraw')
  @Operation({
    id: 'withdrawWrongLocation',
    access: ['user'],
    summary: 'Withdraw a wrong-location report',
    description: 'Returns the last location, for which the point is used again.',
    response: LastLocationDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'POINT_NOT_FOUND'],
  })
  withdrawWrong(@Caller() caller: Principal, @Body() body: PointReferenceDto): Promise<LastLocationDto> {
    return this.corrections.withdraw(caller, body);
  }

  @Post('user/location/share/create')
  @Operation({
    id: 'createLocationShare',
    access: ['user'],
    summary: "Create a public link to a child's location",
    description: 'The URL is returned only once and is valid for at most a day.',
    response: CreatedShareDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'LIMIT_REACHED'],
  })
  async createShare(
    @Caller() caller: Principal,
    @Body() body: CreateShareDto,
    @Req() request: FastifyRequest,
  ): Promise<CreatedShareDto> {
    const { token, ...share } = await this.shares.create(caller, body);
    return { ...share, url: publicUrl(this.environment, request, `/share/${token}`) };
  }

  @Get('user/location/share/list')
  @Operation({
    id: 'listLocationShares',
    access: ['user'],
    summary: 'List active location shares',
    response: ShareListDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  listShares(@Caller() caller: Principal, @Query() { cid }: ShareListQueryDto): Promise<ShareListDto> {
    return this.shares.list(caller, cid);
  }

  @Post('user/location/share/delete')
  @Operation({
    id: 'deleteLocationShare',
    access: ['user'],
    summary: 'End a location share immediately',
    errors: ['SHARE_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  deleteShare(@Caller() caller: Principal, @Body() { shareId }: ShareReferenceDto): Promise<void> {
    return this.shares.delete(caller, shareId);
  }
}
