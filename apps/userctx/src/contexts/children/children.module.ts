import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { ChildDeletionService } from './child-deletion.service.js';
import { ChildRepository } from './child.repository.js';
import { ChildrenController } from './children.controller.js';
import { ChildrenService } from './children.service.js';
import { CloudTicketsService } from './cloud-tickets.service.js';
import { WatchChildController } from './watch-child.controller.js';

/** Child management (specification 4.1). */
@Module({
  imports: [AccountsModule, FamiliesModule, ContactsModule],
  controllers: [ChildrenController, WatchChildController],
  providers: [ChildRepository, ChildrenService, ChildDeletionService, CloudTicketsService],
  exports: [ChildDeletionService, ChildrenService],
})
export class ChildrenModule {}
