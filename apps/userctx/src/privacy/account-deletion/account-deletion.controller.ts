import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  AccountDeletionDto,
  AccountDeletionStatusDto,
  DeleteAccountDto,
  ErasureReceiptDto,
  ErasureReceiptQueryDto,
} from '@family-watch/domain/privacy/dto/account-deletion.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { AccountDeletionService } from './account-deletion.service.js';

/** Deletion of the caller's account, and the receipt of the erasure. */
@ApiTags('Accounts')
@Controller('apis/v2/userctx/user/account/delete')
export class AccountDeletionController {
  constructor(private readonly deletions: AccountDeletionService) {}

  @Post()
  @Operation({
    id: 'deleteAccount',
    access: ['user'],
    summary: 'Request the deletion of the caller’s account',
    description:
      'Requires a step-up. The account is erased when the grace period has passed, seven days by default; until then ' +
      '`account/delete/cancel` keeps it. The caller’s devices and the guardians of the caller’s families are notified. ' +
      'A family that the caller owns passes to the guardian who joined first, owns no family and is not suspended. Without ' +
      'such a guardian, the family is erased with its children, and their watches are unbound. A repetition returns the ' +
      'requested deletion.',
    response: AccountDeletionDto,
    errors: ['VALIDATION_FAILED', 'STEP_UP_REQUIRED', 'RATE_LIMITED', 'OVERLOADED'],
  })
  request(@Caller() caller: Principal, @Body() body: DeleteAccountDto): Promise<AccountDeletionDto> {
    return this.deletions.request(caller, body);
  }

  @Post('cancel')
  @Operation({
    id: 'cancelAccountDeletion',
    access: ['user'],
    summary: 'Cancel the deletion of the caller’s account',
    description: 'The person signs in as usual during the grace period. Without a requested deletion, nothing changes.',
  })
  cancel(@Caller() caller: Principal): Promise<void> {
    return this.deletions.cancel(caller);
  }

  @Get('get')
  @Operation({
    id: 'getAccountDeletion',
    access: ['user'],
    summary: 'Get the requested deletion of the caller’s account',
    response: AccountDeletionStatusDto,
  })
  async get(@Caller() caller: Principal): Promise<AccountDeletionStatusDto> {
    return { deletion: await this.deletions.find(caller) };
  }

  @Get('receipt/get')
  @Operation({
    id: 'getErasureReceipt',
    access: 'public',
    summary: 'Get the receipt of an erasure',
    description:
      'States when the account was erased and how many records of each kind each app has erased. The receipt contains ' +
      'nothing about the person and can be read without an account.',
    response: ErasureReceiptDto,
    errors: ['VALIDATION_FAILED', 'RECEIPT_NOT_FOUND'],
  })
  getReceipt(@Query() { receiptId }: ErasureReceiptQueryDto): Promise<ErasureReceiptDto> {
    return this.deletions.getReceipt(receiptId);
  }
}
