import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { AccountReferenceDto, DeliveriesDto, DeliveriesQueryDto } from '@family-watch/domain/operators/dto/support.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { AccountSuspensionService } from '../accounts/account-suspension.service.js';
import { DeliveriesService } from './deliveries.service.js';

/** Accounts of persons and the state of their deliveries, for operators. */
@ApiTags('Operators: support')
@Controller('apis/v2/operator')
export class SupportController {
  constructor(
    private readonly suspensions: AccountSuspensionService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @Post('user/suspend')
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

  @Post('user/resume')
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

  @Get('deliveries/get')
  @Operation({
    id: 'getDeliveries',
    access: { operatorRoles: ['SUPPORT', 'ADMIN'], auditedFields: ['familyId', 'userId', 'did'] },
    summary: 'Show why messages do not arrive',
    description:
      'Connections, mailbox, cursors and push registrations of a family, a person or a watch: states and counts, without ' +
      'contents, names, phone numbers and locations. Provide exactly one id.',
    response: DeliveriesDto,
    errors: ['FAMILY_NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'WATCH_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  })
  getDeliveries(@Query() query: DeliveriesQueryDto): Promise<DeliveriesDto> {
    return this.deliveries.diagnose(query);
  }
}
