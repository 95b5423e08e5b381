import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FamilyListDto, UpdateFamilyDto } from '@family-watch/domain/families/dto/family.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { FamiliesService } from './families.service.js';

@ApiTags('Families')
@Controller('apis/v2/userctx/user/family')
export class FamiliesController {
  constructor(private readonly families: FamiliesService) {}

  @Get('list')
  @Operation({
    id: 'listFamilies',
    access: ['user'],
    summary: 'List the caller’s families',
    response: FamilyListDto,
  })
  list(@Caller() caller: Principal): Promise<FamilyListDto> {
    return this.families.list(caller);
  }

  @Post('update')
  @Operation({
    id: 'updateFamily',
    access: ['user'],
    summary: 'Rename a family',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateFamilyDto): Promise<void> {
    return this.families.update(caller, body);
  }
}
