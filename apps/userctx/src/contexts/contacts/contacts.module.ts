import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { ContactDirectoryService } from './contact-directory.service.js';
import { ContactChangeService } from './contact-change.service.js';
import { ContactRepository } from './contact.repository.js';
import { ContactsController } from './contacts.controller.js';
import { ContactsService } from './contacts.service.js';
import { EmergencyOrderService } from './emergency-order.service.js';
import { MemberContactsService } from './member-contacts.service.js';

/** The contact lists of children. */
@Module({
  imports: [FamiliesModule],
  controllers: [ContactsController],
  providers: [
    ContactRepository,
    ContactDirectoryService,
    ContactChangeService,
    ContactsService,
    EmergencyOrderService,
    MemberContactsService,
  ],
  exports: [ContactDirectoryService, EmergencyOrderService, MemberContactsService],
})
export class ContactsModule {}
