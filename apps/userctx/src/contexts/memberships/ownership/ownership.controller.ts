import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DissolveFamilyDto, TransferFamilyDto } from '@family-watch/domain/families/dto/family.dto';
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
    summary: 'Transfer family ownership to a guardian',
    description:
      'Requires step-up authentication. The previous owner becomes a guardian. Owner and guardians are notified.',
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
    summary: 'Dissolve a family',
    description:
      'Requires step-up authentication. Deletes the children and ends all memberships; all members are notified. For ' +
      'seven days the owner can restore the children (child/restore), and with the first of them the family. Other ' +
      'members must be invited again and the watches bound again.',
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING', 'STEP_UP_REQUIRED'],
  })
  dissolve(@Caller() caller: Principal, @Body() body: DissolveFamilyDto): Promise<void> {
    return this.dissolution.dissolve(caller, body);
  }
}
