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
import { Environment } from '@family-watch/platform/config/environment';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { publicUrl } from '@family-watch/platform/http/public-url';
import { LocationSharesService } from './location-shares.service.js';

@ApiTags('Locations')
@Controller('apis/v2/userctx/user/location/share')
export class LocationSharesController {
  constructor(
    private readonly shares: LocationSharesService,
    private readonly environment: Environment,
  ) {}

  @Post('create')
  @Operation({
    id: 'createLocationShare',
    access: ['user'],
    summary: "Create a public link to a child's location",
    description: 'The URL is returned only once and is valid for at most a day.',
    response: CreatedShareDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'LIMIT_REACHED'],
  })
  async create(
    @Caller() caller: Principal,
    @Body() body: CreateShareDto,
    @Req() request: FastifyRequest,
  ): Promise<CreatedShareDto> {
    const { token, ...share } = await this.shares.create(caller, body);
    return { ...share, url: publicUrl(this.environment, request, `/share/${token}`) };
  }

  @Get('list')
  @Operation({
    id: 'listLocationShares',
    access: ['user'],
    summary: 'List active location shares',
    response: ShareListDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() { cid }: ShareListQueryDto): Promise<ShareListDto> {
    return this.shares.list(caller, cid);
  }

  @Post('delete')
  @Operation({
    id: 'deleteLocationShare',
    access: ['user'],
    summary: 'End a location share immediately',
    errors: ['SHARE_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  delete(@Caller() caller: Principal, @Body() { shareId }: ShareReferenceDto): Promise<void> {
    return this.shares.delete(caller, shareId);
  }
}
