import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ConsentDto, ConsentListDto, UpdateConsentDto } from '@family-watch/domain/accounts/dto/consent.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { ConsentsService } from './consents.service.js';

@ApiTags('Accounts')
@Controller('apis/v2/userctx/user/account/consent')
export class ConsentsController {
  constructor(private readonly consents: ConsentsService) {}

  @Get('get')
  @Operation({
    id: 'getConsents',
    access: ['user'],
    summary: 'List the caller’s consents',
    description: 'Each with its history.',
    response: ConsentListDto,
  })
  get(@Caller() caller: Principal): Promise<ConsentListDto> {
    return this.consents.get(caller);
  }

  @Post('update')
  @Operation({
    id: 'updateConsent',
    access: ['user'],
    summary: 'Grant or withdraw a consent',
    description:
      'A withdrawal is effective when the response is sent. POSITIONING: the Wi-Fi and cell observations of the ' +
      'watches in the family that the caller owns improve the positioning for all users, and may be sent to a ' +
      'positioning service if one is configured.',
    response: ConsentDto,
    errors: ['VALIDATION_FAILED'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateConsentDto): Promise<ConsentDto> {
    return this.consents.update(caller, body);
  }
}
