import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { AccountReferenceDto } from '@family-watch/domain/operators/dto/support.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { AccountSuspensionService } from '../accounts/account-suspension.service.js';

/** Accounts of persons, for operators. */
@ApiTags('Operators: support')
@Controller('apis/v2/operator/user')
export class SupportController {
  constructor(private readonly suspensions: AccountSuspensionService) {}

  @Post('suspend')
  @Operation({
    id: 'suspendAccount',
    access: { operatorRoles: ['SUPPORT', 'ADMIN'], auditedFields: ['userId'] },
    summary: "Suspend a person's account",
    description:
      'Ends all sessions and sockets of the account and rejects further sign-ins. Family and watches are not affected.',
    errors: ['ACCOUNT_NOT_FOUND'],
  })
  async suspend(@Body() { userId }: AccountReferenceDto): Promise<EmptyDto> {
    await this.suspensions.suspend(userId);
    return new EmptyDto();
  }

  @Post('resume')
  @Operation({
    id: 'resumeAccount',
    access: { operatorRoles: ['SUPPORT', 'ADMIN'], auditedFields: ['userId'] },
    summary: "End the suspension of a person's account",
    errors: ['ACCOUNT_NOT_FOUND'],
  })
  async resume(@Body() { userId }: AccountReferenceDto): Promise<EmptyDto> {
    await this.suspensions.resume(userId);
    return new EmptyDto();
  }
}
