import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { MembershipsModule } from '../families/memberships/memberships.module.js';
import { AccountDeletionController } from './account-deletion.controller.js';
import { AccountDeletionEventHandlers } from './account-deletion.event-handlers.js';
import { AccountDeletionRepository } from './account-deletion.repository.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { PersonErasureService } from './person-erasure.service.js';
import { PersonalDataRepository } from './personal-data.repository.js';
import { UserctxAccountErasure } from './userctx-account-erasure.service.js';

/** Deletion of accounts in all apps. */
@Module({
  imports: [AccountsModule, FamiliesModule, MembershipsModule],
  controllers: [AccountDeletionController],
  providers: [
    AccountDeletionEventHandlers,
    AccountDeletionRepository,
    AccountDeletionService,
    PersonErasureService,
    PersonalDataRepository,
    UserctxAccountErasure,
  ],
})
export class AccountDeletionModule {}
