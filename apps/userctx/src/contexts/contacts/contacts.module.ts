import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { ContactRepository } from './contact.repository.js';
import { ContactsController } from './contacts.controller.js';
import { ContactsService } from './contacts.service.js';
import { MemberContactsService } from './member-contacts.service.js';

/** The contact lists of children. */
@Module({
  imports: [FamiliesModule],
  controllers: [ContactsController],
  providers: [ContactRepository, MemberContactsService, ContactsService],
  exports: [ContactsService, MemberContactsService],
})
export class ContactsModule {}
