import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module.js';
import { ErasedDataRepository } from './erased-data.repository.js';
import { GatewayAccountErasure } from './gateway-account-erasure.service.js';

/** Erasure of accounts. */
@Module({
  imports: [ConversationsModule],
  providers: [GatewayAccountErasure, ErasedDataRepository],
})
export class AccountErasureModule {}
