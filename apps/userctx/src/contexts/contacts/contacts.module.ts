import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { ContactDirectory } from './contact-directory.service.js';
import { ContactLog } from './contact-log.service.js';
import { ContactRepository } from './contact.repository.js';
import { ContactsController } from './contacts.controller.js';
import { ContactsService } from './contacts.service.js';
import { EmergencyOrder } from './emergency-order.service.js';
import { MemberContacts } from './member-contacts.service.js';

/** Whom the children can reach with their watches. */
@Module({
  imports: [FamiliesModule],
  controllers: [ContactsController],
  providers: [ContactRepository, ContactDirectory, ContactLog, ContactsService, EmergencyOrder, MemberContacts],
  exports: [ContactDirectory, EmergencyOrder, MemberContacts],
})
export class ContactsModule {}
