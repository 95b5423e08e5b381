import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DissolveFamilyDto, TransferFamilyDto } from '@family-watch/domain/families/dto/ownership.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { DissolutionService } from './dissolution.service.js';
import { TransferService } from './transfer.service.js';

@ApiTags('Families')
@Controller('apis/v2/userctx/user/family')
export class OwnershipController {
  constructor(
    private readonly transfers: TransferService,
    private readonly dissolution: DissolutionService,
  ) {}

  @Post('transfer')
  @Operation({
    id: 'transferFamily',
    access: ['user'],
    summary: 'Hand the family to one of its guardians; needs a step-up',
    description: 'The owner of before stays as a guardian. Owner and guardians are told.',
    errors: [
      ...(['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'STEP_UP_REQUIRED'] as const),
      ...(['MEMBER_NOT_FOUND', 'ROLE_CHANGE_FORBIDDEN', 'LIMIT_REACHED'] as const),
    ],
  })
  transfer(@Caller() caller: Principal, @Body() body: TransferFamilyDto): Promise<void> {
    return this.transfers.transfer(caller, body);
  }

  @Post('dissolve')
  @Operation({
    id: 'dissolveFamily',
    access: ['user'],
    summary: 'End the family: its children are deleted and every membership ends; needs a step-up',
    description:
      'Everybody is told. For seven days the owner can have the children back (child/restore), and with the first ' +
      'of them the family; the other members are invited anew, the watches bound anew.',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'STEP_UP_REQUIRED'],
  })
  dissolve(@Caller() caller: Principal, @Body() body: DissolveFamilyDto): Promise<void> {
    return this.dissolution.dissolve(caller, body);
  }
}
