import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import {
  BindRequestDto,
  BoundDto,
  UnbindRequestDto,
  DeviceQueryDto,
  WatchDto,
  WatchListDto,
} from '@family-watch/domain/watches/dto/watch.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { WatchBindingService } from './binding/watch-binding.service.js';

@ApiTags('Watches')
@Controller('apis/v2/userctx/user/device')
export class DevicesController {
  constructor(private readonly bindings: WatchBindingService) {}

  @Get('list')
  @Operation({
    id: 'listWatches',
    access: ['user'],
    summary: 'List watches',
    description: 'The watches of all children that the caller may see.',
    response: WatchListDto,
  })
  list(@Caller() caller: Principal, @Query() query: PageQueryDto): Promise<WatchListDto> {
    return this.bindings.list(caller, query);
  }

  @Get('get')
  @Operation({
    id: 'getWatch',
    access: ['user'],
    summary: 'Get a watch with its last reported status',
    description: 'Unknown values are null.',
    response: WatchDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  get(@Caller() caller: Principal, @Query() { did }: DeviceQueryDto): Promise<WatchDto> {
    return this.bindings.get(caller, did);
  }

  @Post('bind')
  @Operation({
    id: 'bindWatch',
    access: ['user'],
    summary: 'Bind a watch to a child',
    description:
      'For the owner of the family. The watch shows both codes; they can be used once. IMEI_TAKEN: another bound ' +
      'watch has the same IMEI.',
    response: BoundDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'CHILD_HAS_WATCH', 'BIND_CODE_INVALID', 'IMEI_TAKEN'],
  })
  async bind(@Caller() caller: Principal, @Body() request: BindRequestDto): Promise<BoundDto> {
    return { did: await this.bindings.bind(caller, request) };
  }

  @Post('unbind')
  @Operation({
    id: 'unbindWatch',
    access: ['user'],
    summary: 'Unbind a watch',
    description: 'For the owner of the family. Requires a step-up.',
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'STEP_UP_REQUIRED'],
  })
  async unbind(@Caller() caller: Principal, @Body() request: UnbindRequestDto): Promise<EmptyDto> {
    await this.bindings.unbindWithStepUp(caller, request);
    return new EmptyDto();
  }
}
