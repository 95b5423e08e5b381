import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  FenceEventListDto,
  FenceEventListQueryDto,
  CreateFenceDto,
  FenceDto,
  FenceListDto,
  FenceListQueryDto,
  FenceReferenceDto,
  UpdateFenceDto,
} from '@family-watch/domain/locations/dto/fence.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { FencesService } from './fences.service.js';

@ApiTags('Fences')
@Controller('apis/v2/userctx/user/fence')
export class FencesController {
  constructor(private readonly fences: FencesService) {}

  @Get('list')
  @Operation({
    id: 'listFences',
    access: ['user'],
    summary: 'List a child’s fences',
    response: FenceListDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() { cid }: FenceListQueryDto): Promise<FenceListDto> {
    return this.fences.list(caller, cid);
  }

  @Post('create')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'createFence',
    access: ['user'],
    summary: 'Create a fence, a circle or a polygon',
    description:
      'At first it is unknown whether the child is inside. The first fix that is certainly inside or outside decides ' +
      'this and causes no event.',
    response: FenceDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'LIMIT_REACHED'],
  })
  create(@Caller() caller: Principal, @Body() body: CreateFenceDto): Promise<FenceDto> {
    return this.fences.create(caller, body);
  }

  @Post('update')
  @Operation({
    id: 'updateFence',
    access: ['user'],
    summary: 'Update a fence',
    description:
      'Omitted fields are unchanged. After a fence is moved or enabled, it is unknown whether the child is inside, ' +
      'as after the creation of a fence.',
    response: FenceDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'FENCE_NOT_FOUND', 'VERSION_STALE'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateFenceDto): Promise<FenceDto> {
    return this.fences.update(caller, body);
  }

  @Post('delete')
  @Operation({
    id: 'deleteFence',
    access: ['user'],
    summary: 'Delete a fence',
    description: 'The recorded events of the fence are kept.',
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'FENCE_NOT_FOUND', 'VERSION_STALE'],
  })
  delete(@Caller() caller: Principal, @Body() body: FenceReferenceDto): Promise<void> {
    return this.fences.delete(caller, body);
  }

  @Get('event/list')
  @Operation({
    id: 'listFenceEvents',
    access: ['user'],
    summary: 'List a child’s fence events',
    description: 'The events of the last 30 days, newest first.',
    response: FenceEventListDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  listEvents(@Caller() caller: Principal, @Query() query: FenceEventListQueryDto): Promise<FenceEventListDto> {
    return this.fences.listEvents(caller, query);
  }
}
